//===- JsonSupport.cpp - What the JSON files share ------------------------===//
//
// Part of Ringi. See JsonSupport.h.
//
//===----------------------------------------------------------------------===//

#include "JsonSupport.h"

#include <charconv>
#include <cmath>

namespace ringi::planner {

using nlohmann::json;

std::string jsonErrorText(const json::exception &error) {
  std::string_view text = error.what();
  // "[json.exception.parse_error.101] parse error at ...".
  if (size_t end = text.find("] "); end != std::string_view::npos)
    text.remove_prefix(end + 2);
  return std::string(text);
}

Expected<json> parseJson(std::string_view text) {
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::exception &error) {
    return Error::badInput("not valid JSON: " + jsonErrorText(error));
  }
}

void appendString(std::string &out, std::string_view text) {
  out += '"';
  for (char c : text) {
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        const char *digits = "0123456789abcdef";
        out += "\\u00";
        out += digits[c >> 4];
        out += digits[c & 15];
      } else {
        out += c;
      }
    }
  }
  out += '"';
}

void appendNumber(std::string &out, double value) {
  char text[40];
  auto [end, error] = std::to_chars(text, text + sizeof text, value);
  (void)error;
  out.append(text, end);
}

namespace {

Expected<const json *> get(const json &object, const char *key,
                           const std::string &where) {
  if (!object.is_object())
    return Error::badInput(where + " must be an object");
  auto field = object.find(key);
  if (field == object.end())
    return Error::badInput(where + " has no field '" + key + "'");
  return &*field;
}

Error wrongType(const char *key, const std::string &where, const char *type) {
  return Error::badInput("field '" + std::string(key) + "' of " + where +
                         " must be " + type);
}

} // namespace

Expected<int64_t> getInteger(const json &object, const char *key,
                             const std::string &where) {
  Expected<const json *> field = get(object, key, where);
  if (!field)
    return field.error();
  if ((*field)->is_number_unsigned() &&
      (*field)->get<uint64_t>() > uint64_t(INT64_MAX))
    return wrongType(key, where, "a whole number below 2^63");
  if ((*field)->is_number_integer())
    return (*field)->get<int64_t>();
  // Python writes 1e9 for large sizes.
  if ((*field)->is_number_float()) {
    double value = (*field)->get<double>();
    if (value == std::floor(value) && std::fabs(value) < 0x1p62)
      return int64_t(value);
  }
  return wrongType(key, where, "a whole number below 2^63");
}

Expected<double> getNumber(const json &object, const char *key,
                           const std::string &where) {
  Expected<const json *> field = get(object, key, where);
  if (!field)
    return field.error();
  if (!(*field)->is_number())
    return wrongType(key, where, "a number");
  return (*field)->get<double>();
}

Expected<std::string> getString(const json &object, const char *key,
                                const std::string &where) {
  Expected<const json *> field = get(object, key, where);
  if (!field)
    return field.error();
  if (!(*field)->is_string())
    return wrongType(key, where, "a string");
  return (*field)->get<std::string>();
}

Expected<const json *> getArray(const json &object, const char *key,
                                const std::string &where) {
  Expected<const json *> field = get(object, key, where);
  if (!field)
    return field.error();
  if (!(*field)->is_array())
    return wrongType(key, where, "an array");
  return *field;
}

} // namespace ringi::planner
