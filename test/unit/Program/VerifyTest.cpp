//===- VerifyTest.cpp - Every rule of a step program, broken once ---------===//
//
// Part of Ringi. Starts from a valid perceptron step, breaks one rule and
// expects the error that names it.
//
//===----------------------------------------------------------------------===//

#include "VerifyHelpers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::program::test;

namespace {

TEST(Verify, AcceptsEveryVariant) {
  for (bool recompute : {false, true})
    for (OpKind optimizer : {OpKind::Sgd, OpKind::Momentum, OpKind::AdamW})
      for (ElementType type :
           {ElementType::F64, ElementType::F32, ElementType::BF16}) {
        Status status = verifyProgram(make({recompute, optimizer, type}));
        EXPECT_TRUE(status) << status.error().message;
      }
}

TEST(Verify, RecomputeLowersSavedBytesOnly) {
  StepProgramT keep = make(), again = makeRecompute();
  // r (in the bytes of h), d and y are kept; y alone when d and r come again.
  EXPECT_EQ(keep.claims->saved_activation_bytes, 512u + 512 + 256);
  EXPECT_EQ(again.claims->saved_activation_bytes, 256u);
  EXPECT_EQ(again.claims->recompute_flops, 2.0 * 6 * 8 * 16);
  EXPECT_EQ(keep.claims->recompute_flops, 0);
  // What only forward reads, the loss too, is no recompute.
  auto has = [](const StepProgramT &program, Category category) {
    return std::any_of(
        program.buffers.begin(), program.buffers.end(),
        [&](const auto &buffer) { return buffer->category == category; });
  };
  EXPECT_FALSE(has(keep, Category::RecomputedTemporary));
  EXPECT_TRUE(has(again, Category::RecomputedTemporary));
  EXPECT_EQ(bufferOf(keep, keep.ops[4]->results[0]).category,
            Category::ForwardTemporary);
  EXPECT_EQ(again.claims->total_flops - again.claims->recompute_flops,
            keep.claims->total_flops);
}

TEST(Verify, Header) {
  StepProgramT program = make();
  program.alignment = 100;
  expectError(program, "has alignment 100");
  program = make();
  program.ops.clear();
  expectError(program, "has 0 ops");
  program = make();
  program.claims = nullptr;
  expectError(program, "has no claims");
  program = make();
  program.claims->planned_peak.push_back(0);
  expectError(program, "give 2 planned peaks");
  program = make();
  program.gemm_workspace = UINT64_MAX;
  expectError(program, "bytes of GEMM workspace");
  program = make();
  program.ops[3] = nullptr;
  expectError(program, "lacks number 3 of its ops");
}

TEST(Verify, Buffers) {
  auto broken = [](auto change, const std::string &part) {
    StepProgramT program = make();
    change(*program.buffers[3]);
    expectError(program, part);
  };
  broken([](BufferT &b) { b.arena = 1; }, "is in arena 1");
  broken([](BufferT &b) { b.category = Category(99); },
         "has unknown category 99");
  broken([](BufferT &b) { b.offset += 8; }, "positive multiples of 256");
  broken([](BufferT &b) { b.bytes = 0; }, "positive multiples of 256");
  broken([](BufferT &b) { b.offset = UINT64_MAX - 255; }, "ends at offset");
  broken([](BufferT &b) { b.bytes = uint64_t(1) << 63; }, "ends at offset");
  broken([](BufferT &b) { b.last = 4000; }, "lives from 0 to 4000");
  broken([](BufferT &b) { b.reuses = 4000; }, "reuses buffer 4000");
  broken([](BufferT &b) { b.bytes += 256; }, "its values and workspaces need");
  broken([](BufferT &b) { b.persistent = false; }, "which is not persistent");
  broken([](BufferT &b) { b.last -= 1; }, "its ops give");
}

TEST(Verify, OneSizeDoubledNamesBothNumbers) {
  // A plan with one size doubled fails with the place and both numbers.
  StepProgramT program = make();
  BufferT &buffer = bufferOf(program, program.ops[3]->results[0]);
  ASSERT_EQ(buffer.bytes, 256u);
  buffer.bytes = 512;
  expectError(program, "has 512 bytes, its values and workspaces need 256");
}

TEST(Verify, Values) {
  auto broken = [](auto change, const std::string &part) {
    StepProgramT program = make();
    change(*program.values[0]);
    expectError(program, part);
  };
  broken([](ValueT &v) { v.buffer = 999; }, "is in buffer 999");
  broken([](ValueT &v) { v.element_type = ElementType(77); },
         "has unknown element type 77");
  broken([](ValueT &v) { v.shape.assign(9, 1); }, "has rank 9");
  broken([](ValueT &v) { v.shape = {0, 3}; }, "dimensions of 1 or more");
  broken([](ValueT &v) { v.shape = {1u << 31, 1u << 31, 8}; },
         "does not fit buffer");
  broken([](ValueT &v) { v.byte_offset = 128; }, "does not fit buffer");
  broken([](ValueT &v) { v.shape = {6, 9}; },
         "contracts 9 columns of a with 8");
  broken(
      [](ValueT &v) {
        v.shape = {2, 8};
        v.byte_offset = 2;
      },
      "multiple of its 4-byte elements");
}

TEST(Verify, Ops) {
  auto broken = [](auto change, const std::string &part) {
    StepProgramT program = make();
    change(*program.ops[2], program);
    expectError(program, part);
  };
  using P = StepProgramT;
  broken([](OpT &op, P &) { op.kind = OpKind(500); }, "has unknown kind 500");
  broken([](OpT &op, P &) { op.kind = OpKind::Constant; }, "is a constant");
  broken([](OpT &op, P &) { op.op_class = OpClass(50); }, "unknown class 50");
  broken([](OpT &op, P &) { op.phase = Phase(9); }, "unknown phase 9");
  broken([](OpT &op, P &) { op.operands[0] = 5000; }, "names value 5000");
  broken([](OpT &op, P &) { op.operands.pop_back(); },
         "has 2 operands, expected 3");
  broken([](OpT &op, P &) { op.workspace = 5000; }, "workspace buffer 5000");
  broken([](OpT &op, P &) { op.workspace = 0; }, "its kernel needs 0");
  broken([](OpT &op, P &) { op.origin = 2; }, "expected an earlier op");
  broken([](OpT &op, P &) { op.flops = -1; }, "FLOPs, expected 0 or more");
  broken([](OpT &op, P &) { op.flops = INFINITY; }, "expected 0 or more");
  broken([](OpT &op, P &) { op.attributes->probability = 1; },
         "attribute probability is 1");
  broken([](OpT &op, P &) { op.attributes->factor = NAN; }, "is not a number");
  broken([](OpT &op, P &) { op.operands[1] = op.operands[0]; },
         "operand 1 (seed) is f32[6x16], expected i64[]");
  broken([](OpT &, P &p) { p.ops[0]->flops += 1; }, "its shapes give");
  broken([](OpT &, P &p) { p.ops.back()->phase = Phase::Backward; },
         "has phase backward, expected optimizer");
}

TEST(Verify, MissingScratch) {
  ProgramBuilder b("embedding");
  auto ids = b.input("ids", ElementType::I32, {4}, Role::Input,
                     Initializer::Tokens, 10);
  auto dy = b.input("dy", ElementType::F32, {4, 8});
  auto table = b.op(OpKind::EmbeddingBackward, {dy, ids},
                    {{ElementType::F32, {10, 8}}})[0];
  b.output("table", table, Role::Output);
  StepProgramT program = std::move(b.finish().program);
  ASSERT_GE(program.ops[0]->workspace, 0)
      << "embedding_backward sorts in scratch";
  EXPECT_TRUE(verifyProgram(program));
  program.ops[0]->workspace = -1;
  expectError(program, "has a workspace of 0 bytes, its kernel needs");
}

TEST(Verify, InputsAndOutputs) {
  auto broken = [](auto change, const std::string &part) {
    StepProgramT program = make({.optimizer = OpKind::AdamW});
    change(program);
    expectError(program, part);
  };
  using P = StepProgramT;
  broken([](P &p) { p.inputs[0]->value = 999; }, "input 'x' names value 999");
  broken([](P &p) { p.inputs[0]->role = Role::Loss; }, "a role of inputs");
  broken([](P &p) { p.inputs[0]->initializer = Initializer(9); },
         "unknown initializer 9");
  broken([](P &p) { p.inputs[0]->initializer = Initializer::Tokens; },
         "expected an integer type");
  broken([](P &p) { p.inputs[0]->init_scale = -1; }, "a scale >= 0");
  broken([](P &p) { p.inputs[0]->initializer = Initializer::Data; },
         "takes segment -1");
  broken([](P &p) { p.inputs[0]->role = Role::Seed; }, "expected i64[]");
  broken([](P &p) { p.inputs[0]->role = Role::LearningRate; },
         "expected f32[] or f64[]");
  broken([](P &p) { p.inputs[1]->name = "x"; }, "of another input");
  broken([](P &p) { p.outputs[0]->value = 999; }, "names value 999");
  broken([](P &p) { p.outputs[0]->role = Role::Input; }, "a role of outputs");
  broken([](P &p) { p.outputs[0]->updates = -1; }, "updates input -1");
  broken([](P &p) { p.outputs[0]->updates = 0; },
         "expected the bytes of input");
  broken([](P &p) { p.outputs[0]->role = Role::Loss; }, "float scalar");
  broken(
      [](P &p) {
        p.outputs[1]->updates = p.outputs[0]->updates;
        p.outputs[1]->value = p.outputs[0]->value;
      },
      "which another output updates too");
  broken([](P &p) { p.outputs.erase(p.outputs.begin()); },
         "the next step reads value");
}

} // namespace
