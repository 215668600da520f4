//===- GraphJson.h - Ringi's own graph files --------------------*- C++ -*-===//
//
// Part of Ringi. Reads and writes planning problems as JSON; docs/graph-json.md
// documents the fields and docs/graph.schema.json is their schema.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_GRAPHJSON_H
#define RINGI_PLANNER_GRAPHJSON_H

#include "ringi/Planner/Problem.h"

#include <string_view>

namespace ringi::planner {

/// Reads a graph. Views are folded into the storage they show, ops that make
/// nothing but views and cost nothing disappear, ops are put into `order` where
/// the file gives one. Streams: memory is the problem's own, speed that of the
/// JSON lexer.
///
/// \returns a checked problem, or one error that names the field, op or value:
/// bad JSON, unknown or missing fields, wrong types, names used twice or never
/// made, cycles, and everything Problem::check finds.
Expected<Problem> readGraphJson(std::string_view text);

/// Gives ops, and values, that share a name a number: "add", "add.1", "add.2".
void makeNamesUnique(Problem &problem);

/// Writes a checked problem with unique op and storage names; reading it back
/// gives the same problem, except that storages without a producer come first.
/// The error names a name that is used twice.
Expected<std::string> writeGraphJson(const Problem &problem);

/// A hash of the graph's structure: names of ops and storages and who reads
/// what, in order. Sizes and costs do not count.
uint64_t graphFingerprint(const Problem &problem);

} // namespace ringi::planner

#endif // RINGI_PLANNER_GRAPHJSON_H
