//===- HostDevice.h - The device every build has ----------------*- C++ -*-===//
//
// Part of Ringi. Runs step programs on the CPU: own kernels for every op, a
// fixed set of threads, and a choice of GEMM providers. Results have the same
// bits at any thread count (docs/kernels.md).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_HOSTDEVICE_H
#define RINGI_RUNTIME_HOSTDEVICE_H

#include "ringi/Runtime/Device.h"

namespace ringi::runtime {

/// Who multiplies matrices.
enum class GemmProvider {
  /// Own packed GEMM: no allocation, the same bits at any thread count.
  Ref,
  /// oneDNN's matmul, when built with it. It allocates inside steps, so the
  /// proof that nothing does cannot hold; its bits may depend on threads.
  OneDnn
};

/// "ref" or "onednn"; an error names the remedy when the build lacks it.
Expected<GemmProvider> parseGemmProvider(const std::string &name);

/// Kernel builds, least demanding first. A machine runs all up to its own best.
enum class InstructionSet { Base, Avx2, Avx512 };

/// The best this machine (and build) can run.
InstructionSet bestInstructionSet();

struct HostOptions {
  /// Fixed for the life of the device; 0 = one per CPU, at most 256.
  int threads = 0;
  GemmProvider gemm = GemmProvider::Ref;
  /// Lowered to bestInstructionSet() when the machine has less.
  InstructionSet instructionSet = InstructionSet::Avx512;
};

std::unique_ptr<Device> makeHostDevice(const HostOptions &options);

/// An arena whose last byte is followed by an unmapped page. An error states
/// needed and available bytes. Implemented in runtime/host/HostArena.cpp.
Expected<std::unique_ptr<Arena>> makeHostArena(int64_t bytes);

/// Heap allocations of this process so far (counted malloc, realloc, new and
/// relatives). Implemented in runtime/host/HostArena.cpp.
int64_t hostAllocations();

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_HOSTDEVICE_H
