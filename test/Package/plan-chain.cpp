//===- plan-chain.cpp - A planner's user ------------------------*- C++ -*-===//
//
// Part of Ringi. Plans a chain with the installed planner and asks the
// installed runtime for its device: both static libraries bring what they link.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Generators.h"
#include "ringi/Planner/Strategies.h"
#include "ringi/Runtime/HostDevice.h"

#include <cstdio>

using namespace ringi;

static int fail(const Error &error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return error.exitCode();
}

int main() {
  planner::Problem chain = planner::makeChain(16);
  for (planner::Strategy strategy :
       {planner::Strategy::None, planner::Strategy::Sqrt}) {
    planner::StrategyOptions options;
    options.strategy = strategy;
    Expected<planner::Plan> plan = planner::planStrategy(chain, options);
    if (!plan)
      return fail(plan.error());
    std::printf("%s: peak %lld, %lld recomputes\n", toString(strategy),
                (long long)plan->claims.livePeak,
                (long long)plan->claims.recomputes);
  }

  runtime::HostOptions options;
  options.threads = 1;
  options.gemm = "ref";
  auto device = runtime::makeHostDevice(options);
  if (!device)
    return fail(device.error());
  auto arena = (*device)->makeArena(4096);
  if (!arena)
    return fail(arena.error());
  std::printf("arena: %lld bytes\n", (long long)(*arena)->bytes());
  return 0;
}
