//===- NumberText.h - A number as a person writes it ------------*- C++ -*-===//
//
// Part of Ringi. Messages show 0.1 and 1e+06, neither 0.100000 nor
// 1.000000e-01.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_SUPPORT_NUMBERTEXT_H
#define RINGI_SUPPORT_NUMBERTEXT_H

#include <charconv>
#include <string>

namespace ringi {

/// The shortest text that reads back as `value`.
inline std::string numberText(double value) {
  // 24 characters are the longest there are.
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

} // namespace ringi

#endif // RINGI_SUPPORT_NUMBERTEXT_H
