//===- AlgorithmCache.cpp - Pinned GEMM algorithms as a file ----*- C++ -*-===//
//
// Part of Ringi. A text file that two runs share; written to a neighbour first
// and renamed, so that a stopped run leaves no half file.
//
//===----------------------------------------------------------------------===//

#include "LtGemm.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ringi::cuda {

namespace {
constexpr size_t kWords = sizeof(cublasLtMatmulAlgo_t) / sizeof(uint64_t);
}

Expected<AlgorithmCache> AlgorithmCache::open(std::string path,
                                              std::string machine) {
  AlgorithmCache cache;
  cache.path = std::move(path);
  cache.machine = std::move(machine);
  if (cache.path.empty())
    return cache;
  std::ifstream file(cache.path);
  if (!file)
    return cache;
  std::string line;
  std::getline(file, line);
  if (line != cache.machine)
    return Error::badInput("GEMM cache '" + cache.path + "' was made for '" +
                           line + "' but this is '" + cache.machine +
                           "'; remove the file or name another");
  for (int number = 2; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string key;
    uint64_t word[kWords];
    words >> key >> std::hex;
    for (uint64_t &w : word)
      words >> w;
    if (!words)
      return Error::badInput("GEMM cache '" + cache.path + "', line " +
                             std::to_string(number) + ": not a key and " +
                             std::to_string(kWords) +
                             " words; remove the file");
    std::memcpy(&cache.algorithms[key], word, sizeof(word));
  }
  return cache;
}

const cublasLtMatmulAlgo_t *AlgorithmCache::find(const std::string &key) const {
  auto found = algorithms.find(key);
  return found == algorithms.end() ? nullptr : &found->second;
}

Status AlgorithmCache::add(const std::string &key,
                           const cublasLtMatmulAlgo_t &algorithm) {
  algorithms[key] = algorithm;
  if (path.empty())
    return Status::success();
  std::string next = path + ".new";
  std::ofstream file(next);
  file << machine << "\n";
  for (const auto &[name, value] : algorithms) {
    uint64_t word[kWords];
    std::memcpy(word, &value, sizeof(word));
    file << name << std::hex;
    for (uint64_t w : word)
      file << " " << w;
    file << std::dec << "\n";
  }
  file.close();
  if (!file || std::rename(next.c_str(), path.c_str()) != 0)
    return Error::badInput("cannot write GEMM cache '" + path +
                           "'; name a writable file with --gemm-cache");
  return Status::success();
}

} // namespace ringi::cuda
