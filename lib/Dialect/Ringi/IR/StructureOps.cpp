//===- StructureOps.cpp - Structure of a training step --------------------===//
//
// Part of Ringi. Parsers, printers and verifiers of the ops that group,
// save and repeat other ops.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace ringi;

#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiStructureOps.cpp.inc"

void RingiDialect::registerStructureOps() {
  addOperations<
#define GET_OP_LIST
#include "ringi/Dialect/Ringi/IR/RingiStructureOps.cpp.inc"
      >();
}

/// Fails unless the region's yield gives what the op's results are.
static LogicalResult verifyYieldedTypes(Operation *op) {
  Operation *yield = op->getRegion(0).front().getTerminator();
  if (yield->getNumOperands() != op->getNumResults())
    return op->emitOpError() << "has " << op->getNumResults()
                             << " results, but its region yields "
                             << yield->getNumOperands() << " values";
  for (auto [index, types] : llvm::enumerate(
           llvm::zip_equal(op->getResultTypes(), yield->getOperandTypes())))
    if (std::get<0>(types) != std::get<1>(types))
      return op->emitOpError()
             << "result #" << index << " has type " << std::get<0>(types)
             << ", but the region yields " << std::get<1>(types);
  return success();
}

LogicalResult BlockOp::verify() {
  if (getLabel().empty() || getLabel().contains('/'))
    return emitOpError() << "label \"" << getLabel()
                         << "\" must be a name without '/'";
  return verifyYieldedTypes(*this);
}

LogicalResult NoGradOp::verify() { return verifyYieldedTypes(*this); }

LogicalResult RecomputeOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError() << "has " << getInputs().size()
                         << " operands, but its region has "
                         << body.getNumArguments() << " arguments";
  for (auto [index, types] : llvm::enumerate(
           llvm::zip_equal(getInputs().getTypes(), body.getArgumentTypes())))
    if (std::get<0>(types) != std::get<1>(types))
      return emitOpError() << "operand #" << index << " has type "
                           << std::get<0>(types)
                           << ", but the region's argument has "
                           << std::get<1>(types);
  return verifyYieldedTypes(*this);
}

ParseResult RecomputeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inputs.emplace_back()));
  };
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parsePair) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != inputs.size())
    return parser.emitError(location)
           << "has " << inputs.size() << " operands, but the type lists "
           << type.getNumInputs();
  for (auto [argument, argumentType] :
       llvm::zip_equal(arguments, type.getInputs()))
    argument.type = argumentType;
  if (parser.resolveOperands(inputs, type.getInputs(), location,
                             result.operands) ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addTypes(type.getResults());
  ensureTerminator(*result.regions.front(), parser.getBuilder(),
                   result.location);
  return success();
}

void RecomputeOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(
      llvm::zip_equal(getBody().front().getArguments(), getInputs()), printer,
      [&](auto pair) {
        printer << std::get<0>(pair) << " = " << std::get<1>(pair);
      });
  printer << ") : ";
  printer.printFunctionalType(*this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/true);
  printer.printOptionalAttrDict((*this)->getAttrs());
}

OpFoldResult DetachOp::fold(FoldAdaptor) {
  if (auto inner = getValue().getDefiningOp<DetachOp>())
    return inner.getResult();
  return {};
}
