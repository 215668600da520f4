//===- GraphFields.h - The fields of graph files ----------------*- C++ -*-===//
//
// Part of Ringi. Which words a graph file may use, and where.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_GRAPHFIELDS_H
#define RINGI_LIB_PLANNER_GRAPHFIELDS_H

#include <cstdint>
#include <string_view>

namespace ringi::planner {

/// Every field a graph file may have.
enum class Field : uint8_t {
  Format,
  Version,
  Name,
  Inputs,
  Ops,
  Order,
  Bytes,
  Category,
  Persistent,
  Output,
  Mark,
  Location,
  ViewOf,
  Kind,
  Cost,
  Flops,
  Results,
  InPlace,
  Workspace,
  Class,
  Phase,
  Block,
  Recomputable,
  Ordered,
  Input,
  Required,
  Unknown
};

/// Where in the document the reader is.
enum class Place : uint8_t {
  Root,
  Inputs,
  Input,
  Ops,
  Op,
  OpInputs,
  Results,
  Result,
  Pairs,
  Pair,
  Order
};

/// Field::Unknown for a word that is none.
Field findField(std::string_view text);
/// The word of a field that is not Unknown.
const char *fieldWord(Field field);
/// Whether an object at `place` may have the field.
bool isKnownField(Place place, Field field);

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_GRAPHFIELDS_H
