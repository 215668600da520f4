//===- PlanApplier.h - A plan carried out in the IR -------------*- C++ -*-===//
//
// Part of Ringi. Original ops stay, or move when the order changes; each run of
// clones becomes a ringi.recompute region right before the op that needs it.
// PlanApplier.cpp walks the schedule and points operands at the computation
// that the plan says, PlanApplierRegions.cpp makes the regions.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_PLANAPPLIER_H
#define RINGI_LIB_TRANSFORMS_PLANAPPLIER_H

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace ringi {

/// What an op reads: its operands, then what its regions capture.
mlir::SmallVector<mlir::Value> readValues(mlir::Operation *op);

class PlanApplier {
public:
  PlanApplier(const ActivationGraph &graph, const planner::Plan &plan)
      : graph(graph), problem(graph.problem()), plan(plan),
        body(mlir::FunctionOpInterface(graph.function())
                 .getFunctionBody()
                 .front()),
        builder(body.getTerminator()) {}

  void run();

private:
  // The schedule.
  /// Numbers the runs of clones. One region never holds an op twice: stock CSE
  /// would merge the two.
  void findGroups();
  /// Moves the ops into the order of their first executions; views and
  /// constants go along with their first reader.
  void reorder();
  void pointOperands(mlir::Operation *op,
                     mlir::ArrayRef<planner::ExecutionIndex> reads,
                     planner::OpIndex index);
  void pointOutputs();
  planner::ExecutionIndex readOf(const planner::Execution &execution,
                                 mlir::Value value);
  void eraseDeadViews();
  void finishAttributes();

  // Regions of clones.
  /// `value` as it hangs on `base`, made again on `newBase`. Views are made
  /// where the builder stands, once per computation.
  mlir::Value viewOf(mlir::Value value, mlir::Value base, mlir::Value newBase);
  mlir::Value baseOf(mlir::Value value);
  /// The computation that a read names: null for the original one.
  mlir::Value cloneRead(mlir::Value value,
                        mlir::ArrayRef<planner::ExecutionIndex> reads,
                        planner::OpIndex op);
  /// A forward value as the backward part reads it: through save and load where
  /// the function has them.
  mlir::Value crossing(mlir::Value value, mlir::Operation *reader);
  static mlir::StringRef phaseOf(mlir::Operation *op);
  /// What the clones of a region read from outside.
  struct OutsideReads {
    /// In order of first use; views of what another region computed are made
    /// outside.
    llvm::SetVector<mlir::Value> inputs;
    /// By the execution that is read and the value as the original reads it.
    mlir::DenseMap<std::pair<planner::ExecutionIndex, mlir::Value>, mlir::Value>
        live;
  };
  OutsideReads readOutside(planner::ExecutionIndex begin,
                           planner::ExecutionIndex end);
  void cloneInto(mlir::Block &inner, planner::ExecutionIndex begin,
                 planner::ExecutionIndex end, const OutsideReads &outside);
  void makeRegion(planner::ExecutionIndex begin, planner::ExecutionIndex end);
  bool isMade(mlir::Value value) const;
  /// A destination or splat of the region's own: one from outside would tie
  /// the lifetimes of clone and origin together.
  mlir::Value makeHere(mlir::Value value,
                       mlir::DenseMap<mlir::Value, mlir::Value> &made);
  mlir::Operation *cloneOp(mlir::Operation *origin, mlir::IRMapping &mapping);

  const ActivationGraph &graph;
  const planner::Problem &problem;
  const planner::Plan &plan;
  mlir::Block &body;
  mlir::OpBuilder builder;
  /// Per execution its region's number, kNone for an original op; the original
  /// op that follows; the results that are read outside the region.
  std::vector<int32_t> group;
  std::vector<mlir::Operation *> host;
  std::vector<llvm::SmallDenseSet<planner::StorageIndex, 2>> leaves;
  /// Per op what it read before anything was rewritten.
  std::vector<mlir::SmallVector<mlir::Value>> originalReads;
  /// What clones compute: inside their region while it is made, then its
  /// results.
  mlir::DenseMap<std::pair<planner::ExecutionIndex, planner::StorageIndex>,
                 mlir::Value>
      copies;
  mlir::DenseMap<std::pair<mlir::Value, mlir::Operation *>, mlir::Operation *>
      views;
  mlir::DenseMap<mlir::Value, SaveOp> saves;
  mlir::DenseMap<mlir::Value, mlir::Value> loads;
  bool usesSaves = false;
};

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_PLANAPPLIER_H
