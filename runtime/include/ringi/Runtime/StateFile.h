//===- StateFile.h - Tensors in safetensors files ---------------*- C++ -*-===//
//
// Part of Ringi. Own reader and writer of the safetensors format: u64 header
// size, a JSON header (name -> dtype, shape, byte range; "__metadata__": string
// to string), then the bytes. Everything in a file is checked before use.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_STATEFILE_H
#define RINGI_RUNTIME_STATEFILE_H

#include "ringi/Program/StepProgram.h"

#include <functional>
#include <map>

namespace ringi::runtime {

struct StateTensor {
  program::ElementType type;
  std::vector<uint64_t> shape;
  /// Byte range in the file.
  uint64_t offset = 0, bytes = 0;
};

/// An opened safetensors file whose header is valid.
class StateFile {
public:
  static Expected<StateFile> open(const std::string &path);

  const std::map<std::string, StateTensor> &tensors() const { return table; }
  const std::map<std::string, std::string> &metadata() const { return notes; }
  /// Reads the bytes of one tensor of tensors() into `out`.
  Status read(const StateTensor &tensor, std::byte *out) const;

private:
  std::string path;
  std::map<std::string, StateTensor> table;
  std::map<std::string, std::string> notes;
};

/// One tensor to write; `read` fills `bytes` bytes.
struct StateEntry {
  std::string name;
  program::ElementType type;
  std::vector<uint64_t> shape;
  std::function<Status(std::byte *out)> read;
};

/// Writes a file that appears whole or not at all. Types that safetensors does
/// not know (f4) are an error.
Status writeStateFile(const std::string &path,
                      const std::vector<StateEntry> &entries,
                      const std::map<std::string, std::string> &metadata);

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_STATEFILE_H
