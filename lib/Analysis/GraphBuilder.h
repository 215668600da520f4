//===- GraphBuilder.h - The walk that makes an ActivationGraph --*- C++ -*-===//
//
// Part of Ringi. One walk over a function in execution order: GraphBuilder.cpp
// visits ops, GraphBuilderStorages.cpp counts bytes and says what shares them,
// GraphBuilderMarks.cpp reads what the user wrote. Semantics come from
// interfaces and overriding attributes only.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_ANALYSIS_GRAPHBUILDER_H
#define RINGI_LIB_ANALYSIS_GRAPHBUILDER_H

#include "ringi/Analysis/ActivationGraph.h"

#include "llvm/ADT/StringMap.h"

namespace ringi {

class GraphBuilder {
public:
  GraphBuilder(mlir::FunctionOpInterface function,
               const GraphOptions &options) {
    result.func = function;
    result.settings = options;
    result.opModel = OpModel(options.table);
    graph.name = function.getName().str();
  }

  mlir::FailureOr<ActivationGraph> run();

private:
  /// What the walk knows about the region it is in.
  struct Scope {
    mlir::StringAttr block;
    std::optional<planner::Phase> phase;
    bool replay = false;
  };

  // Ops.
  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult visit(mlir::Operation *op);
  /// Region ops of the dialect that only group: their ops run where they stand.
  static bool isTransparent(mlir::Operation *op);
  mlir::LogicalResult visitTransparent(mlir::Operation *op);
  /// Folds `op` into its operands' storages when every result is a view.
  bool addViews(mlir::Operation *op, OpSemantics known);
  /// Everything of an op but what it reads and writes.
  planner::Op describeOp(mlir::Operation *op, OpSemantics known);
  mlir::LogicalResult addResults(mlir::Operation *op, planner::Op &entry);
  mlir::LogicalResult addOp(mlir::Operation *op, OpSemantics known,
                            mlir::ArrayRef<mlir::Value> operands);
  /// Ops with unknown effects stay in their order: each reads a token of no
  /// bytes that the one before it wrote.
  void chainEffects(planner::Op &entry, planner::OpIndex index);
  /// Clones name their origin by number; one whose origin is gone counts as an
  /// origin itself.
  void resolveOrigins();
  void setCategories();

  // Storages.
  mlir::FailureOr<int64_t> bytesOf(mlir::Value value, mlir::Attribute override,
                                   unsigned number, mlir::Location location);
  static std::string describe(mlir::Value value);
  /// `storage.bytes` is not aligned yet.
  planner::StorageIndex addStorage(planner::Storage storage, mlir::Value value);
  mlir::LogicalResult addArguments();
  bool isMadeByReaders(mlir::Operation *op) const;
  /// A storage without bytes: each reader counts them in its workspace.
  mlir::LogicalResult addMadeByReaders(mlir::Operation *op);
  planner::StorageIndex storageOf(mlir::Value value) const;
  /// Of an op's in-place pairs those whose operand is made where the result is
  /// written: it has no bytes beside the result.
  mlir::SmallVector<InPlaceOperand>
  madeDestinations(mlir::Operation *op,
                   mlir::ArrayRef<InPlaceOperand> pairs) const;
  /// What `op` holds while it runs of values that it makes itself.
  int64_t bytesMadeBy(mlir::ArrayRef<mlir::Value> operands,
                      mlir::ArrayRef<InPlaceOperand> destinations) const;
  mlir::LogicalResult addConstant(mlir::Operation *op, mlir::Attribute content);
  /// Results that may overwrite an operand: only whole storages of equal bytes.
  /// What else the op reads of the storage must lie at its start and be such an
  /// operand too, or it would be read after it was overwritten.
  mlir::LogicalResult addInPlacePairs(mlir::Operation *op,
                                      mlir::ArrayRef<InPlaceOperand> pairs,
                                      planner::Op &entry);

  // What the user wrote.
  void findPhases();
  /// The dialect's verifier knows the words.
  static std::optional<planner::Phase> phaseOf(mlir::Operation *op);
  void setPhaseAndBlock(mlir::Operation *op, planner::Op &entry);
  mlir::LogicalResult applyMarks(mlir::Operation *op);
  mlir::LogicalResult addOutputs();
  mlir::LogicalResult findUpdated(mlir::Attribute updates, unsigned number,
                                  GraphOutput &output);

  ActivationGraph result;
  planner::Problem &graph = result.graph;
  Scope scope;
  planner::Phase lastPhase = planner::Phase::Forward;
  /// The function is a program of Ringi's own, whose constants are data.
  bool storesSplats = false;
  planner::StorageIndex lastToken = planner::kNone;
  llvm::StringMap<int32_t> blockNumbers;
  mlir::DenseMap<mlir::Attribute, planner::StorageIndex> constants;
  std::vector<bool> isReplay;
  /// Bytes of each storage before alignment.
  std::vector<int64_t> exactBytes;
};

/// file:line of the innermost location that has one; else empty.
std::string locationText(mlir::Location location);

} // namespace ringi

#endif // RINGI_LIB_ANALYSIS_GRAPHBUILDER_H
