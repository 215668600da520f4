//===- Progress.h - A line on the terminal while something runs -*- C++ -*-===//
//
// Part of Ringi. Long searches say what they are at, on stderr and only where
// that is a terminal, so that files and pipes never see it.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_PLAN_PROGRESS_H
#define RINGI_TOOLS_RINGI_PLAN_PROGRESS_H

#include <cstdio>
#include <string>
#include <unistd.h>

namespace ringi::tool {

/// Each line is written over the one before.
class Progress {
public:
  Progress() : shown(isatty(STDERR_FILENO)) {}
  ~Progress() { clear(); }

  void say(const std::string &what) const {
    if (shown)
      std::fprintf(stderr,
                   "\r\033[Kringi-plan: %s (Ctrl-C for the best so far)",
                   what.c_str());
  }
  /// Before anything else is printed.
  void clear() const {
    if (shown)
      std::fprintf(stderr, "\r\033[K");
  }

private:
  bool shown;
};

} // namespace ringi::tool

#endif // RINGI_TOOLS_RINGI_PLAN_PROGRESS_H
