//===- AlgorithmCache.cpp - Pinned GEMM algorithms as a file ----*- C++ -*-===//
//
// Part of Ringi. Written beside its place and renamed, so that a stopped run
// leaves no half file.
//
//===----------------------------------------------------------------------===//

#include "AlgorithmCache.h"

#include "ringi/Program/StepProgram.h"
#include "ringi/Support/PartialFile.h"

#include <fstream>
#include <sstream>

namespace ringi::cuda {

namespace {

constexpr const char *kFormat = "ringi-gemm-cache ";
constexpr const char *kVersion = "1";
constexpr const char *kEnd = "end ";

/// The last line of a file whose other lines are `text`.
std::string lastLine(const std::string &text, size_t count) {
  std::ostringstream line;
  line << kEnd << count << " " << std::hex
       << program::checksum(reinterpret_cast<const std::byte *>(text.data()),
                            text.size())
       << "\n";
  return line.str();
}

} // namespace

Expected<AlgorithmCache> AlgorithmCache::open(std::string path,
                                              std::string machine) {
  AlgorithmCache cache;
  cache.path = std::move(path);
  cache.machine = std::move(machine);
  if (cache.path.empty())
    return cache;
  std::ifstream file(cache.path, std::ios::binary);
  if (!file)
    return cache;
  auto fail = [&](const std::string &what) {
    return Error::badInput("GEMM cache '" + cache.path + "' " + what +
                           "; remove the file or name another");
  };
  std::string content((std::istreambuf_iterator<char>(file)), {});
  std::istringstream lines(content);
  std::string line;
  std::getline(lines, line);
  const std::string format = kFormat;
  if (line.rfind(format, 0) != 0)
    return fail("is not one: it does not begin with '" + format + "'");
  if (line.substr(format.size()) != kVersion)
    return fail("has format version " + line.substr(format.size()) +
                ", this build reads " + kVersion);
  std::getline(lines, line);
  if (line != cache.machine)
    return fail("was made for '" + line + "', this is '" + cache.machine + "'");

  size_t end = content.rfind(std::string("\n") + kEnd);
  if (end == std::string::npos || content.back() != '\n')
    return fail("is truncated: its last line is missing");
  for (std::string key; std::getline(lines, line);) {
    if (line.rfind(kEnd, 0) == 0)
      break;
    std::istringstream words(line);
    GemmAlgorithm algorithm{};
    words >> key >> std::hex;
    for (uint64_t &word : algorithm)
      words >> word;
    if (!words || !(words >> std::ws).eof())
      return fail("is damaged at '" + line.substr(0, 40) + "'");
    cache.algorithms[key] = algorithm;
  }
  std::string text = content.substr(0, end + 1);
  if (content.substr(end + 1) != lastLine(text, cache.algorithms.size()))
    return fail("is damaged: its checksum does not match");
  return cache;
}

Expected<GemmAlgorithm>
AlgorithmCache::pin(const std::string &key,
                    const std::function<Expected<GemmAlgorithm>()> &choose,
                    const std::function<bool(const GemmAlgorithm &)> &takes) {
  auto found = algorithms.find(key);
  if (found != algorithms.end()) {
    if (takes(found->second))
      return found->second;
    return Error::badInput("the GEMM library does not take the algorithm that "
                           "GEMM cache '" +
                           path + "' has for " + key +
                           "; remove the file or name another");
  }
  Expected<GemmAlgorithm> chosen = choose();
  if (!chosen)
    return chosen;
  algorithms[key] = *chosen;
  if (!path.empty())
    if (Status status = write(); !status)
      return status.error();
  return chosen;
}

Status AlgorithmCache::write() const {
  std::ostringstream text;
  text << kFormat << kVersion << "\n" << machine << "\n";
  for (const auto &[key, algorithm] : algorithms) {
    text << key << std::hex;
    for (uint64_t word : algorithm)
      text << " " << word;
    text << std::dec << "\n";
  }
  std::string partial = partialPath(path);
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file << text.str() << lastLine(text.str(), algorithms.size());
  file.close();
  if (file && publishPartial(partial, path))
    return Status::success();
  discardPartial(partial, path);
  return Error::badInput("cannot write GEMM cache '" + path +
                         "'; name a writable file with --gemm-cache");
}

} // namespace ringi::cuda
