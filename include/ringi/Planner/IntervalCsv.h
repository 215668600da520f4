//===- IntervalCsv.h - Lifetimes and offsets as CSV -------------*- C++ -*-===//
//
// Part of Ringi. The text form of a packing problem: one buffer per line with
// its half-open lifetime and size, and of its solution, the same with offsets.
// The columns are those of google/minimalloc's files.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_INTERVALCSV_H
#define RINGI_PLANNER_INTERVALCSV_H

#include "ringi/Planner/Packing.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringi::planner {

/// A table of intervals, in the order of its lines.
struct IntervalTable {
  std::vector<std::string> ids;
  /// Parallel to ids.
  std::vector<PackItem> items;
  /// The column `offset`, parallel to ids, or empty when the file has none.
  std::vector<int64_t> offsets;
};

/// Reads CSV text. The first line names the columns, in any order: `id`,
/// `lower`, `upper` and `size` are required (lifetime [lower, upper), size in
/// bytes); `offset` is a solution to check, `fixed` an offset the packing must
/// keep (empty for none). Fields are not quoted. Empty lines are skipped.
///
/// \param name names the input in errors, "<name>:<line>: ...".
/// \returns an error for missing, repeated or unknown columns, a wrong number
/// of fields, numbers that are not 64-bit integers, negative sizes or offsets,
/// lower > upper, and ids given twice.
Expected<IntervalTable> readIntervalCsv(std::string_view text,
                                        std::string_view name);

/// Writes `id,lower,upper,size,offset` (and `fixed` when any item has one), as
/// readIntervalCsv reads it.
///
/// \param offsets parallel to table.ids; replaces table.offsets.
std::string writeIntervalCsv(const IntervalTable &table,
                             const std::vector<int64_t> &offsets);

} // namespace ringi::planner

#endif // RINGI_PLANNER_INTERVALCSV_H
