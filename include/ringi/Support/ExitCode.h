//===- ExitCode.h - Refused plan or bad input -------------------*- C++ -*-===//
//
// Part of Ringi. MLIR's driver knows success and failure only; the tools
// promise exit code 1 for a refused plan and 2 for bad input. A pass that
// refuses a plan says so here.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_SUPPORT_EXITCODE_H
#define RINGI_SUPPORT_EXITCODE_H

namespace ringi {

/// Records that this process refused a plan that cannot exist.
void notePlanRefused();

/// 1 after notePlanRefused(), else 2.
int failureExitCode();

} // namespace ringi

#endif // RINGI_SUPPORT_EXITCODE_H
