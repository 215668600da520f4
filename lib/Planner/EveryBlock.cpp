//===- EveryBlock.cpp - Checkpoint each block -----------------------------===//
//
// Part of Ringi. What torch.utils.checkpoint around each layer does, without
// its replay of values that nobody needs.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/KeepPolicy.h"

namespace ringi::planner {

KeepPolicy keepBlockBoundaries(const Problem &problem) {
  KeepPolicy policy;
  policy.keep.assign(problem.storages.size(), true);
  policy.group.assign(problem.storages.size(), kNone);
  policy.reason.assign(problem.storages.size(), "outside of all blocks");
  for (const Op &op : problem.ops) {
    if (op.block == kNone || op.phase != Phase::Forward)
      continue;
    for (StorageIndex s : op.outputs) {
      policy.keep[s] = false;
      policy.group[s] = op.block;
      policy.reason[s] = "inside a block";
    }
  }
  for (const Op &op : problem.ops) {
    if (op.phase != Phase::Forward)
      continue;
    for (StorageIndex s : op.inputs) {
      if (policy.keep[s] || op.block == policy.group[s])
        continue;
      policy.keep[s] = true;
      policy.group[s] = kNone;
      policy.reason[s] = "block boundary";
    }
  }
  return policy;
}

} // namespace ringi::planner
