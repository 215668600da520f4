//===- AlgorithmCache.h - Pinned GEMM algorithms ----------------*- C++ -*-===//
//
// Part of Ringi. One algorithm per GemmProblem, chosen once, kept in memory and
// in a file: a clone and its origin, and two runs with the same file, compute
// the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_ALGORITHMCACHE_H
#define RINGI_CUDA_ALGORITHMCACHE_H

#include "ringi/Support/Expected.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>

namespace ringi::cuda {

/// An algorithm as its library describes it; opaque here.
using GemmAlgorithm = std::array<uint64_t, 8>;

/// The file is text: a line with the format's version, one that names device
/// and library, one per problem (key, then words in hexadecimal), and a last
/// one with the count and a checksum of all before.
class AlgorithmCache {
public:
  /// Reads `path` when it exists; "" keeps the cache in memory. Errors: a file
  /// of another version, device or library, a damaged or truncated one.
  static Expected<AlgorithmCache> open(std::string path, std::string machine);

  /// The algorithm of `key`: the pinned one, which `takes` must accept, or that
  /// of `choose`, which is pinned and written to the file.
  Expected<GemmAlgorithm>
  pin(const std::string &key,
      const std::function<Expected<GemmAlgorithm>()> &choose,
      const std::function<bool(const GemmAlgorithm &)> &takes);

private:
  Status write() const;

  std::string path, machine;
  std::map<std::string, GemmAlgorithm> algorithms;
};

} // namespace ringi::cuda

#endif // RINGI_CUDA_ALGORITHMCACHE_H
