//===- ringi-c/Runtime.h - Running step programs from C -----------*- C -*-===//
//
// Part of Ringi. A session trains one step program (docs/step-program.md) on
// the host device.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_C_RUNTIME_H
#define RINGI_C_RUNTIME_H

#include "ringi-c/Common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RingiSession RingiSession;

/// What ringi-run takes on its command line.
typedef struct RingiSessionOptions {
  uint64_t seed;
  int threads;               ///< 0: one per processor; bits do not depend on it
  double learningRate;       ///< negative: the program's own
  const char *load;          ///< state to continue from (.safetensors), or NULL
  const char *const *inputs; ///< "name=file", "name=bytes:file" and so on
  size_t inputCount;         ///< inputs that are not named are random
} RingiSessionOptions;

/// Seed 0, all processors, the program's learning rate, random inputs.
RINGI_C_API void ringiSessionOptionsInit(RingiSessionOptions *options);

/// Loads and verifies the program, then allocates its arena.
RINGI_C_API RingiStatus ringiSessionStart(const char *programPath,
                                          const RingiSessionOptions *options,
                                          RingiSession **session);
RINGI_C_API void ringiSessionDestroy(RingiSession *session);

/// Feeds the next batch and runs one step. Allocates nothing.
RINGI_C_API RingiStatus ringiSessionStep(RingiSession *session);
/// Steps that the state has seen.
RINGI_C_API int64_t ringiSessionStepsDone(const RingiSession *session);
/// The loss of the last step.
RINGI_C_API RingiStatus ringiSessionLoss(RingiSession *session, double *loss);

/// Bytes of the arena, which is the planned peak.
RINGI_C_API int64_t ringiSessionPlannedPeak(const RingiSession *session);

/// Bytes of the named output or input; -1 when there is none.
RINGI_C_API int64_t ringiSessionBytes(const RingiSession *session,
                                      const char *name);
/// Copies the named output or input, row-major, into `buffer`. An output before
/// the first step is an error.
RINGI_C_API RingiStatus ringiSessionRead(RingiSession *session,
                                         const char *name, void *buffer,
                                         size_t bytes);
/// Writes parameters and optimizer state (.safetensors).
RINGI_C_API RingiStatus ringiSessionSave(RingiSession *session,
                                         const char *path);

#ifdef __cplusplus
}
#endif

#endif // RINGI_C_RUNTIME_H
