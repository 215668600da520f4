//===- Formula.h - Costs of an op as text -----------------------*- C++ -*-===//
//
// Part of Ringi. The formulas of op tables: arithmetic over sizes of an op's
// operands and results and over integers that its attributes hold.
// docs/op-table.md gives the grammar and every function.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_OPTABLE_FORMULA_H
#define RINGI_OPTABLE_FORMULA_H

#include "ringi/Support/Expected.h"

#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace ringi {

class Formula {
public:
  /// Parses `text`; the error gives the column and what was expected there.
  static Expected<Formula> parse(llvm::StringRef text);

  /// The value for `op`, finite and >= 0. The error names what `op` lacks: an
  /// operand, a dimension, an attribute.
  /// \param bodyFlops what `body_flops` stands for.
  Expected<double> evaluate(mlir::Operation *op, double bodyFlops = 0) const;

  const std::string &text() const { return source; }

private:
  friend class FormulaParser;

  enum class Kind : uint8_t {
    Number,
    BodyFlops,
    Add,
    Subtract,
    Multiply,
    Divide,
    Minimum,
    Maximum,
    Logarithm,
    Elements,
    Bytes,
    Dimension,
    Dimensions,
    Labelled,
    Product
  };
  /// Which operand or result a size is asked of; `number` -1 is all of them.
  struct Subject {
    bool result = false;
    int number = 0;
  };
  struct Node {
    Kind kind = Kind::Number;
    double number = 0;
    /// Indices of the two sides.
    int left = 0, right = 0;
    Subject subject;
    std::string path;
    char label = 0;
  };

  Expected<double> evaluate(const Node &node, mlir::Operation *op,
                            double bodyFlops) const;
  static Expected<double> sizeOf(const Node &node, mlir::Operation *op);
  static Expected<llvm::SmallVector<int64_t>>
  dimensionsOf(const Node &node, mlir::Operation *op, int64_t rank);

  std::string source;
  /// The last one is the root.
  std::vector<Node> nodes;
};

} // namespace ringi

#endif // RINGI_OPTABLE_FORMULA_H
