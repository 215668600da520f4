//===- Info.h - A step program as text --------------------------*- C++ -*-===//
//
// Part of Ringi. What ringi-run --info prints.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_RUN_INFO_H
#define RINGI_TOOLS_RINGI_RUN_INFO_H

#include "ringi/Program/StepProgram.h"

namespace ringi::run {

void printProgram(const program::StepProgramT &program);

} // namespace ringi::run

#endif // RINGI_TOOLS_RINGI_RUN_INFO_H
