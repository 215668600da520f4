//===- VerifySteps.h - The parts of the semantic verifier -------*- C++ -*-===//
//
// Part of Ringi. verifyProgram() runs these in order; each may rely on what the
// ones before it established and on nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_PROGRAM_VERIFYSTEPS_H
#define RINGI_RUNTIME_PROGRAM_VERIFYSTEPS_H

#include "ringi/Program/StepProgram.h"

namespace ringi::program::detail {

/// "`place` `what`; export the program again".
Error invalid(const std::string &place, const std::string &what);
std::string bufferName(const StepProgramT &program, size_t buffer);
std::string valueName(const StepProgramT &program, size_t value);

/// Indices, enums, ranks, sizes, alignments, roles: everything that can be said
/// about one table alone.
Status verifyStructure(const StepProgramT &program);
/// Operands, results, attributes and scratch of every op.
Status verifyOps(const StepProgramT &program);
/// Lifetimes, and that no two buffers share bytes while both are alive.
Status verifyBuffers(const StepProgramT &program);
/// That every byte read is the one meant, and that clones compute what their
/// origin computed.
Status verifyDataFlow(const StepProgramT &program);
/// Categories and claims.
Status verifyClaims(const StepProgramT &program);

} // namespace ringi::program::detail

#endif // RINGI_RUNTIME_PROGRAM_VERIFYSTEPS_H
