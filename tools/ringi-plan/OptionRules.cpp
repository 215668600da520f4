//===- OptionRules.cpp - Options that a command would not read ------------===//
//
// Part of Ringi. See OptionRules.h.
//
//===----------------------------------------------------------------------===//

#include "OptionRules.h"

namespace ringi::tool {

Status checkRules(const CLI::App &app,
                  std::initializer_list<OptionRule> rules) {
  for (const OptionRule &rule : rules)
    if (!rule.isRead && app.count(rule.option) > 0)
      return Error::badInput(std::string(rule.option) + " " + rule.why);
  return Status::success();
}

} // namespace ringi::tool
