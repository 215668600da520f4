//===- ringi-c/Common.h - What both C headers share ---------------*- C -*-===//
//
// Part of Ringi. The C API of the planner and the runtime; no MLIR types.
// Errors: a call that can fail returns a status and leaves its results alone
// when that is not RINGI_OK; ringiLastError() then says what went wrong.
// Objects belong to the caller, who destroys them; destroying NULL is allowed.
// Different objects may be used from different threads.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_C_COMMON_H
#define RINGI_C_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define RINGI_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// The exit codes of the tools.
typedef enum RingiStatus {
  RINGI_OK = 0,
  RINGI_REFUSED = 1,  ///< what is asked for cannot exist: a budget too small
  RINGI_BAD_INPUT = 2 ///< what is given cannot be read or does not fit
} RingiStatus;

/// The message of the calling thread's last failed call; "" before any. Valid
/// until the thread's next failed call.
RINGI_C_API const char *ringiLastError(void);

/// Frees a text that the API has handed out.
RINGI_C_API void ringiTextDestroy(char *text);

#ifdef __cplusplus
}
#endif

#endif // RINGI_C_COMMON_H
