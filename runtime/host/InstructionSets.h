//===- InstructionSets.h - The kernel builds of this library ----*- C++ -*-===//
//
// Part of Ringi. Which builds of the kernels exist and which this CPU runs.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_INSTRUCTIONSETS_H
#define RINGI_HOST_INSTRUCTIONSETS_H

#include "kernels/KernelTable.h"
#include "ringi/Runtime/HostDevice.h"

namespace ringi::runtime {

/// Kernels of `set`, or of the best set below it that this machine has.
const KernelTable &kernelTable(InstructionSet set);

} // namespace ringi::runtime

#endif // RINGI_HOST_INSTRUCTIONSETS_H
