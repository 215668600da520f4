//===- StackLevels.cpp - How much the loops of a step stack ---------------===//
//
// Part of Ringi. Fronts of the pairs, merged by their slopes.
//
//===----------------------------------------------------------------------===//

#include "StackLevels.h"

#include "InlineCalls.h"

#include "ringi/Analysis/AttributeNames.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

void ringi::warnOfRefused(const RefusedPair &pair) {
  mlir::emitWarning(pair.loop->getLoc())
      << "stacks rows that a later loop takes, but " << pair.reason
      << "; they stay as they are";
}

FailureOr<StackLevels> StackLevels::of(FunctionOpInterface step,
                                       const GraphOptions &options) {
  OpModel model(options.table);
  for (Operation *loop : findLoopsInRow(step, model))
    if (failed(inlineCalls(step, *CarriedLoop::get(loop, model)->body())))
      return failure();
  StackLevels result(step->getLoc());
  result.options = options;
  Level level;
  for (ResidualPair &pair : findResidualPairs(step, model, result.refusals)) {
    PairProblem problem(pair, model, options.alignment);
    Expected<std::vector<ResidualPoint>> front =
        residualFront(problem.problem());
    if (!front) {
      result.refusals.push_back({pair.forward.op(), front.error().message});
      front = std::vector<ResidualPoint>();
    }
    // Without replays nothing may be saved.
    int64_t now = problem.stackedBytes();
    if (result.fronts.empty())
      result.place = pair.forward.op()->getLoc();
    std::erase_if(
        *front, [&](const ResidualPoint &point) { return point.bytes >= now; });
    result.fronts.push_back(std::move(*front));
    result.bytesNow.push_back(now);
    level.bytes += now;
    level.choices.push_back(0);
  }
  result.levels.push_back(level);
  while (true) {
    size_t best = result.fronts.size();
    double bestSlope = 0;
    auto difference = [&](size_t p) {
      size_t choice = level.choices[p];
      const ResidualPoint &next = result.fronts[p][choice];
      const ResidualPoint *now =
          choice ? &result.fronts[p][choice - 1] : nullptr;
      return std::pair((now ? now->bytes : result.bytesNow[p]) - next.bytes,
                       next.flops - (now ? now->flops : 0));
    };
    for (size_t p = 0; p < result.fronts.size(); ++p) {
      if (level.choices[p] == result.fronts[p].size())
        continue;
      auto [bytes, flops] = difference(p);
      double slope = flops / double(bytes);
      if (best == result.fronts.size() || slope < bestSlope) {
        best = p;
        bestSlope = slope;
      }
    }
    if (best == result.fronts.size())
      return result;
    auto [bytes, flops] = difference(best);
    level.bytes -= bytes;
    level.flops += flops;
    ++level.choices[best];
    result.levels.push_back(level);
  }
}

void StackLevels::apply(FunctionOpInterface step, size_t number) const {
  if (number == 0)
    return;
  OpModel model(options.table);
  std::vector<RefusedPair> ignored;
  std::vector<ResidualPair> pairs = findResidualPairs(step, model, ignored);
  for (auto [index, pair] : llvm::enumerate(pairs)) {
    size_t choice = levels[number].choices[index];
    if (choice == 0)
      continue;
    const ResidualPoint &point = fronts[index][choice - 1];
    int64_t trips = pair.forwardTrace.trips();
    {
      PairProblem problem(pair, model, options.alignment);
      SmallVector<Value> stored;
      for (int32_t value : point.stored)
        stored.push_back(problem.value(value));
      rewriteResidualPair(pair, problem, model, stored);
    }
    Builder builder(step->getContext());
    pair.backward.op()->setAttr(
        attr::kStacks,
        builder.getDictionaryAttr(
            {builder.getNamedAttr("trips", builder.getI64IntegerAttr(trips)),
             builder.getNamedAttr("bytes_before",
                                  builder.getI64IntegerAttr(bytesNow[index])),
             builder.getNamedAttr("bytes",
                                  builder.getI64IntegerAttr(point.bytes)),
             builder.getNamedAttr("replay_flops",
                                  builder.getF64FloatAttr(point.flops))}));
  }
}
