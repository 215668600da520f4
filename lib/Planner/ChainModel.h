//===- ChainModel.h - What a chain's blocks cost and hold -------*- C++ -*-===//
//
// Part of Ringi. The numbers that the chain recurrence works on: for each block
// the sets of internals worth keeping with their bytes, times and peaks, as
// measured on the very ops that the plan would run.
//
// In-place reuse and results that die inside a block's boundary are not seen
// here: figures err on the large side, and the planner corrects by simulating.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_CHAINMODEL_H
#define RINGI_LIB_PLANNER_CHAINMODEL_H

#include "ringi/Planner/BlockDetection.h"

namespace ringi::planner {

/// A way to run one block: which of its internals wait for its section.
struct ChainOption {
  std::vector<StorageIndex> kept;
  int64_t keptBytes = 0;
  /// Bytes of the next block's boundary that neither `kept` nor the block's own
  /// boundary hold.
  int64_t boundaryBytes = 0;
  /// Most bytes while its forward ops run, beside its boundary and what the
  /// rest of the step holds.
  int64_t forwardPeak = 0;
  /// Most bytes while its section runs, persistent ones included, beside its
  /// boundary.
  int64_t sectionPeak = 0;
  /// Cost of the forward ops that make the kept values and the next boundary.
  double forwardCost = 0;
  /// Cost of what the section recomputes.
  double sectionCost = 0;
};

class ChainModel {
public:
  ChainModel(const Problem &problem, const Chain &chain);

  int32_t numBlocks() const { return int32_t(chain.blocks.size()); }
  /// Options for a block whose next boundary is needed, by falling kept bytes.
  const std::vector<ChainOption> &options(int32_t block) const {
    return blockOptions[block];
  }
  /// Nothing kept: forward to the next boundary, and the section that
  /// recomputes all it needs from the block's boundary.
  const ChainOption &keepNothing(int32_t block) const { return bare[block]; }
  /// Bytes of the boundary that are not always resident.
  int64_t boundaryBytes(int32_t block) const { return boundaries[block]; }
  /// Bytes resident while forward ops are replayed before this block's section:
  /// persistent ones, what is never dropped, and what later sections left.
  int64_t heldBefore(int32_t block) const { return held[block]; }

  /// Appends the forward ops of a block: all of them, or only those that make
  /// the option's kept values and the next boundary.
  void appendForward(int32_t block, const ChainOption &option, bool all,
                     std::vector<OpIndex> &schedule) const;
  /// Appends the block's section with what it recomputes just in time.
  void appendSection(int32_t block, const ChainOption &option,
                     std::vector<OpIndex> &schedule);

private:
  bool isBoundary(StorageIndex storage, int32_t block) const;
  void findAlwaysThere();
  void measureRest();
  void ensure(StorageIndex storage, std::vector<OpIndex> &schedule);
  std::vector<StorageIndex> usefulOf(int32_t block,
                                     const std::vector<StorageIndex> &kept);
  ChainOption measure(int32_t block, std::vector<StorageIndex> kept);
  void measureForward(int32_t block, ChainOption &option);
  void measureSection(int32_t block, ChainOption &option);
  void makeOptions(int32_t block);

  const Problem &problem;
  const Chain &chain;
  /// Per op the block whose forward part it is in; kNone for the rest.
  std::vector<int32_t> blockOf;
  std::vector<char> mayRunAgain;
  /// Never dropped: no producer, made by the rest, may not be recomputed, or
  /// read where its block's section cannot vouch for it.
  std::vector<char> alwaysThere;
  std::vector<OpIndex> lastRestReader, lastForwardReader;
  std::vector<int64_t> held, boundaries;
  std::vector<std::vector<ChainOption>> blockOptions;
  std::vector<ChainOption> bare;
  /// Storages in memory while a section is put together: those stamped with
  /// the current section's number.
  std::vector<int32_t> stamp, lastUse;
  int32_t currentStamp = 0;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_CHAINMODEL_H
