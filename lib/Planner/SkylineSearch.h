//===- SkylineSearch.h - The tree that packs from the bottom ----*- C++ -*-===//
//
// Part of Ringi. One depth-first search for one capacity, shared by its three
// files: the tree (SkylineSearch.cpp), what shows a branch dead
// (SkylinePruning.cpp), and the state with its steps back (SkylineState.cpp).
// PackingExact.cpp says what it is and where it comes from.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_SKYLINESEARCH_H
#define RINGI_LIB_PLANNER_SKYLINESEARCH_H

#include "ringi/Planner/PackingModel.h"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace ringi::planner::packing {

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
/// Blocks that one node of effort pays for: a node visits every unplaced block
/// of its sub-problem.
inline constexpr int32_t kBlocksPerNode = 512;

/// The order in which equally low blocks are tried. Total is the greatest
/// remaining load over the block's sections: it leads to the tight places.
enum class Rule {
  LengthAreaTotal,
  TotalAreaLength,
  TotalLengthArea,
  TotalSpanSize
};
inline constexpr std::array kRules = {
    Rule::LengthAreaTotal, Rule::TotalAreaLength, Rule::TotalLengthArea,
    Rule::TotalSpanSize};

/// Depth-first search over one model for one capacity. The unplaced blocks of
/// the sub-problem at hand are a window of `order`, sorted by (release, rank).
class SkylineSearch {
public:
  SkylineSearch(const Model &model, int64_t capacity);

  /// Searches with one rule; what failed before is remembered from run to run.
  SearchOutcome run(Rule rule, int64_t budget);

  int64_t spentEffort() const { return spent; }
  const std::vector<int64_t> &foundOffsets() const { return offsets; }

private:
  struct State {
    int32_t first, last;
    int64_t size;
    /// The highest end of the placed blocks alive with it: its lowest offset.
    int64_t release;
    /// The release, raised for a block passed over to where it can next rest.
    int64_t effective;
    /// The highest offset the capacity allows.
    int64_t latest;
    int32_t rank;
    bool fixed;
  };
  /// One step to take back: a slot of `order` with its block's release
  /// (position >= 0), a block's rank or effective release, or a placement.
  struct Undo {
    int32_t position, block;
    int64_t value;
  };
  static constexpr int32_t kPlaced = -1, kRank = -2, kEffective = -3;
  /// A sub-problem: a window of `order` over the sections [s0, s1), where the
  /// last block placed had this offset and rank. [hull0, hull1) holds the
  /// sections whose bound may have changed.
  struct Node {
    int32_t begin, end, s0, s1;
    int64_t offset;
    int32_t rank, hull0, hull1;
  };
  struct Key {
    uint64_t low = 0, high = 0;
  };

  void reset();
  void sortByRule(int32_t begin, int32_t end);
  void sortByRelease(int32_t begin, int32_t end);
  bool alive(const State &a, const State &b) const {
    return a.first < b.last && b.first < a.last;
  }
  bool passedOver(const State &b, const Node &node) const {
    return b.release < node.offset ||
           (b.release == node.offset && b.rank < node.rank);
  }
  SearchOutcome search(Node node);
  bool raisePassedOver(Node &node, int32_t candidates);
  bool fitsSections(const Node &node, int32_t candidates);
  int32_t wholeSpan(const Node &node, int32_t candidates) const;
  SearchOutcome descend(const Node &node, int32_t position, bool &changed);
  SearchOutcome divide(const Node &child);
  void undoTo(size_t mark);

  const Model &model;
  /// Units; a block's own padding counts in State::latest.
  int64_t capacity;
  Rule rule = Rule::LengthAreaTotal;
  int64_t spent = 0, limit = 0;
  std::vector<State> blocks;
  std::vector<int32_t> order;
  std::vector<int64_t> offsets;
  /// By section: unplaced load, and the number of unplaced blocks alive both
  /// there and in the section before.
  std::vector<int64_t> load;
  std::vector<int32_t> crossing;
  std::vector<Undo> log;
  /// Sub-problems shown infeasible, by hash; a newer one replaces an older.
  std::vector<Key> failed;
  // Scratch, used between recursive calls only.
  std::vector<int64_t> stack;
  std::vector<int32_t> critical;
  std::vector<int32_t> kept, raised, level, passed;
};

} // namespace ringi::planner::packing

#endif // RINGI_LIB_PLANNER_SKYLINESEARCH_H
