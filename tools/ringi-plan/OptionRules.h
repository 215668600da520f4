//===- OptionRules.h - Options that a command would not read ----*- C++ -*-===//
//
// Part of Ringi. An option that is given but not read is an error: it was meant
// to change something.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_PLAN_OPTIONRULES_H
#define RINGI_TOOLS_RINGI_PLAN_OPTIONRULES_H

#include "ringi/Support/Expected.h"

#include <CLI/CLI.hpp>

#include <initializer_list>
#include <string>

namespace ringi::tool {

struct OptionRule {
  /// As declared: "--segments".
  const char *option;
  /// Whether the command as it was given reads the option.
  bool isRead;
  /// Where it is read and what to do, after the option's name: "is read by
  /// --pareto only; drop it or give --pareto".
  std::string why;
};

/// Refuses the first option that was given to `app` and is not read.
Status checkRules(const CLI::App &app, std::initializer_list<OptionRule> rules);

} // namespace ringi::tool

#endif // RINGI_TOOLS_RINGI_PLAN_OPTIONRULES_H
