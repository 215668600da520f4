//===- VerifyPlan.cpp - Fail on any drift from the plan -------------------===//
//
// Part of Ringi. Compares every claim in the attributes with what the
// verifier's own replay of the IR finds, and every clone with its origin.
//
//===----------------------------------------------------------------------===//

#include "ArenaReplay.h"
#include "StepReplay.h"

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Support/NumberText.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"

#include "mlir/IR/BuiltinOps.h"

#include <cmath>
#include <map>
#include <set>

namespace ringi {
#define GEN_PASS_DEF_VERIFYPLAN
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

class StepVerifier {
public:
  StepVerifier(FunctionOpInterface function, StepReplay &replay)
      : function(function), replay(replay) {}

  LogicalResult run() {
    if (failed(checkPlanApplied(function)))
      return failure();
    if (failed(checkClones()) || failed(checkMarks()))
      return failure();
    if (auto plan = function->getAttrOfType<DictionaryAttr>(attr::kPlan))
      if (failed(checkPlan(plan)))
        return failure();
    if (auto memory = function->getAttrOfType<DictionaryAttr>(attr::kMemory))
      return checkMemory(memory);
    return success();
  }

private:
  static std::optional<int64_t> integer(DictionaryAttr claims, StringRef name) {
    auto value = claims.getAs<IntegerAttr>(name);
    return value ? std::optional<int64_t>(value.getInt()) : std::nullopt;
  }

  LogicalResult drift(StringRef what, double claimed, double found) {
    return mlir::emitError(function->getLoc())
           << "'" << function.getName() << "' claims " << what << " of "
           << numberText(claimed) << " but its operations give "
           << numberText(found) << "; plan again after the last rewrite";
  }
  LogicalResult drift(StringRef what, int64_t claimed, int64_t found) {
    return mlir::emitError(function->getLoc())
           << "'" << function.getName() << "' claims " << what << " of "
           << claimed << " but its operations give " << found
           << "; plan again after the last rewrite";
  }

  LogicalResult checkPeak(DictionaryAttr claims) {
    std::optional<int64_t> alignment = integer(claims, "alignment");
    std::optional<int64_t> workspace = integer(claims, "gemm_workspace");
    std::optional<int64_t> claimed = integer(claims, "live_peak");
    if (!alignment || !workspace || !claimed)
      return mlir::emitError(function->getLoc())
             << "the claims of '" << function.getName()
             << "' lack alignment, gemm_workspace or live_peak; plan again";
    constexpr int64_t limit = int64_t(1) << 40;
    if (*alignment < 1 || *alignment > limit || *workspace < 0 ||
        *workspace > limit)
      return mlir::emitError(function->getLoc())
             << "the claims of '" << function.getName() << "' have alignment "
             << *alignment << " and gemm_workspace " << *workspace
             << ", but these begin at 1 and 0 and end at " << limit
             << "; plan again";
    int64_t found = replay.livePeak(*alignment, *workspace);
    if (found != *claimed)
      return drift("a live peak in bytes", *claimed, found);
    return success();
  }

  LogicalResult checkPlan(DictionaryAttr plan) {
    if (failed(checkPeak(plan)))
      return failure();
    int64_t clones = 0;
    double cloneFlops = 0, stepFlops = 0;
    for (const ReplayRun &run : replay.runs) {
      clones += run.replayed;
      (run.replayed ? cloneFlops : stepFlops) += run.flops;
    }
    if (std::optional<int64_t> claimed = integer(plan, "recomputes");
        claimed && *claimed != clones)
      return drift("a number of recomputes", *claimed, clones);
    // Sums in another order may differ in the last digits.
    auto differs = [](double a, double b) {
      return !(std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)));
    };
    if (std::optional<double> claimed = planNumber(plan, "recompute_flops");
        claimed && differs(*claimed, cloneFlops))
      return drift("recompute FLOPs", *claimed, cloneFlops);
    if (std::optional<double> claimed = planNumber(plan, "step_flops");
        claimed && differs(*claimed, stepFlops))
      return drift("FLOPs", *claimed, stepFlops);
    std::optional<int64_t> budget = integer(plan, "budget");
    std::optional<int64_t> peak = integer(plan, "live_peak");
    if (budget && *budget > 0 && *peak > *budget)
      return mlir::emitError(function->getLoc())
             << "'" << function.getName() << "' needs " << *peak
             << " bytes but its budget is " << *budget;
    return success();
  }

  LogicalResult checkMemory(DictionaryAttr memory) {
    if (failed(checkPeak(memory)))
      return failure();
    std::optional<int64_t> planned = integer(memory, "planned_peak");
    if (!planned)
      return mlir::emitError(function->getLoc())
             << "the memory of '" << function.getName()
             << "' lacks planned_peak; assign it again";
    return replayArena(function, replay, *integer(memory, "alignment"),
                       *integer(memory, "gemm_workspace"), *planned);
  }

  /// The storage whose first computation holds the same data.
  int dataOf(int storage) const {
    auto it = original.find(storage);
    return it == original.end() ? storage : it->second;
  }

  LogicalResult checkClones() {
    // No DenseMap: two of its keys are reserved, and ids are the user's.
    std::map<int64_t, const ReplayRun *> byId;
    for (const ReplayRun &run : replay.runs) {
      if (!run.replayed) {
        if (auto id = run.op->getAttrOfType<IntegerAttr>(attr::kId))
          byId[id.getInt()] = &run;
        continue;
      }
      auto id = run.op->getAttrOfType<IntegerAttr>(attr::kOrigin);
      auto found = id ? byId.find(id.getInt()) : byId.end();
      const ReplayRun *origin = found != byId.end() ? found->second : nullptr;
      if (!origin)
        return run.op->emitError()
               << "runs in a ringi.recompute region, but no operation before "
                  "it has the '"
               << attr::kId << "' that its '" << attr::kOrigin << "' names";
      if (!run.mayRepeat)
        return run.op->emitError() << "may not be executed again";
      if (failed(compare(run, *origin)))
        return failure();
      for (unsigned r = 0; r < run.op->getNumResults(); ++r)
        original[run.firstResult + int(r)] = origin->firstResult + int(r);
    }
    return success();
  }

  static SmallVector<NamedAttribute> ownAttributes(Operation *op) {
    SmallVector<NamedAttribute> own;
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      StringRef name = attribute.getName();
      if (!llvm::is_contained({attr::kId, attr::kOrigin, attr::kDecision,
                               attr::kPhase, attr::kMustKeep,
                               attr::kMustRecompute, attr::kOffsets,
                               attr::kWorkspaceOffset},
                              name))
        own.push_back(attribute);
    }
    return own;
  }

  LogicalResult compare(const ReplayRun &clone, const ReplayRun &origin) {
    auto refuse = [&](const Twine &what) {
      InFlightDiagnostic error = clone.op->emitError();
      error << "differs from the operation it repeats in " << what.str();
      error.attachNote(origin.op->getLoc()) << "the origin is here";
      return error;
    };
    if (clone.op->getName() != origin.op->getName())
      return refuse("its kind");
    if (clone.op->getResultTypes() != origin.op->getResultTypes())
      return refuse("its result types");
    if (ownAttributes(clone.op) != ownAttributes(origin.op) ||
        clone.op->getPropertiesAsAttribute() !=
            origin.op->getPropertiesAsAttribute())
      return refuse("its attributes");
    if (clone.reads.size() != origin.reads.size())
      return refuse("what it reads");
    for (auto [index, reads] :
         llvm::enumerate(llvm::zip(clone.reads, origin.reads))) {
      const auto &[own, given] = reads;
      if (dataOf(own.storage) != dataOf(given.storage) ||
          own.offset != given.offset || own.bytes != given.bytes)
        return refuse("the data of operand " + Twine(index));
    }
    return success();
  }

  LogicalResult checkMarks() {
    std::set<int64_t> repeated;
    for (const ReplayRun &run : replay.runs)
      if (run.replayed)
        repeated.insert(
            run.op->getAttrOfType<IntegerAttr>(attr::kOrigin).getInt());
    std::vector<const ReplayRun *> firstLaterReader(replay.storages.size(),
                                                    nullptr);
    for (const ReplayRun &run : replay.runs)
      if (run.phase != "forward")
        for (const ReplayRange &range : run.reads)
          if (!firstLaterReader[range.storage])
            firstLaterReader[range.storage] = &run;
    for (const ReplayRun &run : replay.runs) {
      if (run.replayed)
        continue;
      auto id = run.op->getAttrOfType<IntegerAttr>(attr::kId);
      if (run.op->hasAttr(attr::kMustKeep) && id &&
          repeated.contains(id.getInt()))
        return run.op->emitError()
               << "is marked '" << attr::kMustKeep << "' but runs again";
      Attribute mark = run.op->getAttr(attr::kMustRecompute);
      if (!mark || run.phase != "forward")
        continue;
      auto numbers = dyn_cast<DenseI64ArrayAttr>(mark);
      for (unsigned r = 0; r < run.op->getNumResults(); ++r) {
        if (numbers && !llvm::is_contained(numbers.asArrayRef(), int64_t(r)))
          continue;
        if (const ReplayRun *reader =
                firstLaterReader[run.firstResult + int(r)]) {
          InFlightDiagnostic error = run.op->emitError();
          error << "is marked '" << attr::kMustRecompute << "' but result " << r
                << " is kept";
          error.attachNote(reader->op->getLoc()) << "it is read here";
          return error;
        }
      }
    }
    return success();
  }

  FunctionOpInterface function;
  StepReplay &replay;
  DenseMap<int, int> original;
};

struct VerifyPlanPass : ringi::impl::VerifyPlanBase<VerifyPlanPass> {
  using VerifyPlanBase::VerifyPlanBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return signalPassFailure();
    for (FunctionOpInterface step : *functions) {
      if (!step->hasAttr(attr::kPlan) && !step->hasAttr(attr::kMemory))
        continue;
      FailureOr<std::shared_ptr<const OpTable>> table =
          opTableFor(step, opTable);
      if (failed(table))
        return signalPassFailure();
      FailureOr<StepReplay> replay = StepReplay::read(step, *table);
      if (failed(replay) || failed(StepVerifier(step, *replay).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
