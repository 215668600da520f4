//===- CarriedLoop.h - One look at loops of any dialect ---------*- C++ -*-===//
//
// Part of Ringi. A loop that carries values from one iteration to the next, of
// a dialect that is loaded (LoopLikeOpInterface) or of one that an op table
// describes: its carried values by number, and what it must be rebuilt for.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_CARRIEDLOOP_H
#define RINGI_LIB_TRANSFORMS_CARRIEDLOOP_H

#include "ringi/Analysis/OpModel.h"

namespace ringi {

class CarriedLoop {
public:
  /// Nothing for ops that are no such loop, or whose bodies are functions or
  /// have several blocks.
  static std::optional<CarriedLoop> get(mlir::Operation *op,
                                        const OpModel &model);

  mlir::Operation *op() const { return loop; }
  mlir::Block *body() const { return &loop->getRegion(bodyRegion).front(); }
  /// The block that decides about another iteration; null for a loop whose
  /// bounds are operands.
  mlir::Block *condition() const {
    return conditionRegion < 0 ? nullptr
                               : &loop->getRegion(conditionRegion).front();
  }
  /// The body may read values from outside as they are.
  bool captures() const { return conditionRegion < 0; }

  unsigned size() const { return loop->getNumResults(); }
  mlir::Value init(unsigned carried) const {
    return loop->getOperand(firstInit + carried);
  }
  mlir::BlockArgument argument(unsigned carried) const {
    return body()->getArgument(firstArgument + carried);
  }
  mlir::OpOperand &yielded(unsigned carried) const {
    return body()->back().getOpOperand(carried);
  }
  mlir::OpResult result(unsigned carried) const {
    return loop->getResult(carried);
  }
  /// The number of a carried value by its operand, or by its argument of the
  /// body; nothing for others.
  std::optional<unsigned> numberOf(mlir::OpOperand &operand) const;
  std::optional<unsigned> numberOf(mlir::Value argument) const;
  /// Every iteration hands the value on as it is.
  bool isInvariant(unsigned carried) const {
    return yielded(carried).get() == argument(carried);
  }

  /// Carries the values `inits` as well, every iteration handing them on as
  /// they are, until yielded() is set. \returns the number of the first.
  unsigned add(mlir::ValueRange inits);
  /// Carries these no longer. Nobody may read their arguments and results but
  /// the loop itself.
  void erase(llvm::ArrayRef<unsigned> carried);

private:
  void rebuild(llvm::ArrayRef<unsigned> dropped, mlir::ValueRange inits);

  mlir::Operation *loop = nullptr;
  unsigned bodyRegion = 0, firstInit = 0, firstArgument = 0;
  int conditionRegion = -1;
};

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_CARRIEDLOOP_H
