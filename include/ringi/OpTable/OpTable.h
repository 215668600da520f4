//===- OpTable.h - Ops of dialects that cannot be linked --------*- C++ -*-===//
//
// Part of Ringi. What RecomputeOpInterface says about an op, as data: a JSON
// file maps op names to class, purity, costs, views and in-place reuse, for
// dialects that are not loaded. docs/op-table.md documents the format; the
// tables `stablehlo`, `mhlo` and `hlo` are built in and written in it.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_OPTABLE_OPTABLE_H
#define RINGI_OPTABLE_OPTABLE_H

#include "ringi/OpTable/Formula.h"
#include "ringi/Planner/Problem.h"
#include "ringi/Support/Expected.h"

#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ringi {

/// A region of the op by number, or the functions that an attribute names.
struct BodyReference {
  int region = -1;
  std::string attribute;
};

/// Operands that share their storage with results.
struct SharedOperands {
  /// Result i with operand i.
  bool each = false;
  /// Result 0 with every operand of its type.
  bool sameType = false;
  /// Result 0 with these; as a view every result with the first.
  std::vector<unsigned> operands;
  bool any() const { return each || sameType || !operands.empty(); }
};

/// What an op computes of integer scalars; the operands are the op's, in order.
enum class IntegerOp : uint8_t {
  None,
  Add,
  Subtract,
  Multiply,
  Minimum,
  Maximum,
  /// Operand 1 where operand 0 is true, else operand 2.
  Select,
  Copy,
  /// By the attribute OpEntry::comparison, whose text ends with LT, LE, GT, GE,
  /// EQ or NE.
  Compare
};

/// What a table says about an op.
struct OpEntry {
  /// Attributes and the text they must hold for this entry to be the op's.
  std::vector<std::pair<std::string, std::string>> when;
  planner::OpClass opClass = planner::OpClass::Other;
  /// Has no effects.
  bool pure = false;
  /// May run again, with bitwise the same results.
  bool recomputable = false;
  std::optional<Formula> flops, bytes, workspace, viewOffset;
  SharedOperands view, inPlace;
  /// The attribute that holds a constant's contents; empty for other ops.
  std::string constant;
  /// Bodies that all run; bodies of which one runs (`anyRegion`: every region
  /// is one); the body that decides about another round.
  std::vector<BodyReference> bodies, branches;
  bool anyRegion = false;
  std::optional<BodyReference> condition;
  /// Operand i, argument i of the body and of the condition, value i that the
  /// body ends with and result i are one value that the loop carries.
  bool carriesEach = false;
  /// The operand that the result is a part of; that the result is, with the
  /// part in the next operand put in. The indices where the part begins are the
  /// operands that follow.
  std::optional<unsigned> partOf, partInto;
  IntegerOp integer = IntegerOp::None;
  std::string comparison;
  /// The attribute whose ascending integers mean that the elements keep their
  /// order where their number stays; empty for other ops.
  std::string ordered;
};

class OpTable {
public:
  /// The entry for `op`: the first whose conditions hold, nothing when the
  /// table does not know it.
  const OpEntry *lookup(mlir::Operation *op) const;

  const std::string &name() const { return tableName; }
  /// The op that keeps a compiler from merging what stands before it with what
  /// stands behind it; empty when the dialect has none.
  const std::string &barrier() const { return barrierName; }
  /// The attribute that holds an op's name scope beside its location; may be
  /// empty.
  const std::string &scopeAttribute() const { return scopeName; }
  /// The op with one operand and no attributes that gives a value another
  /// shape, elements in order; may be empty.
  const std::string &reshape() const { return reshapeName; }

private:
  friend class OpTableReader;
  std::string tableName, dialect, barrierName, scopeName, reshapeName;
  /// By full op name.
  llvm::StringMap<std::vector<OpEntry>> entries;
};

/// Reads a table's text. The error begins with `place` and names the entry, the
/// field and what is accepted there.
Expected<OpTable> parseOpTable(llvm::StringRef text, llvm::StringRef place);

/// Names of the built-in tables, ascending.
std::vector<std::string> builtinOpTableNames();

/// A built-in table by name, or a file (recognised by its ".json" end); null
/// for an empty name.
Expected<std::shared_ptr<const OpTable>>
resolveOpTable(llvm::StringRef nameOrPath);

} // namespace ringi

#endif // RINGI_OPTABLE_OPTABLE_H
