//===- HostDevice.h - The device that every build has -----------*- C++ -*-===//
//
// Part of Ringi. Runs step programs on the CPU's threads out of one fenced
// mapping.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_HOSTDEVICE_H
#define RINGI_RUNTIME_HOSTDEVICE_H

#include "ringi/Runtime/Device.h"

namespace ringi::runtime {

/// Builds of the kernels, least demanding first.
enum class InstructionSet : uint8_t { Base, Avx2, Avx512 };

/// The best one that this machine and this build have.
InstructionSet bestInstructionSet();

struct HostOptions {
  /// Threads of every kernel, fixed for the device's life; 0 = one per
  /// processor that this process may use. Results do not depend on it.
  int threads = 0;
  /// GEMM provider: "ref" (own kernels) or "onednn"; "" = the build's default.
  std::string gemm;
  /// Refuse arenas above this many bytes; 0 = what the machine has available.
  int64_t memoryLimit = 0;
  /// Lowered to bestInstructionSet() where the machine has less. Bits may
  /// differ between sets, never within one.
  InstructionSet instructionSet = InstructionSet::Avx512;
};

/// Errors name an unknown provider or a bad thread count.
Expected<std::unique_ptr<Device>> makeHostDevice(const HostOptions &options);

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_HOSTDEVICE_H
