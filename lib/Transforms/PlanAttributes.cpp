//===- PlanAttributes.cpp - A plan written into the IR --------------------===//
//
// Part of Ringi. Encodes and decodes plans as discardable attributes.
//
//===----------------------------------------------------------------------===//

#include "ringi/Transforms/PlanAttributes.h"

#include "ringi/Analysis/AttributeNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

void ringi::readLatest(const Problem &problem, Plan &plan) {
  std::vector<ExecutionIndex> latest(problem.ops.size(), kNone);
  for (ExecutionIndex e = 0; e < ExecutionIndex(plan.schedule.size()); ++e) {
    planner::Execution &execution = plan.schedule[e];
    const planner::Op &op = problem.ops[execution.op];
    execution.reads.resize(op.inputs.size());
    for (auto [read, input] : llvm::zip(execution.reads, op.inputs)) {
      OpIndex producer = problem.storages[input].producer;
      read = producer == kNone ? kNone : latest[producer];
    }
    latest[execution.op] = e;
  }
  plan.outputs.clear();
  for (StorageIndex s : outputStorages(problem))
    plan.outputs.push_back(latest[problem.storages[s].producer]);
}

/// Why a forward result crosses to the rest of the step or not, per storage;
/// the planner's reason where it gave one.
static std::vector<std::string> decisionTexts(const Problem &problem,
                                              const Plan &plan) {
  std::vector<std::string> texts(problem.storages.size());
  std::vector<bool> first(problem.ops.size(), true);
  std::vector<bool> isOrigin(plan.schedule.size());
  for (auto [index, execution] : llvm::enumerate(plan.schedule)) {
    isOrigin[index] = first[execution.op];
    first[execution.op] = false;
  }
  std::vector<bool> kept(problem.storages.size()), needed(kept);
  for (const planner::Execution &execution : plan.schedule) {
    const planner::Op &op = problem.ops[execution.op];
    for (auto [read, input] : llvm::zip(execution.reads, op.inputs)) {
      OpIndex producer = problem.storages[input].producer;
      if (producer == kNone || problem.ops[producer].phase != Phase::Forward)
        continue;
      if (op.phase != Phase::Forward)
        needed[input] = true;
      bool byLater = op.phase != Phase::Forward ||
                     !isOrigin[&execution - plan.schedule.data()];
      if (byLater && isOrigin[read])
        kept[input] = true;
    }
  }
  for (StorageIndex s = 0; s < StorageIndex(texts.size()); ++s)
    if (kept[s])
      texts[s] = "keep";
    else if (needed[s])
      texts[s] = "recompute";
  for (const Decision &decision : plan.decisions)
    if (decision.storage >= 0 &&
        decision.storage < StorageIndex(texts.size()) &&
        !texts[decision.storage].empty() && !decision.reason.empty())
      texts[decision.storage] += ": " + decision.reason;
  return texts;
}

/// FLOPs are whole numbers as a rule, and large ones print as hexadecimal bits
/// when they are an f64.
static Attribute encodeFlops(double flops, Builder &builder) {
  constexpr double exact = int64_t(1) << 53;
  if (flops >= 0 && flops <= exact && flops == std::floor(flops))
    return builder.getI64IntegerAttr(int64_t(flops));
  return builder.getF64FloatAttr(flops);
}

static DictionaryAttr encode(const PlanSummary &summary, Builder &builder) {
  SmallVector<NamedAttribute> entries;
  auto add = [&](StringRef name, Attribute value) {
    entries.push_back(builder.getNamedAttr(name, value));
  };
  add("strategy", builder.getStringAttr(summary.strategy));
  if (summary.budget)
    add("budget", builder.getI64IntegerAttr(summary.budget));
  add("alignment", builder.getI64IntegerAttr(summary.alignment));
  add("gemm_workspace", builder.getI64IntegerAttr(summary.gemmWorkspace));
  add("live_peak", builder.getI64IntegerAttr(summary.livePeak));
  add("keep_all_peak", builder.getI64IntegerAttr(summary.keepAllPeak));
  add("recomputes", builder.getI64IntegerAttr(summary.recomputes));
  add("recompute_flops", encodeFlops(summary.recomputeFlops, builder));
  add("step_flops", encodeFlops(summary.stepFlops, builder));
  add("cost_percent", builder.getF64FloatAttr(summary.costPercent));
  if (!summary.boundClass.empty()) {
    add("bound_percent", builder.getF64FloatAttr(summary.boundPercent));
    add("bound_class", builder.getStringAttr(summary.boundClass));
  }
  if (!summary.opTable.empty())
    add("op_table", builder.getStringAttr(summary.opTable));
  return builder.getDictionaryAttr(entries);
}

void ringi::erasePlan(FunctionOpInterface function) {
  function->removeAttr(attr::kPlan);
  function->walk([](Operation *op) {
    for (StringRef name :
         {attr::kId, attr::kReplay, attr::kPosition, attr::kDecision})
      op->removeAttr(name);
  });
}

void ringi::writePlan(const ActivationGraph &graph, const Plan &plan,
                      const PlanSummary &summary) {
  const Problem &problem = graph.problem();
  FunctionOpInterface function = graph.function();
  erasePlan(function);
  Builder builder(function->getContext());
  function->setAttr(attr::kPlan, encode(summary, builder));

  std::vector<bool> done(problem.ops.size(), false);
  std::vector<int64_t> position(problem.ops.size());
  std::vector<int64_t> ids(problem.ops.size(), -1);
  int64_t places = 0;
  bool sameOrder = true;
  for (const planner::Execution &execution : plan.schedule) {
    if (done[execution.op]) {
      ids[execution.op] = 0;
      continue;
    }
    done[execution.op] = true;
    sameOrder &= execution.op == places;
    position[execution.op] = places++;
  }
  int64_t nextId = 0;
  for (auto [op, id] : llvm::enumerate(ids))
    if (id == 0) {
      id = nextId++;
      graph.operation(OpIndex(op))
          ->setAttr(attr::kId, builder.getI64IntegerAttr(id));
    }
  if (!sameOrder)
    for (auto [op, place] : llvm::enumerate(position))
      graph.operation(OpIndex(op))
          ->setAttr(attr::kPosition, builder.getI64IntegerAttr(place));

  done.assign(problem.ops.size(), false);
  SmallVector<int64_t> replay;
  auto writeReplay = [&](Operation *host) {
    if (!replay.empty())
      host->setAttr(attr::kReplay, builder.getDenseI64ArrayAttr(replay));
    replay.clear();
  };
  for (const planner::Execution &execution : plan.schedule) {
    if (done[execution.op]) {
      replay.push_back(ids[execution.op]);
      continue;
    }
    done[execution.op] = true;
    writeReplay(graph.operation(execution.op));
  }
  writeReplay(function.getFunctionBody().front().getTerminator());

  std::vector<std::string> texts = decisionTexts(problem, plan);
  for (auto [index, op] : llvm::enumerate(problem.ops)) {
    SmallVector<StringRef> perResult;
    bool any = false;
    for (StorageIndex s : op.outputs) {
      if (!graph.value(s))
        continue;
      perResult.push_back(texts[s]);
      any |= !texts[s].empty();
    }
    if (any)
      graph.operation(OpIndex(index))
          ->setAttr(attr::kDecision, builder.getStrArrayAttr(perResult));
  }
}

/// First executions in their order: by position when the ops have one.
static FailureOr<std::vector<OpIndex>> readOrder(const ActivationGraph &graph) {
  size_t count = graph.problem().ops.size();
  std::vector<OpIndex> order(count, kNone);
  size_t positioned = 0;
  for (OpIndex v = 0; v < OpIndex(count); ++v) {
    auto position =
        graph.operation(v)->getAttrOfType<IntegerAttr>(attr::kPosition);
    if (!position)
      continue;
    ++positioned;
    int64_t place = position.getInt();
    if (place < 0 || place >= int64_t(count) || order[place] != kNone)
      return graph.operation(v)->emitError()
             << "'" << attr::kPosition << "' is " << place
             << ", which is taken or not below the " << count
             << " operations of the step";
    order[place] = v;
  }
  if (positioned == 0)
    std::iota(order.begin(), order.end(), 0);
  else if (positioned != count)
    return mlir::emitError(graph.function()->getLoc())
           << positioned << " of " << count << " operations have '"
           << attr::kPosition << "'; give it to all or to none";
  return order;
}

FailureOr<Plan> ringi::readPlan(const ActivationGraph &graph) {
  const Problem &problem = graph.problem();
  FailureOr<std::vector<OpIndex>> order = readOrder(graph);
  if (failed(order))
    return failure();
  // No DenseMap: two of its keys are reserved, and ids are the user's.
  std::map<int64_t, OpIndex> byId;
  for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
    if (auto id = graph.operation(v)->getAttrOfType<IntegerAttr>(attr::kId))
      if (!byId.try_emplace(id.getInt(), v).second)
        return graph.operation(v)->emitError()
               << "'" << attr::kId << "' is " << id.getInt()
               << ", which another operation has";

  Plan plan;
  std::vector<bool> done(problem.ops.size(), false);
  auto addReplay = [&](Operation *host) -> LogicalResult {
    Attribute given = host->getAttr(attr::kReplay);
    if (!given)
      return success();
    auto ids = dyn_cast<DenseI64ArrayAttr>(given);
    if (!ids)
      return host->emitError()
             << "'" << attr::kReplay << "' must be an array<i64> of ids";
    for (int64_t id : ids.asArrayRef()) {
      auto origin = byId.find(id);
      if (origin == byId.end())
        return host->emitError() << "'" << attr::kReplay << "' names id " << id
                                 << ", which no operation has";
      if (!done[origin->second])
        return host->emitError()
               << "'" << attr::kReplay << "' names '"
               << problem.ops[origin->second].name
               << "', which has not run yet; replay it after its first run";
      if (!problem.ops[origin->second].recomputable)
        return host->emitError() << "'" << attr::kReplay << "' names '"
                                 << problem.ops[origin->second].name
                                 << "', which may not be executed again";
      plan.schedule.push_back({origin->second, {}});
    }
    return success();
  };
  for (OpIndex v : *order) {
    if (failed(addReplay(graph.operation(v))))
      return failure();
    for (StorageIndex s : problem.ops[v].inputs)
      if (OpIndex producer = problem.storages[s].producer;
          producer != kNone && !done[producer])
        return graph.operation(v)->emitError()
               << "'" << attr::kPosition << "' runs it before '"
               << problem.ops[producer].name << "', whose result it reads";
    plan.schedule.push_back({v, {}});
    done[v] = true;
  }
  FunctionOpInterface function = graph.function();
  if (failed(addReplay(function.getFunctionBody().front().getTerminator())))
    return failure();
  readLatest(problem, plan);
  return plan;
}

std::optional<double> ringi::planNumber(DictionaryAttr plan, StringRef name) {
  if (auto whole = plan.getAs<IntegerAttr>(name))
    return whole.getValue().signedRoundToDouble();
  if (auto real = plan.getAs<FloatAttr>(name))
    return real.getValueAsDouble();
  return std::nullopt;
}

FailureOr<std::optional<PlanSummary>>
ringi::readSummary(FunctionOpInterface function) {
  Attribute given = function->getAttr(attr::kPlan);
  if (!given)
    return std::optional<PlanSummary>();
  auto entries = dyn_cast<DictionaryAttr>(given);
  PlanSummary summary;
  bool complete = bool(entries);
  auto text = [&](StringRef name, std::string &to) {
    if (auto value = entries.getAs<StringAttr>(name))
      to = value.str();
  };
  auto integer = [&](StringRef name, int64_t &to, bool needed = true) {
    if (auto value = entries.getAs<IntegerAttr>(name))
      to = value.getInt();
    else
      complete &= !needed;
  };
  auto real = [&](StringRef name, double &to) {
    to = planNumber(entries, name).value_or(to);
  };
  if (entries) {
    text("strategy", summary.strategy);
    integer("budget", summary.budget, false);
    integer("alignment", summary.alignment);
    integer("gemm_workspace", summary.gemmWorkspace);
    integer("live_peak", summary.livePeak);
    integer("keep_all_peak", summary.keepAllPeak);
    integer("recomputes", summary.recomputes);
    real("recompute_flops", summary.recomputeFlops);
    real("step_flops", summary.stepFlops);
    real("cost_percent", summary.costPercent);
    real("bound_percent", summary.boundPercent);
    text("bound_class", summary.boundClass);
    text("op_table", summary.opTable);
    complete &= summary.alignment > 0 && summary.gemmWorkspace >= 0;
  }
  if (!complete)
    return mlir::emitError(function->getLoc())
           << "'" << attr::kPlan
           << "' is not what --ringi-plan-checkpoints writes; plan again";
  return std::optional<PlanSummary>(summary);
}

FailureOr<std::shared_ptr<const OpTable>>
ringi::opTableFor(FunctionOpInterface function, StringRef option) {
  std::string name = option.str();
  if (name.empty())
    if (auto plan = function->getAttrOfType<DictionaryAttr>(attr::kPlan))
      if (auto planned = plan.getAs<StringAttr>("op_table"))
        name = planned.str();
  Expected<std::shared_ptr<const OpTable>> table = resolveOpTable(name);
  if (!table)
    return mlir::emitError(function->getLoc()) << table.error().message;
  return *table;
}

LogicalResult ringi::checkPlanApplied(FunctionOpInterface function) {
  auto isPending = [](Operation *op) {
    return op->hasAttr(attr::kReplay) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  };
  if (!function->walk(isPending).wasInterrupted())
    return success();
  return mlir::emitError(function->getLoc())
         << "'" << function.getName()
         << "' has a plan that is not carried out; run --ringi-apply-plan "
            "first";
}

void ringi::eraseAssignment(FunctionOpInterface function) {
  function->removeAttr(attr::kMemory);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, attr::kOffset);
  function->walk([](Operation *op) {
    op->removeAttr(attr::kOffsets);
    op->removeAttr(attr::kWorkspaceOffset);
  });
}

FailureOr<GraphOptions> ringi::graphOptionsFor(FunctionOpInterface function,
                                               int64_t alignment,
                                               int64_t gemmWorkspace,
                                               StringRef opTable) {
  GraphOptions options;
  FailureOr<std::shared_ptr<const OpTable>> table =
      opTableFor(function, opTable);
  if (failed(table))
    return failure();
  options.table = *table;
  FailureOr<std::optional<PlanSummary>> summary = readSummary(function);
  if (failed(summary))
    return failure();
  if (*summary) {
    options.alignment = (*summary)->alignment;
    options.gemmWorkspace = (*summary)->gemmWorkspace;
  }
  if (auto memory = function->getAttrOfType<DictionaryAttr>(attr::kMemory)) {
    if (auto value = memory.getAs<IntegerAttr>("alignment"))
      options.alignment = value.getInt();
    if (auto value = memory.getAs<IntegerAttr>("gemm_workspace"))
      options.gemmWorkspace = value.getInt();
  }
  if (alignment != 0)
    options.alignment = alignment;
  if (gemmWorkspace != -1)
    options.gemmWorkspace = gemmWorkspace;
  constexpr int64_t limit = int64_t(1) << 40;
  if (options.alignment < 1 || options.gemmWorkspace < 0 ||
      options.alignment > limit || options.gemmWorkspace > limit)
    return mlir::emitError(function->getLoc())
           << "alignment " << options.alignment << " and gemm-workspace "
           << options.gemmWorkspace << " must be at least 1 and 0, and at most "
           << limit << "; correct the options";
  return options;
}
