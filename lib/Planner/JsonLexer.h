//===- JsonLexer.h - The events of plain JSON, quickly ----------*- C++ -*-===//
//
// Part of Ringi. Graph files of a million ops are hundreds of megabytes. Nearly
// all of them are plain: ASCII without \\u escapes. For these one pass feeds a
// reader's events several times faster than a general parser; whatever is not
// plain, malformed text included, is left to that parser and its messages.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_JSONLEXER_H
#define RINGI_LIB_PLANNER_JSONLEXER_H

#include <nlohmann/json.hpp>
#include <string_view>

namespace ringi::planner {

enum class LexOutcome : uint8_t {
  /// One whole document was read.
  Done,
  /// An event returned false.
  Stopped,
  /// Not plain JSON, or no JSON at all: start over with a general parser.
  NotPlain
};

/// Calls the events of `text` in document order, exactly as json::sax_parse
/// would. O(length).
LexOutcome lexPlainJson(std::string_view text,
                        nlohmann::json_sax<nlohmann::json> &events);

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_JSONLEXER_H
