//===- JsonSupport.h - What the JSON files share ----------------*- C++ -*-===//
//
// Part of Ringi. Escaping for the writers and typed field access with uniform
// errors for the readers that build a document tree.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_JSONSUPPORT_H
#define RINGI_LIB_PLANNER_JSONSUPPORT_H

#include "ringi/Support/Expected.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ringi::planner {

/// Parses a document; the error gives the byte where it stops being JSON.
Expected<nlohmann::json> parseJson(std::string_view text);

/// The parser's complaint without its library's prefix.
std::string jsonErrorText(const nlohmann::json::exception &error);

/// Appends `text` as a JSON string.
void appendString(std::string &out, std::string_view text);
/// Appends a number so that it reads back to the same double.
void appendNumber(std::string &out, double value);

/// Typed access to `object[key]`; `where` names the object in the error.
Expected<int64_t> getInteger(const nlohmann::json &object, const char *key,
                             const std::string &where);
Expected<double> getNumber(const nlohmann::json &object, const char *key,
                           const std::string &where);
Expected<std::string> getString(const nlohmann::json &object, const char *key,
                                const std::string &where);
Expected<const nlohmann::json *> getArray(const nlohmann::json &object,
                                          const char *key,
                                          const std::string &where);

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_JSONSUPPORT_H
