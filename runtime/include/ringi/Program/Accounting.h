//===- Accounting.h - Memory and work recounted from the ops ----*- C++ -*-===//
//
// Part of Ringi. Lifetimes, peaks, categories and FLOPs derived from which op
// reads and writes which buffer: never from the file's claims or lifetimes. The
// loader compares the file with it; the executor feeds it the ops that it
// really launched (docs/runtime.md, proof 1).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PROGRAM_ACCOUNTING_H
#define RINGI_PROGRAM_ACCOUNTING_H

#include "ringi/Program/StepProgram.h"

#include <map>

namespace ringi::program {

struct Accounting {
  /// Per buffer, in positions of `executed`; first > last when never touched.
  std::vector<uint32_t> first, last;
  std::vector<Category> category;
  /// Resident bytes at each position.
  std::vector<int64_t> resident;
  int64_t livePeak = 0;
  /// First position that reaches livePeak.
  uint32_t peakOp = 0;
  /// max(offset + bytes) over buffers.
  int64_t plannedPeak = 0;
  /// Bytes alive at peakOp; categories without bytes are absent.
  std::map<Category, int64_t> categoriesAtPeak;
  int64_t savedActivationBytes = 0;
  double totalFlops = 0, recomputeFlops = 0;
};

/// Recounts `program` as if the ops `executed` (indices into program.ops) had
/// run in this order. All indices in `program` must be in range.
Accounting accountFor(const StepProgramT &program,
                      const std::vector<uint32_t> &executed);

/// The same with every op once in file order.
Accounting accountFor(const StepProgramT &program);

} // namespace ringi::program

#endif // RINGI_PROGRAM_ACCOUNTING_H
