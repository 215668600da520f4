//===- InstructionSets.cpp - The kernel builds of this library ------------===//
//
// Part of Ringi. Asks the CPU (and, through the compiler's support code, the
// operating system) once.
//
//===----------------------------------------------------------------------===//

#include "InstructionSets.h"

#include <algorithm>

namespace ringi::runtime {

namespace base {
const KernelTable &table();
}
#ifdef RINGI_HOST_X86
namespace avx2 {
const KernelTable &table();
}
namespace avx512 {
const KernelTable &table();
}
#endif

InstructionSet bestInstructionSet() {
#ifdef RINGI_HOST_X86
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c")) {
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
      return InstructionSet::Avx512;
    return InstructionSet::Avx2;
  }
#endif
  return InstructionSet::Base;
}

const KernelTable &kernelTable(InstructionSet set) {
#ifdef RINGI_HOST_X86
  switch (std::min(set, bestInstructionSet())) {
  case InstructionSet::Avx512:
    return avx512::table();
  case InstructionSet::Avx2:
    return avx2::table();
  case InstructionSet::Base:
    break;
  }
#endif
  return base::table();
}

} // namespace ringi::runtime
