//===- OpModel.h - What is known about an op, whoever says it ---*- C++ -*-===//
//
// Part of Ringi. Passes ask an op through RecomputeOpInterface. An op of a
// dialect that is not loaded implements nothing; an op table then answers in
// its place. OpModel finds who answers, OpSemantics is the answer, with the
// methods of the interface.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_ANALYSIS_OPMODEL_H
#define RINGI_ANALYSIS_OPMODEL_H

#include "ringi/Interfaces/RingiInterfaces.h"
#include "ringi/OpTable/OpTable.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace ringi {

class OpModel;

/// One execution of all ops of a body.
struct BodySummary {
  double flops = 0;
  /// Most bytes alive inside at once, without what the body is given.
  int64_t peakBytes = 0;
  /// Every op inside is known and has no effects.
  bool known = true;
  bool mayRepeat = true;
};

/// The answers for one op; false where nobody answers. Valid as long as the
/// model and the op.
class OpSemantics {
public:
  OpSemantics() = default;
  explicit operator bool() const { return implemented || entry; }

  /// The methods of RecomputeOpInterface.
  bool isRecomputable();
  planner::OpClass getOpClass();
  double getFlops();
  double getBytesAccessed();
  int64_t getWorkspaceBytes();
  void getInPlacePairs(llvm::SmallVectorImpl<InPlaceOperand> &pairs);
  std::optional<ViewSource> getViewSource(unsigned resultNumber);
  mlir::Operation *cloneForRecompute(mlir::OpBuilder &builder,
                                     mlir::IRMapping &mapping);

  /// A table says that the op has effects, or its bodies hold ops that nobody
  /// knows: it runs once and in its place.
  bool hasEffects();
  /// The op's bodies hold ops that nobody knows.
  bool hasUnknownBody();

private:
  friend class OpModel;
  /// Evaluates a formula; 0 where OpModel::check() finds an error.
  double evaluate(const std::optional<Formula> &formula);

  mlir::Operation *op = nullptr;
  const OpModel *model = nullptr;
  RecomputeOpInterface implemented;
  const OpEntry *entry = nullptr;
};

class OpModel {
public:
  /// \param table may be null.
  explicit OpModel(std::shared_ptr<const OpTable> table = nullptr)
      : table(std::move(table)) {}

  /// Who implements the interface answers for itself, else the table.
  OpSemantics operator()(mlir::Operation *op) const;

  /// Emits an error and fails when a formula of the table cannot be evaluated
  /// on `op`.
  mlir::LogicalResult check(mlir::Operation *op) const;

  /// The contents of a constant: ops with the trait, and what the table calls
  /// one. Equal contents share a storage. Nothing for other ops; null where the
  /// contents cannot be told.
  std::optional<mlir::Attribute> getConstant(mlir::Operation *op) const;

  /// What the table says of an op that does not answer for itself; null when it
  /// says nothing.
  const OpEntry *entryOf(mlir::Operation *op) const {
    return (*this)(op).entry;
  }
  /// The integer that a scalar constant is; nothing for other ops.
  std::optional<int64_t> getScalarConstant(mlir::Operation *op) const;
  /// OpTable::reshape(); empty without a table.
  llvm::StringRef reshapeName() const {
    return table ? llvm::StringRef(table->reshape()) : "";
  }

  /// What the table says about name scopes; may be empty.
  llvm::StringRef scopeAttribute() const {
    return table ? llvm::StringRef(table->scopeAttribute()) : "";
  }

private:
  friend class OpSemantics;
  /// \param owned the body may write over its arguments.
  BodySummary summarize(mlir::Block &block, bool owned) const;
  BodySummary summarizeBodies(mlir::Operation *op, const OpEntry &entry) const;
  void findBodies(mlir::Operation *op, const BodyReference &reference,
                  llvm::SmallVectorImpl<mlir::Block *> &blocks) const;
  double countTrips(mlir::Operation *op, const OpEntry &entry) const;

  std::shared_ptr<const OpTable> table;
  /// Bodies are read once; a body that is being read is not read again.
  mutable llvm::DenseMap<std::pair<mlir::Block *, unsigned>, BodySummary>
      bodies;
  mutable llvm::DenseMap<mlir::Operation *, BodySummary> ofOps;
};

} // namespace ringi

#endif // RINGI_ANALYSIS_OPMODEL_H
