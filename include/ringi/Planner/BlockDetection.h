//===- BlockDetection.h - The forward as a chain of blocks ------*- C++ -*-===//
//
// Part of Ringi. Cuts the forward phase where few bytes cross, preferably one
// value, matches each block with its part of the rest of the step, and finds
// which blocks are the same.
//
// Single-value separators are what Chen et al. 2016 and rotor (Beaumont et al.
// 2019) call the chain; where they leave too large a block, cuts crossed by
// several values are admitted, so that graphs with long skips have a chain too.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_BLOCKDETECTION_H
#define RINGI_PLANNER_BLOCKDETECTION_H

#include "ringi/Planner/Problem.h"

namespace ringi::planner {

/// One link of the chain.
struct ChainBlock {
  /// Its forward ops, in the given order.
  std::vector<OpIndex> forward;
  /// Its section of the rest of the step, in the given order. The sections of
  /// the blocks, from the last block to the first, are the whole rest.
  std::vector<OpIndex> backward;
  /// Storages that cross its start: computed by earlier blocks and read by its
  /// forward ops or by those of later blocks. Ascending; empty for the first.
  std::vector<StorageIndex> boundary;
  /// Blocks of equal kind have the same ops, costs, bytes and wiring; kinds are
  /// numbered in order of first appearance.
  int32_t kind = 0;
};

struct Chain {
  std::vector<ChainBlock> blocks;
  /// Every boundary holds at most one storage.
  bool singleValue = true;
};

/// Splits `problem` into a chain of at least one block (none for an empty
/// problem). The forward phase is what stands before the first op of another
/// phase.
///
/// A section ends where the last op stands that reads a value of its block or
/// of its boundary, so that a block's values are dead after its section.
///
/// \param maxBlocks merge neighbours until no more than this many remain; 0
/// merges nothing. O((n + m) log n).
Chain detectChain(const Problem &problem, int32_t maxBlocks = 0);

} // namespace ringi::planner

#endif // RINGI_PLANNER_BLOCKDETECTION_H
