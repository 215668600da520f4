//===- CommandLine.h - Checks of option values for CLI11 --------*- C++ -*-===//
//
// Part of Ringi. What CLI11's own checks let through: numbers that wrap or are
// not numbers, names that are empty, files that cannot be written at the end of
// a long run.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_COMMANDLINE_H
#define RINGI_TOOLS_COMMANDLINE_H

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace ringi::commandline {

/// The whole text is one number of type T that fits into it.
template <typename T> bool isWhole(const std::string &text) {
  T value{};
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty();
}

/// A decimal number from 0 to 2^64 - 1; CLI11 wraps what lies outside.
inline CLI::Validator unsignedNumber() {
  return CLI::Validator(
      [](std::string &text) {
        return isWhole<uint64_t>(text)
                   ? std::string()
                   : "'" + text + "' is not from 0 to 18446744073709551615";
      },
      "0..2^64-1");
}

/// A number of [low, high]; CLI11's Range takes NaN for one.
inline CLI::Validator number(double low, double high) {
  CLI::Range range(low, high);
  return CLI::Validator(
      [low, high](std::string &text) {
        double value = std::nan("");
        const char *end = text.data() + text.size();
        auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc() && stop == end && value >= low &&
            value <= high)
          return std::string();
        char limits[64];
        std::snprintf(limits, sizeof limits, "%g to %g", low, high);
        return "'" + text + "' is not from " + limits;
      },
      range.get_description());
}

/// A name of at least one character.
inline CLI::Validator nonEmpty() {
  return CLI::Validator(
      [](std::string &text) {
        return text.empty() ? std::string("the name is empty; give a file")
                            : std::string();
      },
      "");
}

/// A file that can be made or replaced now, so that a long run does not end
/// with nothing written.
inline CLI::Validator writableFile() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        namespace fs = std::filesystem;
        std::error_code ignored;
        fs::path path(text), folder = path.parent_path();
        if (text.empty())
          return "the name is empty; give a file";
        if (fs::is_directory(path, ignored))
          return "cannot write '" + text + "': it is a folder";
        if (folder.empty())
          folder = ".";
        if (!fs::is_directory(folder, ignored))
          return "cannot write '" + text + "': no folder '" + folder.string() +
                 "'; make it first";
        const fs::path &target = fs::exists(path, ignored) ? path : folder;
        return access(target.c_str(), W_OK) == 0
                   ? std::string()
                   : "cannot write '" + text + "': no permission";
      },
      "");
}

} // namespace ringi::commandline

#endif // RINGI_TOOLS_COMMANDLINE_H
