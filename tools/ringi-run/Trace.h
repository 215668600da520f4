//===- Trace.h - A step on a timeline ---------------------------*- C++ -*-===//
//
// Part of Ringi. Writes the last step as a Chrome trace (chrome://tracing,
// ui.perfetto.dev): one slice per op, and counter tracks of resident bytes.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_RUN_TRACE_H
#define RINGI_TOOLS_RINGI_RUN_TRACE_H

#include "ringi/Runtime/Executor.h"

namespace ringi::run {

/// `executor` must have run with timeOps.
Status writeTrace(const runtime::Executor &executor, const std::string &path);

} // namespace ringi::run

#endif // RINGI_TOOLS_RINGI_RUN_TRACE_H
