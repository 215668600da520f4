//===- ActivationGraph.cpp - A function as a planning problem -------------===//
//
// Part of Ringi. What is asked of a graph once GraphBuilder has made it.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/ActivationGraph.h"

#include "GraphBuilder.h"

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

bool ringi::storesSplatConstants(FunctionOpInterface function) {
  return function
      ->walk([](Operation *op) {
        return isa_and_nonnull<RingiDialect>(op->getDialect()) &&
                       !isa<RecomputeOp, BlockOp, NoGradOp, YieldOp, SaveOp,
                            LoadOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<ActivationGraph> ActivationGraph::build(FunctionOpInterface function,
                                                  const GraphOptions &options) {
  return GraphBuilder(function, options).run();
}

std::vector<StorageIndex> ActivationGraph::savedActivations() const {
  std::vector<bool> crosses(graph.storages.size(), false);
  for (const planner::Op &op : graph.ops)
    if (op.phase != Phase::Forward)
      for (StorageIndex s : op.inputs)
        if (OpIndex producer = graph.storages[s].producer;
            producer != kNone && graph.ops[producer].phase == Phase::Forward)
          crosses[s] = true;
  std::vector<StorageIndex> saved;
  for (StorageIndex s = 0; s < StorageIndex(crosses.size()); ++s)
    if (crosses[s] && values[s])
      saved.push_back(s);
  return saved;
}

int64_t ActivationGraph::savedActivationBytes() const {
  int64_t bytes = 0;
  for (StorageIndex s : savedActivations())
    bytes += graph.storages[s].bytes;
  return bytes;
}
