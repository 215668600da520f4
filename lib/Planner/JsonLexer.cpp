//===- JsonLexer.cpp - The events of plain JSON, quickly ------------------===//
//
// Part of Ringi. No recursion: a stack of open brackets, so that no depth of
// nesting is a danger.
//
//===----------------------------------------------------------------------===//

#include "JsonLexer.h"

#include <charconv>

namespace ringi::planner {

namespace {

using nlohmann::json;

class Lexer {
public:
  Lexer(std::string_view text, nlohmann::json_sax<json> &events)
      : at(text.data()), end(text.data() + text.size()), events(events) {}

  LexOutcome run() {
    if (!value())
      return outcome;
    while (!open.empty())
      if (!next())
        return outcome;
    skipSpace();
    return at == end ? LexOutcome::Done : LexOutcome::NotPlain;
  }

private:
  /// Both end the run: what the reader refuses, and what is not plain.
  bool tell(bool accepted) {
    outcome = LexOutcome::Stopped;
    return accepted;
  }
  bool giveUp() {
    outcome = LexOutcome::NotPlain;
    return false;
  }

  void skipSpace() {
    while (at != end &&
           (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
      ++at;
  }
  /// Consumes `c` after spaces, if it comes next.
  bool take(char c) {
    skipSpace();
    if (at == end || *at != c)
      return false;
    ++at;
    return true;
  }

  /// What follows a complete value inside an object or array.
  bool next() {
    const bool inObject = open.back();
    if (take(inObject ? '}' : ']')) {
      open.pop_back();
      return tell(inObject ? events.end_object() : events.end_array());
    }
    if (!take(','))
      return giveUp();
    return inObject ? member() : value();
  }

  bool member() {
    if (!take('"') || !readString())
      return giveUp();
    if (!tell(events.key(buffer)))
      return false;
    return take(':') ? value() : giveUp();
  }

  /// A scalar, or an opening bracket and, unless empty, its first element.
  bool value() {
    skipSpace();
    if (at == end)
      return giveUp();
    switch (*at) {
    case '{':
      ++at;
      open.push_back(true);
      if (!tell(events.start_object(size_t(-1))))
        return false;
      if (take('}')) {
        open.pop_back();
        return tell(events.end_object());
      }
      return member();
    case '[':
      ++at;
      open.push_back(false);
      if (!tell(events.start_array(size_t(-1))))
        return false;
      if (take(']')) {
        open.pop_back();
        return tell(events.end_array());
      }
      return value();
    case '"':
      ++at;
      return readString() ? tell(events.string(buffer)) : giveUp();
    case 't':
      return word("true") ? tell(events.boolean(true)) : giveUp();
    case 'f':
      return word("false") ? tell(events.boolean(false)) : giveUp();
    case 'n':
      return word("null") ? tell(events.null()) : giveUp();
    default:
      return number();
    }
  }

  bool word(std::string_view text) {
    if (size_t(end - at) < text.size() ||
        std::string_view(at, text.size()) != text)
      return false;
    at += text.size();
    return true;
  }

  /// The rest of a string after its opening quote, into `buffer`.
  bool readString() {
    buffer.clear();
    for (const char *from = at; at != end; ++at) {
      const unsigned char c = static_cast<unsigned char>(*at);
      if (c == '"') {
        buffer.append(from, at);
        ++at;
        return true;
      }
      if (c < 0x20 || c >= 0x80)
        return false;
      if (c != '\\')
        continue;
      buffer.append(from, at);
      if (++at == end)
        return false;
      switch (*at) {
      case '"':
      case '\\':
      case '/':
        buffer += *at;
        break;
      case 'b':
        buffer += '\b';
        break;
      case 'f':
        buffer += '\f';
        break;
      case 'n':
        buffer += '\n';
        break;
      case 'r':
        buffer += '\r';
        break;
      case 't':
        buffer += '\t';
        break;
      default:
        return false;
      }
      from = at + 1;
    }
    return false;
  }

  bool isDigit() const { return at != end && *at >= '0' && *at <= '9'; }
  bool digits() {
    if (!isDigit())
      return false;
    while (isDigit())
      ++at;
    return true;
  }

  bool number() {
    const char *from = at;
    const bool negative = *at == '-';
    at += negative;
    if (at != end && *at == '0')
      ++at;
    else if (!digits())
      return giveUp();
    bool whole = true;
    if (at != end && *at == '.') {
      whole = false;
      ++at;
      if (!digits())
        return giveUp();
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
      whole = false;
      ++at;
      if (at != end && (*at == '+' || *at == '-'))
        ++at;
      if (!digits())
        return giveUp();
    }
    if (whole && negative) {
      int64_t result = 0;
      if (std::from_chars(from, at, result).ec == std::errc())
        return tell(events.number_integer(result));
    } else if (whole) {
      uint64_t result = 0;
      if (std::from_chars(from, at, result).ec == std::errc())
        return tell(events.number_unsigned(result));
    }
    double result = 0;
    if (std::from_chars(from, at, result).ec != std::errc())
      return giveUp();
    buffer.assign(from, at);
    return tell(events.number_float(result, buffer));
  }

  const char *at, *end;
  nlohmann::json_sax<json> &events;
  /// Open brackets: true for an object.
  std::vector<bool> open;
  std::string buffer;
  LexOutcome outcome = LexOutcome::NotPlain;
};

} // namespace

LexOutcome lexPlainJson(std::string_view text,
                        nlohmann::json_sax<json> &events) {
  return Lexer(text, events).run();
}

} // namespace ringi::planner
