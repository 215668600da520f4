//===- StepReplay.h - The verifier's own reading of a step ------*- C++ -*-===//
//
// Part of Ringi. What --ringi-verify-plan knows of a function: its ops in the
// order in which they run, the storages they touch and how long each is needed.
// Shares no code with the analysis, the planner's simulator or the packer, so
// that an error in one of them is seen by the other.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_STEPREPLAY_H
#define RINGI_LIB_TRANSFORMS_STEPREPLAY_H

#include "ringi/Analysis/OpModel.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace ringi {

/// Bytes [offset, offset + bytes) of what `storage` holds.
struct ReplayRange {
  int storage = -1;
  int64_t offset = 0;
  int64_t bytes = 0;
};

struct ReplayStorage {
  /// The argument, constant or result; null for none.
  mlir::Value value;
  int64_t bytes = 0;
  bool beforeStep = false, leavesStep = false;
  /// Last run that reads it; -1 for none.
  int lastRead = -1;
  /// No bytes of its own: each reader makes it and holds this many. -1: no.
  int64_t madeBytes = -1;
};

/// One execution of one op.
struct ReplayRun {
  mlir::Operation *op = nullptr;
  /// Inside a ringi.recompute region.
  bool replayed = false;
  /// "forward", "backward" or "optimizer".
  llvm::StringRef phase = "forward";
  /// Values read (operands, then captured values) and where they lie.
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<ReplayRange> reads;
  /// First of its results' storages; one per result.
  int firstResult = 0;
  double flops = 0;
  int64_t workspace = 0;
  planner::OpClass opClass = planner::OpClass::Other;
  /// Bytes of each value that the op makes for itself.
  llvm::SmallVector<int64_t> made;
  bool mayRepeat = false;
  llvm::SmallVector<InPlaceOperand> pairs;
  /// Per pair: taken.
  llvm::SmallVector<bool> inPlace;
};

class StepReplay {
public:
  /// Reads the function; sizes are unaligned. Emits an error and fails on
  /// values of unknown size.
  static mlir::FailureOr<StepReplay>
  read(mlir::FunctionOpInterface function,
       std::shared_ptr<const OpTable> table = nullptr);

  /// Decides what is written in place and returns the most bytes resident at
  /// any run, with sizes rounded up to `alignment` and `gemmWorkspace` bytes
  /// more for each GEMM.
  int64_t livePeak(int64_t alignment, int64_t gemmWorkspace);

  /// Bytes beside operands and results while `run` executes.
  static int64_t scratchBytes(const ReplayRun &run, int64_t alignment,
                              int64_t gemmWorkspace);

  std::vector<ReplayStorage> storages;
  std::vector<ReplayRun> runs;
  ReplayRange where(mlir::Value value) const { return places.lookup(value); }

private:
  mlir::LogicalResult visit(mlir::Block &block, bool replayed,
                            llvm::StringRef regionPhase);
  mlir::LogicalResult add(mlir::Operation *op, bool replayed,
                          llvm::StringRef regionPhase);
  mlir::LogicalResult addStorage(mlir::Value value, bool beforeStep,
                                 mlir::Attribute size, unsigned number);
  bool foldView(mlir::Operation *op);
  mlir::FailureOr<bool> foldMade(mlir::Operation *op);
  void findMade(ReplayRun &run);
  bool mayOverwrite(const ReplayRun &run, unsigned pair, int index) const;

  /// Summed sizes of the storages.
  int64_t totalBytes = 0;
  OpModel model;
  llvm::DenseMap<mlir::Value, ReplayRange> places;
  llvm::DenseMap<mlir::Attribute, int> constants;
  /// Ops whose result their readers make, by hash of what they are.
  llvm::DenseMap<size_t, llvm::SmallVector<mlir::Operation *, 1>> makers;
  bool storesSplats = false;
  llvm::StringRef lastPhase = "forward";
};

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_STEPREPLAY_H
