//===- Errors.h - From Expected to status and message -----------*- C++ -*-===//
//
// Part of Ringi. How every function of the C API reports what went wrong.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_CAPI_ERRORS_H
#define RINGI_LIB_CAPI_ERRORS_H

#include "ringi-c/Common.h"
#include "ringi/Support/Expected.h"

#include <exception>
#include <new>
#include <string>

namespace ringi::capi {

/// Remembers the message for ringiLastError().
RingiStatus fail(const Error &error);
RingiStatus failNull(const char *what);

/// `text` in memory that ringiTextDestroy() frees.
char *copyText(const std::string &text);

/// Runs `body`; C callers must never see an exception (out of memory).
template <typename Body> RingiStatus guarded(Body &&body) {
  try {
    return body();
  } catch (const std::exception &error) {
    return fail(
        Error::badInput(std::string("the call ended early: ") + error.what()));
  }
}

} // namespace ringi::capi

#endif // RINGI_LIB_CAPI_ERRORS_H
