//===- PlanCheckpoints.cpp - Decide what to keep, as attributes -----------===//
//
// Part of Ringi. Makes the planner's problem of each training step, asks for a
// plan under the named strategy and writes it into the IR.
//
//===----------------------------------------------------------------------===//

#include "InlineCalls.h"
#include "LoopLevelChoice.h"
#include "StackLevels.h"
#include "StepPreparation.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Analysis/BlockMarking.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Planner/GraphJson.h"
#include "ringi/Planner/Simulator.h"
#include "ringi/Planner/Strategies.h"
#include "ringi/Planner/UnreadRuns.h"
#include "ringi/Support/ExitCode.h"
#include "ringi/Support/NumberText.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"
#include "ringi/Transforms/PlanReport.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace ringi {
#define GEN_PASS_DEF_PLANCHECKPOINTS
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

struct PlanCheckpointsPass
    : ringi::impl::PlanCheckpointsBase<PlanCheckpointsPass> {
  using PlanCheckpointsBase::PlanCheckpointsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    planned = exported = false;
    if (failed(readOptions(module)))
      return signalPassFailure();
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(module, function);
    if (failed(functions))
      return signalPassFailure();
    llvm::json::Array reports;
    for (FunctionOpInterface step : *functions)
      if (failed(planFunction(step, reports)))
        return signalPassFailure();
    if (!planned && settings.strategy == Strategy::MemoryBudget) {
      mlir::emitError(module.getLoc())
          << "no function is a step with a backward part, so budget=" << budget
          << " cannot be honoured; " << kMakeStep;
      return signalPassFailure();
    }
    if (report.empty())
      return;
    if (failed(writeReport(module, report, reports)))
      signalPassFailure();
  }

private:
  LogicalResult readOptions(ModuleOp module) {
    Expected<Strategy> parsed = parseStrategy(strategy);
    if (!parsed)
      return mlir::emitError(module.getLoc()) << parsed.error().message;
    settings.strategy = *parsed;
    if (keep != "gemm" && keep != "weight-gemm")
      return mlir::emitError(module.getLoc())
             << "keep=" << keep << " is not known; use gemm or weight-gemm";
    settings.keep =
        keep == "gemm" ? SelectiveKeep::Gemm : SelectiveKeep::WeightGemm;
    if (order != "fixed" && order != "free")
      return mlir::emitError(module.getLoc())
             << "order=" << order << " is not known; use fixed or free";
    settings.order = order == "fixed" ? Order::Fixed : Order::Free;
    if (cost != "flops" && cost != "time")
      return mlir::emitError(module.getLoc())
             << "cost=" << cost << " is not known; use flops or time";
    if (segments < 0 || !(effort >= 0 && effort <= 1e6))
      return mlir::emitError(module.getLoc())
             << "segments=" << int64_t(segments)
             << " and effort=" << numberText(effort)
             << " must not be negative, and effort at most 1e6";
    if (settings.strategy == Strategy::MemoryBudget && budget.empty())
      return mlir::emitError(module.getLoc())
             << "strategy memory-budget needs a budget; give budget=<bytes>, a "
                "percentage or auto";
    if (failed(
            checkOwner(module, "budget", budget, "", Strategy::MemoryBudget)) ||
        failed(checkOwner(module, "keep", keep, "gemm", Strategy::Selective)) ||
        failed(checkOwner(module, "segments", std::to_string(segments), "0",
                          Strategy::Sqrt)) ||
        failed(checkOwner(module, "order", order, "fixed",
                          Strategy::MemoryBudget)))
      return failure();
    // Also where no function turns out to be a step.
    if (!opTable.empty())
      if (auto table = resolveOpTable(opTable); !table)
        return mlir::emitError(module.getLoc()) << table.error().message;
    settings.segments = segments;
    settings.effort = effort;
    settings.seed = seed;
    return success();
  }

  /// An option that the strategy does not read is refused, not ignored.
  LogicalResult checkOwner(ModuleOp module, StringRef name, StringRef value,
                           StringRef unset, Strategy owner) {
    if (value == unset || settings.strategy == owner)
      return success();
    return mlir::emitError(module.getLoc())
           << name << "=" << value << " is for strategy " << toString(owner)
           << ", but the strategy is " << toString(settings.strategy)
           << "; remove one of the two";
  }

  LogicalResult refuse(FunctionOpInterface step, const Error &error) {
    if (error.kind == Error::Kind::Refused)
      notePlanRefused();
    return mlir::emitError(step->getLoc()) << error.message;
  }

  static constexpr StringLiteral kMakeStep =
      "make a step with --ringi-build-step, or write ringi.phase on the "
      "operations of one";

  /// A forward function stays byte for byte; one that was asked for by name is
  /// an error.
  LogicalResult skip(FunctionOpInterface forward) {
    if (function.empty())
      return success();
    return mlir::emitError(forward->getLoc())
           << "'" << forward.getName() << "' has no backward part to plan; "
           << kMakeStep;
  }

  LogicalResult planFunction(FunctionOpInterface step,
                             llvm::json::Array &reports) {
    if (isPartOfStep(step) || (function.empty() && !mayBeStep(step)))
      return success();
    FailureOr<GraphOptions> options =
        graphOptionsFor(step, alignment, gemmWorkspace, opTable);
    if (failed(options))
      return failure();
    Expected<DeviceSpec> spec = findDevice(step, device);
    if (!spec)
      return mlir::emitError(step->getLoc()) << spec.error().message;
    options->device = *spec;
    options->cost = cost == "time" ? CostKind::Time : CostKind::Flops;

    FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
    if (failed(graph))
      return failure();
    if (!hasBackward(graph->problem()))
      return skip(step);
    if (graph->hasClones() || hasRecompute(step))
      return mlir::emitError(step->getLoc())
             << "'" << step.getName()
             << "' already holds ringi.recompute regions; plan the step as it "
                "was before --ringi-apply-plan";
    if (graph->knowsNoOp())
      return mlir::emitError(step->getLoc())
             << "no operation in '" << step.getName()
             << "' implements RecomputeOpInterface; are the external models "
                "registered, or does an op table know them?";
    bool changes = simplify || hasGroups(step) || hasCalls(step);
    flattenGroups(step.getFunctionBody().front());
    if (failed(inlineCalls(step)) || (simplify && failed(simplifyStep(step))))
      return failure();
    if (changes) {
      graph = ActivationGraph::build(step, *options);
      if (failed(graph))
        return failure();
      // What looked like a backward part may have been folded away.
      if (!hasBackward(graph->problem()))
        return skip(step);
    }
    planned = true;
    if (!blocks.empty()) {
      if (failed(markBlocks(*graph, blocks)))
        return failure();
      graph = ActivationGraph::build(step, *options);
      if (failed(graph))
        return failure();
    }
    eraseAssignment(step);
    if (!graph->phasesGiven())
      writePhases(*graph);
    return planLoopsAndGraph(*graph, *spec, reports);
  }

  /// What loops stack is decided first: at each level the step around them is
  /// planned, and the cheapest sum fits the budget.
  LogicalResult planLoopsAndGraph(ActivationGraph &graph,
                                  const DeviceSpec &spec,
                                  llvm::json::Array &reports) {
    FunctionOpInterface step = graph.function();
    Expected<Timeline> keepAll =
        simulate(graph.problem(), makeKeepAllPlan(graph.problem()));
    if (!keepAll)
      return mlir::emitError(step->getLoc()) << keepAll.error().message;
    StrategyOptions ask = settings;
    if (!budget.empty()) {
      Expected<int64_t> bytes =
          parseBudget(std::string(budget), keepAll->livePeak, spec.memory);
      if (!bytes)
        return refuse(step, bytes.error());
      ask.budget = *bytes;
    }
    if (ask.strategy != Strategy::MemoryBudget ||
        keepAll->livePeak <= ask.budget)
      return planGraph(graph, ask, keepAll->livePeak, reports);
    FailureOr<StackLevels> levels = StackLevels::of(step, graph.options());
    if (failed(levels))
      return failure();
    for (const RefusedPair &pair : levels->refused())
      warnOfRefused(pair);
    // Looking for levels has inlined calls.
    if (levels->size() > 1) {
      FailureOr<size_t> level =
          chooseStackLevel(step, *levels, graph.options(), ask);
      if (failed(level))
        return failure();
      levels->apply(step, *level);
    }
    FailureOr<ActivationGraph> rewritten =
        ActivationGraph::build(step, graph.options());
    if (failed(rewritten))
      return failure();
    return planGraph(*rewritten, ask, keepAll->livePeak, reports);
  }

  /// What stock passes would fold, move or merge after planning they do now, or
  /// the planned peak would not outlive them.
  LogicalResult simplifyStep(FunctionOpInterface step) {
    OpPassManager stock(step->getName());
    // Canonicalization drops the attributes of what it replaces.
    if (!hasMarks(step))
      stock.addPass(createCanonicalizerPass());
    stock.addPass(createLoopInvariantCodeMotionPass());
    stock.addPass(createCSEPass());
    // Each may find more to do after the other; far fewer rounds are usual.
    for (int round = 0; round < kSimplifyRounds; ++round) {
      OperationFingerPrint before(step);
      if (failed(runPipeline(stock, step)))
        return failure();
      if (before == OperationFingerPrint(step))
        break;
    }
    return success();
  }
  static constexpr int kSimplifyRounds = 8;

  /// The inferred phases hold for the passes that follow.
  static void writePhases(const ActivationGraph &graph) {
    Builder builder(graph.function()->getContext());
    for (auto [index, op] : llvm::enumerate(graph.problem().ops))
      graph.operation(OpIndex(index))
          ->setAttr(attr::kPhase, builder.getStringAttr(toString(op.phase)));
  }

  static bool hasBackward(const Problem &problem) {
    return llvm::any_of(problem.ops, [](const planner::Op &op) {
      return op.phase == Phase::Backward;
    });
  }
  /// Names need not be unique in IR, but in a graph file they are.
  LogicalResult exportGraph(FunctionOpInterface step, Problem problem) {
    if (graphFile.empty())
      return success();
    if (std::exchange(exported, true))
      return mlir::emitError(step->getLoc())
             << "graph=" << graphFile
             << " holds the graph of one function, but '" << step.getName()
             << "' is the second; name one with function=";
    makeNamesUnique(problem);
    Expected<std::string> text = writeGraphJson(problem);
    if (!text)
      return mlir::emitError(step->getLoc()) << text.error().message;
    return writeFile(step, graphFile, *text);
  }

  /// \param keepAllPeak of the step as it was given.
  LogicalResult planGraph(const ActivationGraph &graph,
                          const StrategyOptions &ask, int64_t keepAllPeak,
                          llvm::json::Array &reports) {
    const Problem &problem = graph.problem();
    FunctionOpInterface step = graph.function();
    Expected<Timeline> keepAll = simulate(problem, makeKeepAllPlan(problem));
    if (!keepAll)
      return mlir::emitError(step->getLoc()) << keepAll.error().message;
    if (failed(exportGraph(step, problem)))
      return failure();
    Expected<Plan> plan = planStrategy(problem, ask);
    if (!plan)
      return refuse(step, plan.error());

    readLatest(problem, *plan);
    // Stock passes would erase a dead op from the planned IR.
    dropUnreadRuns(problem, *plan, Order::Free);
    Expected<Timeline> timeline = simulate(problem, *plan);
    if (!timeline)
      return mlir::emitError(step->getLoc()) << timeline.error().message;
    PlanSummary summary = summarize(graph, *plan, *timeline);
    summary.keepAllPeak = keepAllPeak;
    writePlan(graph, *plan, summary);
    // A budget that keeping everything meets has nothing to save.
    if (settings.strategy != Strategy::None &&
        settings.strategy != Strategy::MemoryBudget &&
        summary.recomputes == 0 && timeline->livePeak >= keepAllPeak)
      mlir::emitWarning(step->getLoc())
          << "strategy " << summary.strategy << " saves 0 of " << keepAllPeak
          << " bytes in '" << step.getName() << "'; nothing is recomputed";
    if (!report.empty())
      reports.push_back(toJson(graph, summary));
    return success();
  }

  PlanSummary summarize(const ActivationGraph &graph, const Plan &plan,
                        const Timeline &timeline) {
    const Problem &problem = graph.problem();
    PlanSummary summary;
    summary.strategy = toString(settings.strategy);
    summary.budget = plan.budget;
    summary.alignment = graph.options().alignment;
    summary.gemmWorkspace = graph.options().gemmWorkspace;
    if (graph.options().table)
      summary.opTable = graph.options().table->name();
    summary.livePeak = timeline.livePeak;
    double recomputeCost = 0;
    std::vector<bool> done(problem.ops.size(), false);
    for (const planner::Execution &execution : plan.schedule) {
      const planner::Op &op = problem.ops[execution.op];
      if (done[execution.op]) {
        ++summary.recomputes;
        summary.recomputeFlops += op.flops;
        recomputeCost += op.cost;
      } else {
        summary.stepFlops += op.flops;
      }
      done[execution.op] = true;
    }
    if (double total = problem.totalCost(); total > 0) {
      summary.costPercent = 100 * recomputeCost / total;
      // A moved op may cost less than any plan in the given order.
      summary.boundPercent =
          std::min(100 * plan.claims.lowerBound / total, summary.costPercent);
    }
    if (plan.claims.boundClass != BoundClass::None)
      summary.boundClass = toString(plan.claims.boundClass);
    return summary;
  }

  StrategyOptions settings;
  /// Whether a function of the module was a step, and whether one's graph was
  /// written.
  bool planned = false, exported = false;
};

} // namespace
