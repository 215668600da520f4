//===- Proofs.h - The promised peak is the measured one ---------*- C++ -*-===//
//
// Part of Ringi. The proof stack of docs/runtime.md: each proof is independent
// of the plan and of the others, and each can fail.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_PROOFS_H
#define RINGI_RUNTIME_PROOFS_H

#include "ringi/Runtime/Session.h"

#include <functional>

namespace ringi::runtime {

struct Proof {
  enum class Verdict { Passed, Failed, Unavailable };
  /// The key in reports: "accounting", "fence", "poison", "poison_on_free",
  /// "starve", "no_allocation".
  std::string name;
  Verdict verdict = Verdict::Failed;
  /// One line with the numbers.
  std::string detail;
};

struct ProofConfig {
  RunConfig run;
  /// Steps that each proof runs; 2 or more, so that the second sees what the
  /// first left behind.
  int64_t steps = 2;
};

using DeviceFactory = std::function<Expected<std::unique_ptr<Device>>()>;

/// Proof 2. Runs in a forked child on a device of its own, in an arena of
/// exactly the planned peak, then touches the byte after it: that must be the
/// only fault. Call it before this process starts threads.
Proof proveFence(const program::ProgramFile &file, const ProofConfig &config,
                 const DeviceFactory &makeDevice);

struct PeakProofs {
  std::vector<Proof> proofs;
  /// Last touched byte + 1, rounded up to the program's alignment.
  int64_t measuredPeak = 0;
};

/// Proofs 1, 3, 4, 5 and 6, in this process. An error means that the program
/// could not run at all.
Expected<PeakProofs> provePeak(const program::ProgramFile &file, Device &device,
                               const ProofConfig &config);

/// Last byte of the arena that differs from `fill`, + 1, rounded up to the
/// program's alignment: what a run on an arena filled with it touched. One
/// pattern can miss a last byte that happens to equal it; provePeak() uses two.
Expected<int64_t> touchedPeak(Executor &executor, uint8_t fill);

/// Bytes of this process in memory now; 0 when unknown.
int64_t residentBytes();

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_PROOFS_H
