//===- PackingModel.h - The packing problem in sections ---------*- C++ -*-===//
//
// Part of Ringi. What the packing algorithms share: buffers as rectangles over
// sections (moments at which the set of buffers alive is maximal) and sizes in
// units of the alignment, split into sub-problems that share no moment.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_PACKINGMODEL_H
#define RINGI_PLANNER_PACKINGMODEL_H

#include "ringi/Planner/Packing.h"

#include <cstdint>
#include <vector>

namespace ringi::planner::packing {

/// One buffer over the sections [first, last). Two buffers are alive together
/// exactly when their section ranges intersect.
struct Block {
  int32_t first = 0, last = 0;
  /// The lifetime as given, for the orders that weigh it.
  int64_t lower = 0, upper = 0;
  /// Units it occupies, at least 1.
  int64_t size = 0;
  /// Bytes by which the last unit is not filled; 0 <= pad < alignment. The top
  /// of the highest buffer need not be aligned.
  int64_t pad = 0;
  /// Fixed offset in units, or -1.
  int64_t fixed = -1;
  /// Index in the caller's items.
  int32_t item = 0;
};

/// A sub-problem: its blocks share no moment with any other's.
struct Model {
  std::vector<Block> blocks;
  int32_t sections = 0;
  /// Bytes per unit.
  int64_t alignment = 1;
};

/// Splits items into independent models in order of time. Items without bytes
/// or lifetime are left out. A model's unit is a multiple of `alignment`: the
/// greatest that divides all its sizes and fixed offsets, which loses no
/// height, since every block of a least placement rests on others. O(n log n).
std::vector<Model> buildModels(const std::vector<PackItem> &items,
                               int64_t alignment);

/// Offsets in units, parallel to Model::blocks, with the height in bytes.
struct Placement {
  std::vector<int64_t> offsets;
  int64_t height = 0;
};

/// max over blocks of the bytes up to the block's end.
int64_t heightOf(const Model &model, const std::vector<int64_t> &offsets);

/// A height in bytes that no placement of this model can go below: the load of
/// a section, in whole units but for the padding of one topmost block, and
/// the end of every fixed block. O(total range).
int64_t lowerBoundOf(const Model &model);

//===----------------------------------------------------------------------===//
// Heuristics (PackingHeuristics.cpp)
//===----------------------------------------------------------------------===//

/// The orders in which the greedy methods place blocks. The first four are the
/// field's usual ones, of the lifetimes as given; Span is the length in
/// sections.
enum class GreedyOrder { Size, Start, Length, Area, Span };

struct Greedy {
  GreedyOrder by = GreedyOrder::Size;
  bool bestFit = false;
};

/// Places blocks one at a time in the order given, each in the lowest gap that
/// holds it (first fit) or the tightest one (best fit). Fixed blocks first.
/// O(n^2) comparisons, many at once.
Placement placeInOrder(const Model &model, const std::vector<int32_t> &order,
                       bool bestFit);

/// Block indices by the key of `by`, largest first (earliest first for Start).
std::vector<int32_t> greedyOrder(const Model &model, GreedyOrder by);

/// The best of the greedy orders with first and best fit. Stops at `target`
/// bytes, and on very large models after the most promising few. `winner` and
/// `method` tell which it was.
Placement packGreedy(const Model &model, int64_t target, Greedy &winner,
                     std::string &method);

/// Lowers `best` by rounds of one greedy method in which the blocks that ended
/// above `target` bytes move to the front of the order. A bounded number of
/// rounds, fewer on very large models.
void repairByPriority(const Model &model, int64_t target, Greedy start,
                      Placement &best, std::string &method);

//===----------------------------------------------------------------------===//
// Exact search (PackingExact.cpp)
//===----------------------------------------------------------------------===//

enum class SearchOutcome { Found, Infeasible, Exhausted };

struct SearchResult {
  SearchOutcome outcome = SearchOutcome::Exhausted;
  /// Units, when found.
  std::vector<int64_t> offsets;
  /// Nodes spent.
  int64_t effort = 0;
};

/// Looks for a placement of at most `capacity` bytes by branch and bound, or
/// shows that there is none, within `effort` nodes (a node pays for 512
/// unplaced blocks). Deterministic.
SearchResult searchSkyline(const Model &model, int64_t capacity,
                           int64_t effort);

} // namespace ringi::planner::packing

#endif // RINGI_PLANNER_PACKINGMODEL_H
