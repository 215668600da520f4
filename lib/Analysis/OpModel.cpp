//===- OpModel.cpp - What is known about an op, whoever says it -----------===//
//
// Part of Ringi. Forwards to the interface, or reads the table's entry.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/OpModel.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace ringi;

OpSemantics OpModel::operator()(Operation *op) const {
  OpSemantics semantics;
  semantics.op = op;
  semantics.model = this;
  semantics.implemented = dyn_cast<RecomputeOpInterface>(op);
  if (!semantics.implemented && table)
    semantics.entry = table->lookup(op);
  return semantics;
}

LogicalResult OpModel::check(Operation *op) const {
  OpSemantics semantics = (*this)(op);
  if (!semantics.entry)
    return success();
  const OpEntry &entry = *semantics.entry;
  for (const std::optional<Formula> *formula :
       {&entry.flops, &entry.bytes, &entry.workspace, &entry.viewOffset}) {
    if (!*formula)
      continue;
    Expected<double> value = (*formula)->evaluate(op);
    if (!value)
      return op->emitError()
             << "op table '" << table->name() << "': " << value.error().message;
  }
  auto inRange = [&](unsigned operand) {
    return operand < op->getNumOperands();
  };
  for (const SharedOperands *shared : {&entry.view, &entry.inPlace})
    if (!llvm::all_of(shared->operands, inRange) ||
        (shared->each && op->getNumResults() > op->getNumOperands()))
      return op->emitError()
             << "op table '" << table->name() << "': '"
             << (shared == &entry.view ? "view_of" : "in_place")
             << "' names an operand that does not exist; the op has "
             << op->getNumOperands();
  return success();
}

std::optional<Attribute> OpModel::getConstant(Operation *op) const {
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    Attribute contents;
    matchPattern(op, m_Constant(&contents));
    return contents;
  }
  const OpEntry *entry = (*this)(op).entry;
  if (!entry || entry->constant.empty() || op->getNumResults() != 1)
    return std::nullopt;
  // The same text may be the contents of two types.
  Attribute contents = op->getAttr(entry->constant);
  if (!contents)
    return Attribute();
  return ArrayAttr::get(op->getContext(),
                        {contents, TypeAttr::get(op->getResult(0).getType())});
}

//===----------------------------------------------------------------------===//
// The methods of the interface
//===----------------------------------------------------------------------===//

double OpSemantics::evaluate(const std::optional<Formula> &formula) {
  if (!formula)
    return 0;
  Expected<double> value =
      formula->evaluate(op, model->summarizeBodies(op, *entry).flops);
  return value ? *value : 0;
}

bool OpSemantics::isRecomputable() {
  if (implemented)
    return implemented.isRecomputable();
  return entry->recomputable && model->summarizeBodies(op, *entry).mayRepeat;
}

planner::OpClass OpSemantics::getOpClass() {
  return implemented ? implemented.getOpClass() : entry->opClass;
}

double OpSemantics::getFlops() {
  return implemented ? implemented.getFlops() : evaluate(entry->flops);
}

double OpSemantics::getBytesAccessed() {
  if (implemented)
    return implemented.getBytesAccessed();
  if (entry->view.any())
    return 0;
  return entry->bytes ? evaluate(entry->bytes)
                      : detail::defaultBytesAccessed(op);
}

int64_t OpSemantics::getWorkspaceBytes() {
  if (implemented)
    return implemented.getWorkspaceBytes();
  double own = std::min(evaluate(entry->workspace), 0x1p60);
  return int64_t(own) + model->summarizeBodies(op, *entry).peakBytes;
}

void OpSemantics::getInPlacePairs(SmallVectorImpl<InPlaceOperand> &pairs) {
  if (implemented)
    return implemented.getInPlacePairs(pairs);
  pairs.clear();
  const SharedOperands &shared = entry->inPlace;
  if (shared.each)
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      pairs.push_back({i, i, false});
  if (shared.sameType && op->getNumResults() > 0)
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType() == op->getResult(0).getType())
        pairs.push_back({operand.getOperandNumber(), 0, false});
  if (op->getNumResults() > 0)
    for (unsigned operand : shared.operands)
      pairs.push_back({operand, 0, false});
}

std::optional<ViewSource> OpSemantics::getViewSource(unsigned resultNumber) {
  if (implemented)
    return implemented.getViewSource(resultNumber);
  if (!entry->view.any())
    return std::nullopt;
  ViewSource source;
  source.operand =
      entry->view.each ? resultNumber : entry->view.operands.front();
  source.byteOffset = int64_t(std::min(evaluate(entry->viewOffset), 0x1p60));
  return source;
}

Operation *OpSemantics::cloneForRecompute(OpBuilder &builder,
                                          IRMapping &mapping) {
  return implemented ? implemented.cloneForRecompute(builder, mapping)
                     : builder.clone(*op, mapping);
}

bool OpSemantics::hasEffects() {
  return entry && (!entry->pure || hasUnknownBody());
}

bool OpSemantics::hasUnknownBody() {
  return entry && !model->summarizeBodies(op, *entry).known;
}
