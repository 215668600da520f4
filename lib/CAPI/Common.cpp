//===- Common.cpp - Errors and texts of the C API ---------------*- C++ -*-===//
//
// Part of Ringi. One message per thread.
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include <cstdlib>
#include <cstring>

using namespace ringi;

static std::string &lastError() {
  thread_local std::string message;
  return message;
}

RingiStatus capi::fail(const Error &error) {
  lastError() = error.message;
  return error.kind == Error::Kind::Refused ? RINGI_REFUSED : RINGI_BAD_INPUT;
}

RingiStatus capi::failNull(const char *what) {
  return fail(Error::badInput(std::string(what) + " is NULL"));
}

char *capi::copyText(const std::string &text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

const char *ringiLastError(void) { return lastError().c_str(); }

void ringiTextDestroy(char *text) { std::free(text); }
