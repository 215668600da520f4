//===- InputData.h - What the inputs of a program hold ----------*- C++ -*-===//
//
// Part of Ringi. Initialisers, files and random data, as bytes per step. The
// same seed, name and step give the same bytes in every program, so that two
// plans of one model see the same data. docs/runtime.md, "Data".
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_INPUTDATA_H
#define RINGI_RUNTIME_INPUTDATA_H

#include "ringi/Program/StepProgram.h"
#include "ringi/Runtime/RandomTensor.h"

#include <memory>

namespace ringi::runtime {

/// One --input option.
struct InputSpec {
  enum class Kind {
    Random, ///< name=random: fresh data from the seed each step
    File,   ///< name=file: raw bytes or .safetensors, one batch per step
    Bytes   ///< name=bytes:file: byte-level tokens, the next batch each step
  };
  std::string name;
  Kind kind = Kind::Random;
  std::string path;
};

/// Parses "name=file", "name=random" or "name=bytes:file".
Expected<InputSpec> parseInputSpec(const std::string &text);

/// The contents of one input, step by step.
class InputSource {
public:
  virtual ~InputSource() = default;
  /// Writes the whole tensor for `step` (1, 2, ...). Neither allocates nor
  /// fails: everything was checked when the source was made.
  virtual void produce(int64_t step, std::byte *out) = 0;
  /// False when every step gives the same bytes.
  virtual bool changes() const = 0;
};

/// Smallest vocabulary of the ops that index with input `input`; INT64_MAX when
/// none does.
int64_t vocabularyOf(const program::StepProgramT &program, size_t input);

/// Checks what input `input` is about to hold: `size` bytes, one tensor or
/// several. The error names the token, its place in `origin` and the
/// vocabulary.
Status checkIndices(const program::StepProgramT &program, size_t input,
                    const std::byte *bytes, int64_t size,
                    const std::string &origin);

/// One source per input of role input or target, null for all others. Errors
/// name an unknown input, a file that does not fit, and a token outside the
/// vocabulary with its value.
Expected<std::vector<std::unique_ptr<InputSource>>>
makeInputSources(const program::ProgramFile &file,
                 const std::vector<InputSpec> &specs, uint64_t seed);

/// The random tensor that input `input` holds before the first step (at step
/// 0), when its initialiser is one.
RandomTensor initialTensor(const program::StepProgramT &program, size_t input,
                           uint64_t seed);

/// Writes what input `input` holds before the first step, by its initialiser.
/// Uses all processors.
void initializeInput(const program::ProgramFile &file, size_t input,
                     uint64_t seed, std::byte *out);

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_INPUTDATA_H
