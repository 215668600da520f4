//===- PackAllocs.cpp - The buffers of a function in one arena ------------===//
//
// Part of Ringi. Lifetimes from the uses of each allocation, offsets from the
// planner's packer.
//
//===----------------------------------------------------------------------===//

#include "BufferUses.h"

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Planner/Packing.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanReport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

namespace ringi {
#define GEN_PASS_DEF_PACKALLOCS
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

/// Bytes of one element in a buffer: whole bytes, a power of two of them.
std::optional<int64_t> elementBytes(Type type) {
  if (type.isIndex())
    return 8;
  if (type.isIntOrFloat())
    return llvm::PowerOf2Ceil((type.getIntOrFloatBitWidth() + 7) / 8);
  return std::nullopt;
}

/// Bytes of a buffer that a view of plain bytes can stand for, or nothing.
std::optional<int64_t> plainBytes(MemRefType type) {
  std::optional<int64_t> bytes = elementBytes(type.getElementType());
  if (!bytes || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getMemorySpace())
    return std::nullopt;
  for (int64_t size : type.getShape())
    if (__builtin_mul_overflow(*bytes, size, &*bytes))
      return std::nullopt;
  return bytes;
}

struct PackedBuffer {
  memref::AllocOp alloc;
  BufferUses uses;
  int64_t bytes = 0, offset = 0;
};

struct KeptBuffer {
  memref::AllocOp alloc;
  std::string reason;
};

/// As in all reports: file:line, empty when it is not known.
std::string textOf(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  return file ? (file.getFilename().getValue() + ":" + Twine(file.getLine()))
                    .str()
              : std::string();
}
std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

class AllocPacker {
public:
  AllocPacker(FunctionOpInterface function, int64_t alignment, int64_t effort)
      : function(function), alignment(alignment), effort(effort) {}

  void collect() {
    OpClock clock(function);
    function->walk([&](memref::AllocOp alloc) {
      std::optional<int64_t> bytes = plainBytes(alloc.getType());
      BufferUses uses = findBufferUses(alloc, function, clock);
      int64_t own = int64_t(alloc.getAlignment().value_or(1));
      if (uses.reason.empty() && !bytes)
        uses.reason = "has the type " + textOf(Type(alloc.getType())) +
                      ", which no view of bytes has";
      if (uses.reason.empty() && alignment % own != 0)
        uses.reason =
            "is aligned to " + std::to_string(own) + ", more than the arena";
      if (uses.reason.empty())
        packed.push_back({alloc, std::move(uses), *bytes, 0});
      else
        kept.push_back({alloc, std::move(uses.reason)});
    });
  }

  /// Offsets and the arena's bytes; a clear error for sums beyond 2^62.
  Status place() {
    std::vector<PackItem> items;
    for (const PackedBuffer &buffer : packed)
      items.push_back(
          {buffer.uses.first, buffer.uses.end,
           int64_t(llvm::alignTo(uint64_t(buffer.bytes), uint64_t(alignment))),
           -1});
    PackOptions options;
    options.effort = effort;
    options.alignment = alignment;
    Expected<PackResult> result = pack(items, options);
    if (!result)
      return result.error();
    if (Status status = verifyPacking(items, result->offsets, result->height);
        !status)
      return status.error();
    plannedPeak = result->height;
    for (auto [buffer, item, offset] :
         llvm::zip(packed, items, result->offsets)) {
      buffer.offset = offset;
      // A buffer without a life has no part in the height; its view has bounds.
      plannedPeak = std::max(plannedPeak, offset + item.bytes);
    }
    livePeak = result->lowerBound;
    return Status::success();
  }

  void rewrite(bool fromCaller) {
    Block &body = function.getFunctionBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    auto type = MemRefType::get({plannedPeak}, builder.getI8Type());
    Value arena;
    if (fromCaller) {
      unsigned number = function.getNumArguments();
      (void)function.insertArgument(number, type, {}, function->getLoc());
      arena = function.getArgument(number);
    } else {
      arena = memref::AllocOp::create(builder, function->getLoc(), type,
                                      builder.getI64IntegerAttr(alignment));
    }
    for (PackedBuffer &buffer : packed) {
      builder.setInsertionPoint(buffer.alloc);
      Location loc = buffer.alloc.getLoc();
      Value offset =
          arith::ConstantIndexOp::create(builder, loc, buffer.offset);
      Value view = memref::ViewOp::create(builder, loc, buffer.alloc.getType(),
                                          arena, offset, ValueRange());
      for (Operation *dealloc : buffer.uses.deallocs)
        dealloc->erase();
      buffer.alloc.replaceAllUsesWith(view);
      buffer.alloc.erase();
    }
    if (!fromCaller) {
      builder.setInsertionPoint(body.getTerminator());
      memref::DeallocOp::create(builder, function->getLoc(), arena);
    }
    SmallVector<NamedAttribute> totals;
    auto add = [&](StringRef name, int64_t value) {
      totals.push_back(
          builder.getNamedAttr(name, builder.getI64IntegerAttr(value)));
    };
    add("alignment", alignment);
    add("buffers", int64_t(packed.size()));
    add("kept", int64_t(kept.size()));
    add("live_peak", livePeak);
    add("planned_peak", plannedPeak);
    function->setAttr(attr::kArena, builder.getDictionaryAttr(totals));
  }

  void remark() {
    InFlightDiagnostic diagnostic = mlir::emitRemark(function->getLoc());
    diagnostic << "packed " << packed.size() << " buffers of '"
               << function.getName() << "' into " << plannedPeak
               << " bytes (live peak " << livePeak << "), kept " << kept.size()
               << " as they are";
    for (KeptBuffer &buffer : kept)
      diagnostic.attachNote(buffer.alloc->getLoc())
          << "this buffer " << buffer.reason;
  }

  /// Before rewrite(): locations and types are read from the allocations.
  llvm::json::Object toJson() {
    llvm::json::Array views, others;
    for (PackedBuffer &buffer : packed)
      views.push_back(
          llvm::json::Object{{"location", textOf(buffer.alloc.getLoc())},
                             {"type", textOf(Type(buffer.alloc.getType()))},
                             {"bytes", buffer.bytes},
                             {"offset", buffer.offset},
                             {"first", buffer.uses.first},
                             {"end", buffer.uses.end}});
    for (KeptBuffer &buffer : kept)
      others.push_back(
          llvm::json::Object{{"location", textOf(buffer.alloc.getLoc())},
                             {"type", textOf(Type(buffer.alloc.getType()))},
                             {"reason", buffer.reason}});
    return llvm::json::Object{
        {"function", function.getName()}, {"planned_peak_bytes", plannedPeak},
        {"live_peak_bytes", livePeak},    {"alignment", alignment},
        {"buffers", std::move(views)},    {"kept", std::move(others)}};
  }

  std::vector<PackedBuffer> packed;
  std::vector<KeptBuffer> kept;

private:
  FunctionOpInterface function;
  const int64_t alignment, effort;
  int64_t plannedPeak = 0, livePeak = 0;
};

struct PackAllocsPass : ringi::impl::PackAllocsBase<PackAllocsPass> {
  using PackAllocsBase::PackAllocsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOptions(module)))
      return signalPassFailure();
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(module, function);
    if (failed(functions))
      return signalPassFailure();
    llvm::json::Array reports;
    for (FunctionOpInterface each : *functions)
      if (failed(packFunction(each, reports)))
        return signalPassFailure();
    if (!report.empty() && failed(writeReport(module, report, reports)))
      signalPassFailure();
  }

private:
  LogicalResult checkOptions(ModuleOp module) {
    if (arena != "alloc" && arena != "argument")
      return mlir::emitError(module.getLoc())
             << "arena=" << arena << " is not known; use alloc or argument";
    constexpr int64_t limit = int64_t(1) << 30;
    if (alignment < 1 || alignment > limit ||
        !llvm::isPowerOf2_64(uint64_t(alignment)) || effort < 0)
      return mlir::emitError(module.getLoc())
             << "alignment=" << int64_t(alignment)
             << " must be a power of two of at most " << limit
             << ", and effort=" << int64_t(effort) << " not negative";
    return success();
  }

  LogicalResult packFunction(FunctionOpInterface each,
                             llvm::json::Array &reports) {
    if (size_t blocks = each.getFunctionBody().getBlocks().size(); blocks != 1)
      return mlir::emitError(each->getLoc())
             << "'" << each.getName() << "' has " << blocks
             << " blocks; pack its buffers before control flow is lowered to "
                "branches";
    if (each->hasAttr(attr::kArena))
      return mlir::emitError(each->getLoc())
             << "'" << each.getName()
             << "' has an arena already; pack buffers once";
    if (Operation *tensor = findTensor(each))
      return tensor->emitError()
             << "computes with tensors; bufferize '" << each.getName()
             << "' before --ringi-pack-allocs";
    AllocPacker packer(each, alignment, effort);
    packer.collect();
    if (packer.packed.empty() && packer.kept.empty())
      return success();
    if (arena == "argument" && !packer.packed.empty())
      if (auto uses = SymbolTable::getSymbolUses(each, getOperation());
          uses && !uses->empty())
        return mlir::emitError(uses->begin()->getUser()->getLoc())
               << "calls '" << each.getName()
               << "', whose signature arena=argument would change; use "
                  "arena=alloc";
    if (Status status = packer.place(); !status)
      return mlir::emitError(each->getLoc()) << status.error().message;
    if (!report.empty())
      reports.push_back(packer.toJson());
    packer.remark();
    if (!packer.packed.empty())
      packer.rewrite(arena == "argument");
    return success();
  }

  static Operation *findTensor(FunctionOpInterface each) {
    Operation *found = nullptr;
    each->walk([&](Operation *op) {
      if (!llvm::any_of(op->getResultTypes(),
                        [](Type type) { return isa<TensorType>(type); }))
        return WalkResult::advance();
      found = op;
      return WalkResult::interrupt();
    });
    return found;
  }
};

} // namespace
