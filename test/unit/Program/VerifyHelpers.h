//===- VerifyHelpers.h - A step program with one rule broken ----*- C++ -*-===//
//
// Part of Ringi. The valid program that the verifier's tests start from, and
// the error that they expect.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TEST_UNIT_PROGRAM_VERIFYHELPERS_H
#define RINGI_TEST_UNIT_PROGRAM_VERIFYHELPERS_H

#include "TestPrograms.h"

#include <gtest/gtest.h>

namespace ringi::program::test {

inline StepProgramT make(const PerceptronOptions &options = {}) {
  return std::move(perceptron(options).finish().program);
}

inline StepProgramT makeRecompute() { return make({.recompute = true}); }

inline size_t findOp(const StepProgramT &program, OpKind kind,
                     bool clone = false) {
  for (size_t i = 0; i < program.ops.size(); ++i)
    if (program.ops[i]->kind == kind && (program.ops[i]->origin >= 0) == clone)
      return i;
  ADD_FAILURE() << "no such op";
  return 0;
}

inline BufferT &bufferOf(StepProgramT &program, uint32_t value) {
  return *program.buffers[program.values[value]->buffer];
}

inline void expectError(const StepProgramT &program, const std::string &part) {
  Status status = verifyProgram(program);
  ASSERT_FALSE(status) << "expected: " << part;
  EXPECT_NE(status.error().message.find(part), std::string::npos)
      << status.error().message;
  EXPECT_EQ(status.error().exitCode(), 2);
  EXPECT_NE(status.error().message.find("; export the program again"),
            std::string::npos);
}

} // namespace ringi::program::test

#endif // RINGI_TEST_UNIT_PROGRAM_VERIFYHELPERS_H
