//===- PartialFile.h - Where a file is written at first ---------*- C++ -*-===//
//
// Part of Ringi. A file appears under its name when it is complete: it is
// written beside its place and then renamed. A rename onto a device, a pipe or
// a link (/dev/stdout is one) would replace it, so these are written directly.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_SUPPORT_PARTIALFILE_H
#define RINGI_SUPPORT_PARTIALFILE_H

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace ringi {

/// The path to write before `publishPartial`: `path` with ".part" where `path`
/// is new, a regular file or a folder (the rename then fails); else `path`.
inline std::string partialPath(const std::string &path) {
  std::error_code ignored;
  auto type = std::filesystem::symlink_status(path, ignored).type();
  bool direct = type != std::filesystem::file_type::not_found &&
                type != std::filesystem::file_type::none &&
                type != std::filesystem::file_type::regular &&
                type != std::filesystem::file_type::directory;
  return direct ? path : path + ".part";
}

/// Gives the written file its name; false with errno set where that fails.
inline bool publishPartial(const std::string &partial,
                           const std::string &path) {
  return partial == path || std::rename(partial.c_str(), path.c_str()) == 0;
}

/// Removes what a failed write left; a file that is written directly stays.
inline void discardPartial(const std::string &partial,
                           const std::string &path) {
  if (partial != path)
    std::remove(partial.c_str());
}

} // namespace ringi

#endif // RINGI_SUPPORT_PARTIALFILE_H
