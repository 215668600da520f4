//===- GraphFields.cpp - The fields of graph files ------------------------===//
//
// Part of Ringi. See GraphFields.h.
//
//===----------------------------------------------------------------------===//

#include "GraphFields.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <unordered_map>

namespace ringi::planner {

namespace {

constexpr std::array kFieldNames = {
    "format",    "version",  "name",       "inputs", "ops",          "order",
    "bytes",     "category", "persistent", "output", "mark",         "location",
    "view_of",   "kind",     "cost",       "flops",  "results",      "in_place",
    "workspace", "class",    "phase",      "block",  "recomputable", "ordered",
    "input",     "required"};

} // namespace

Field findField(std::string_view text) {
  static const std::unordered_map<std::string_view, Field> fields = [] {
    std::unordered_map<std::string_view, Field> map;
    for (size_t i = 0; i < kFieldNames.size(); ++i)
      map.emplace(kFieldNames[i], Field(i));
    return map;
  }();
  auto entry = fields.find(text);
  return entry == fields.end() ? Field::Unknown : entry->second;
}

const char *fieldWord(Field field) { return kFieldNames[size_t(field)]; }

bool isKnownField(Place place, Field field) {
  using enum Field;
  auto isOneOf = [&](std::initializer_list<Field> fields) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  switch (place) {
  case Place::Root:
    return isOneOf({Format, Version, Name, Inputs, Ops, Order});
  case Place::Input:
    return isOneOf({Name, Bytes, Category, Persistent, Output, Mark, Location});
  case Place::Result:
    return isOneOf({Name, Bytes, Category, Output, Mark, Location, ViewOf});
  case Place::Op:
    return isOneOf({Name, Kind, Cost, Flops, Inputs, Results, InPlace,
                    Workspace, Class, Phase, Block, Recomputable, Ordered,
                    Location});
  case Place::Pair:
    return isOneOf({Input, Output, Required});
  default:
    return true;
  }
}

} // namespace ringi::planner
