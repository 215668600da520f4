//===- Expected.h - A value or one clear error ------------------*- C++ -*-===//
//
// Part of Ringi. The error type of everything that does not depend on LLVM: the
// planner and the runtime report bad input as an Error value that reaches the
// tool's main and becomes one line and an exit code; nothing throws.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_SUPPORT_EXPECTED_H
#define RINGI_SUPPORT_EXPECTED_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace ringi {

/// One user-facing message: lower-case start, no final period, the place, both
/// numbers, the remedy after ';'.
struct Error {
  /// Which exit code the tools give: a plan that cannot exist is not the same
  /// as input that cannot be read.
  enum class Kind { BadInput, Refused };
  std::string message;
  Kind kind = Kind::BadInput;

  static Error badInput(std::string message) {
    return {std::move(message), Kind::BadInput};
  }
  static Error refused(std::string message) {
    return {std::move(message), Kind::Refused};
  }
  /// 1 for refused plans, 2 for bad input.
  int exitCode() const { return kind == Kind::Refused ? 1 : 2; }
};

/// Either a T or an Error. Test with operator bool before dereferencing.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return *std::get_if<0>(&state); }
  const T &operator*() const { return *std::get_if<0>(&state); }
  T *operator->() { return std::get_if<0>(&state); }
  const T *operator->() const { return std::get_if<0>(&state); }
  const Error &error() const {
    assert(!*this && "no error in a successful Expected");
    return *std::get_if<1>(&state);
  }

private:
  std::variant<T, Error> state;
};

/// The outcome of an action without a result: success, or an Error.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)), failed(true) {}

  static Status success() { return {}; }
  explicit operator bool() const { return !failed; }
  const Error &error() const { return failure; }

private:
  Error failure;
  bool failed = false;
};

} // namespace ringi

#endif // RINGI_SUPPORT_EXPECTED_H
