//===- ActivationGraph.h - A function as a planning problem -----*- C++ -*-===//
//
// Part of Ringi. Reads a training step through op interfaces and makes the
// planner's Problem of it: views folded to storages, bytes, costs, phases,
// blocks and the user's marks, with the way back from each op and storage to
// the IR. docs/memory-model.md defines the terms.
//
// ringi.recompute regions are walked into, so a planned function is read in the
// order in which it will run; a clone is an op of its own here and knows its
// origin.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_ANALYSIS_ACTIVATIONGRAPH_H
#define RINGI_ANALYSIS_ACTIVATIONGRAPH_H

#include "ringi/Analysis/CostModel.h"
#include "ringi/Analysis/OpModel.h"
#include "ringi/Planner/Problem.h"
#include "ringi/Planner/Simulator.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace ringi {

struct GraphOptions {
  /// Bytes of a storage and of a workspace are rounded up to a multiple.
  int64_t alignment = 256;
  /// Scratch bytes granted to each GEMM beside its own workspace (a library
  /// workspace on a device).
  int64_t gemmWorkspace = 0;
  /// What Op::cost counts.
  CostKind cost = CostKind::Flops;
  /// Required for CostKind::Time.
  std::optional<DeviceSpec> device;
  /// Answers for ops of dialects that are not loaded; may be null.
  std::shared_ptr<const OpTable> table;
};

/// Where a value lives: `byteOffset` bytes into a storage.
struct StoragePlace {
  planner::StorageIndex storage = planner::kNone;
  int64_t byteOffset = 0;
};

/// A value that leaves the function.
struct GraphOutput {
  mlir::Value value;
  /// Argument that the result replaces for the next step (`ringi.updates`), or
  /// -1.
  int64_t updates = -1;
};

class ActivationGraph {
public:
  /// Reads `function`, which must have one block. Emits an error at the op and
  /// fails for values of unknown size, bad marks and required in-place results
  /// that do not cover their operand. O(n + m).
  static mlir::FailureOr<ActivationGraph>
  build(mlir::FunctionOpInterface function, const GraphOptions &options = {});

  const planner::Problem &problem() const { return graph; }
  const GraphOptions &options() const { return settings; }
  mlir::FunctionOpInterface function() const { return func; }

  /// Who answers for the function's ops.
  const OpModel &model() const { return opModel; }

  /// The IR op of each planner op.
  mlir::Operation *operation(planner::OpIndex op) const {
    return operations[op];
  }
  /// The function argument, constant or result that a storage is; null for
  /// the tokens that keep ops with effects in order.
  mlir::Value value(planner::StorageIndex storage) const {
    return values[storage];
  }
  /// Where `value` lives; views share their base's storage.
  StoragePlace place(mlir::Value value) const { return places.lookup(value); }

  /// A storage without bytes of its own: whoever reads it makes it, and holds
  /// its bytes as workspace (RecomputeOpInterface::isMadeByReaders). No op of
  /// the problem reads it.
  bool isMadeByReaders(planner::StorageIndex storage) const {
    return madeBytes.contains(storage);
  }

  /// The op that `op` repeats; kNone for an origin.
  planner::OpIndex origin(planner::OpIndex op) const { return origins[op]; }
  bool isClone(planner::OpIndex op) const {
    return origins[op] != planner::kNone;
  }
  bool hasClones() const { return anyClone; }
  /// The marks of forward, backward and optimizer were in the IR, not inferred.
  bool phasesGiven() const { return anyPhase; }
  /// No op implements RecomputeOpInterface, stands in the op table or carries
  /// an override.
  bool knowsNoOp() const { return !anyKnown; }
  /// Ops whose semantics are unknown, in order: their results are kept.
  const std::vector<planner::OpIndex> &unknownOps() const { return unknown; }

  const std::vector<GraphOutput> &outputs() const { return results; }

  /// Bytes of forward results that the rest of the step reads from their first
  /// computation: what is saved.
  int64_t savedActivationBytes() const;
  /// Storages counted by savedActivationBytes, ascending.
  std::vector<planner::StorageIndex> savedActivations() const;

private:
  friend class GraphBuilder;
  planner::Problem graph;
  GraphOptions settings;
  OpModel opModel;
  mlir::FunctionOpInterface func;
  std::vector<mlir::Operation *> operations;
  std::vector<planner::OpIndex> origins;
  std::vector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, StoragePlace> places;
  std::vector<planner::OpIndex> unknown;
  std::vector<GraphOutput> results;
  /// Unaligned bytes of what readers make.
  llvm::DenseMap<planner::StorageIndex, int64_t> madeBytes;
  bool anyClone = false, anyPhase = false, anyKnown = false;
};

/// Does `function` compute with ops of Ringi's own dialect? Its step program
/// stores every constant; elsewhere a splat is made by whoever reads it.
bool storesSplatConstants(mlir::FunctionOpInterface function);

/// Functions of a module that a pass works on: all with a body, or the one
/// named. Emits an error and fails when the named one does not exist.
mlir::FailureOr<std::vector<mlir::FunctionOpInterface>>
selectFunctions(mlir::Operation *module, llvm::StringRef name);

/// Could `function` have a backward part? Not when it carries no mark and
/// returns fewer than two values, or buffers: such a function needs no sizes.
bool mayBeStep(mlir::FunctionOpInterface function);

/// Sets Op::phase of a step that carries no `ringi.phase`: by the name scopes
/// that JAX writes; else what stands up to the op that makes the loss (a
/// returned floating-point scalar) is forward. Without a returned loss, or when
/// nothing follows it, the turning point is the op at which most bytes are
/// live. All forward for private functions, and without scopes for functions
/// that return one value, or nothing of the type of an argument beside no loss.
void inferPhases(planner::Problem &problem, const ActivationGraph &graph);

} // namespace ringi

#endif // RINGI_ANALYSIS_ACTIVATIONGRAPH_H
