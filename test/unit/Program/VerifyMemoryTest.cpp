//===- VerifyMemoryTest.cpp - Rules of bytes and contents, broken once ----===//
//
// Part of Ringi. What lies where and when, in-place results, clones, views and
// the claims: one rule broken at a time.
//
//===----------------------------------------------------------------------===//

#include "VerifyHelpers.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::program::test;

namespace {

TEST(Verify, LiveBuffersMayNotOverlap) {
  StepProgramT program = make();
  // d moves onto the bytes of r, which lives as long.
  BufferT &r = bufferOf(program, program.ops[1]->results[0]);
  bufferOf(program, program.ops[2]->results[0]).offset = r.offset;
  expectError(program, "overlaps buffer");
}

TEST(Verify, ReuseMustBeWhatTheOpDoes) {
  StepProgramT program = make();
  size_t dropout = findOp(program, OpKind::Dropout);
  uint32_t d = program.ops[dropout]->results[0];
  uint32_t r = program.ops[dropout]->operands[0];
  // r lives on, so that d may not take it over.
  bufferOf(program, d).reuses = int32_t(program.values[r]->buffer);
  bufferOf(program, d).offset = bufferOf(program, r).offset;
  expectError(program, "which lives until op");

  // mse_backward may run over the prediction, not over the target.
  program = make();
  size_t mse = findOp(program, OpKind::MseBackward);
  std::swap(program.ops[mse]->operands[1], program.ops[mse]->operands[2]);
  expectError(program, "does not write one over the other in place");
}

TEST(Verify, OverwrittenOperandIsSeenThroughMemory) {
  // relu's output is needed by relu_backward; scale in place over it destroys
  // that version although every name is right.
  ProgramBuilder b("overwrite");
  auto x = b.input("x", ElementType::F32, {8});
  auto r = b.unary(OpKind::Relu, {x});
  AttributesT scale;
  scale.factor = 2;
  auto y = b.unary(OpKind::Scale, {r}, 0, scale);
  auto dx = b.unary(OpKind::ReluBackward, {y, r}, 0, {}, Phase::Backward);
  b.output("dx", dx, Role::Output);
  StepProgramT program = std::move(b.finish().program);
  ASSERT_TRUE(verifyProgram(program));
  // y becomes another value in the buffer of r: in place for scale.
  program.values[y]->buffer = program.values[r]->buffer;
  program.buffers.erase(program.buffers.begin() + 2);
  program.values[dx]->buffer -= 1;
  fillClaims(program);
  program.claims->planned_peak = {1024};
  program.buffers[2]->offset = 768;
  fillClaims(program);
  expectError(program, "whose bytes hold what op 1 scale wrote");
}

/// Two ops of eight floats each, every one in its own buffer.
StepProgramT makeChain(OpKind second = OpKind::Scale) {
  ProgramBuilder b("chain");
  auto x = b.input("x", ElementType::F32, {8});
  auto r = b.unary(OpKind::Relu, {x});
  b.output("y", b.unary(second, {r}), Role::Output);
  return std::move(b.finish().program);
}

TEST(Verify, ReadBeforeWrite) {
  StepProgramT program = makeChain();
  // The first op reads what only the second one writes.
  program.ops[0]->operands[0] = program.ops[1]->results[0];
  program.ops[1]->operands[0] = program.inputs[0]->value;
  fillClaims(program);
  expectError(program,
              "op 0 relu reads value 2 'scale1' before byte 0 of 32 is "
              "written");
}

TEST(Verify, ValueWrittenTwice) {
  StepProgramT program = makeChain();
  program.ops[0]->results[0] = program.ops[1]->results[0];
  program.ops[1]->operands[0] = program.inputs[0]->value;
  program.buffers.erase(program.buffers.begin() + 1);
  program.values.erase(program.values.begin() + 1);
  for (auto &op : program.ops)
    op->results[0] = program.outputs[0]->value = 1;
  program.values[1]->buffer = 1;
  fillClaims(program);
  expectError(program, "which is an input or written before");
}

TEST(Verify, ResultsOfOneOpAreApart) {
  ProgramBuilder b("norm");
  auto x = b.input("x", ElementType::F32, {2, 8});
  auto gamma = b.input("gamma", ElementType::F32, {8});
  auto results = b.op(OpKind::LayerNorm, {x, gamma, gamma},
                      {{ElementType::F32, {2, 8}},
                       {ElementType::F32, {2}},
                       {ElementType::F32, {2}}});
  b.output("mean", results[1], Role::Output);
  b.output("rstd", results[2], Role::Output);
  StepProgramT program = std::move(b.finish().program);
  ASSERT_TRUE(verifyProgram(program)) << verifyProgram(program).error().message;
  // The statistics share one buffer and half of their bytes.
  program.values[results[2]]->buffer = program.values[results[1]]->buffer;
  program.values[results[2]]->byte_offset = 4;
  program.buffers.erase(program.buffers.begin() + 4);
  fillClaims(program);
  expectError(program, "over its result");
}

TEST(Verify, InPlaceOnlyWhereTheKindAllowsIt) {
  // A product cannot be written over its factors, nor a view's part over all.
  ProgramBuilder b("product");
  auto x = b.input("x", ElementType::F32, {8, 8});
  auto r = b.unary(OpKind::Relu, {x});
  b.output("y", b.op(OpKind::Matmul, {r, r}, {{ElementType::F32, {8, 8}}})[0],
           Role::Output);
  StepProgramT program = std::move(b.finish().program);
  ASSERT_TRUE(verifyProgram(program));
  program.values[program.ops[1]->results[0]]->buffer =
      program.values[r]->buffer;
  program.buffers.erase(program.buffers.begin() + 2);
  fillClaims(program);
  expectError(program,
              "over its operand value 1 'relu0', which it may not do in "
              "place");
}

TEST(Verify, WorkspaceDestroysWhatItLiesOver) {
  ProgramBuilder b("scratch");
  auto ids = b.input("ids", ElementType::I32, {4}, Role::Input,
                     Initializer::Tokens, 10);
  auto dy = b.input("dy", ElementType::F32, {4, 8});
  auto table = b.op(OpKind::EmbeddingBackward, {dy, ids},
                    {{ElementType::F32, {10, 8}}})[0];
  b.output("table", table, Role::Output);
  StepProgramT program = std::move(b.finish().program);
  ASSERT_TRUE(verifyProgram(program));
  // In the bytes of its operand.
  OpT &op = *program.ops[0];
  uint32_t scratch = uint32_t(op.workspace);
  op.workspace = int32_t(program.values[dy]->buffer);
  program.buffers.erase(program.buffers.begin() + scratch);
  for (auto &value : program.values)
    value->buffer -= value->buffer > scratch;
  fillClaims(program);
  expectError(program, "which is persistent or holds a value");
}

TEST(Verify, IndicesComeFromInputs) {
  // Computed indices could leave the table; those of inputs are checked.
  ProgramBuilder b("computed");
  auto ids = b.input("ids", ElementType::I32, {4}, Role::Input,
                     Initializer::Tokens, 10);
  auto table = b.input("table", ElementType::F32, {10, 8}, Role::Parameter);
  auto part = b.op(OpKind::Slice, {ids}, {{ElementType::I32, {4}}})[0];
  b.output(
      "rows",
      b.op(OpKind::Embedding, {part, table}, {{ElementType::F32, {4, 8}}})[0],
      Role::Output);
  expectError(b.finish().program, "takes its indices from");
}

TEST(Verify, InputsDoNotShareBytes) {
  ProgramBuilder b("shared");
  auto x = b.input("x", ElementType::F32, {8});
  auto y = b.input("y", ElementType::F32, {8});
  b.output("z", b.op(OpKind::Add, {x, y}, {{ElementType::F32, {8}}})[0],
           Role::Output);
  StepProgramT program = std::move(b.finish().program);
  ASSERT_TRUE(verifyProgram(program));
  program.values[y]->buffer = program.values[x]->buffer;
  program.buffers.erase(program.buffers.begin() + 1);
  program.values[program.ops[0]->results[0]]->buffer -= 1;
  fillClaims(program);
  expectError(program, "input 'y' shares bytes with another input");
}

TEST(Verify, OnesNeedATypeThatHoldsThem) {
  ProgramBuilder b("ones");
  b.input("scale", ElementType::F8E4M3FN, {4}, Role::ConstantState,
          Initializer::Ones);
  auto x = b.input("x", ElementType::F32, {8});
  b.output("y", b.unary(OpKind::Relu, {x}), Role::Output);
  expectError(b.finish().program, "with initializer ones, expected f64, f32, "
                                  "bf16, f16 or an integer type");
}

TEST(Verify, UpdateMustStayInItsBytes) {
  ProgramBuilder b("update");
  auto w = b.input("w", ElementType::F32, {64}, Role::Parameter);
  auto g = b.input("g", ElementType::F32, {64});
  auto other = b.input("other", ElementType::F32, {64}, Role::Parameter);
  auto updated = b.update(OpKind::Sgd, {w, g, b.learningRate()});
  StepProgramT program = std::move(b.finish().program);
  ASSERT_TRUE(verifyProgram(program)) << verifyProgram(program).error().message;
  program.values[updated[0]]->buffer = program.values[other]->buffer;
  program.outputs[0]->updates = 2;
  expectError(program, "must write value");
}

TEST(Verify, CloneMustEqualItsOrigin) {
  auto broken = [](auto change, const std::string &part) {
    StepProgramT program = makeRecompute();
    change(program);
    expectError(program, part);
  };
  auto dropout = [](StepProgramT &p) -> OpT & {
    return *p.ops[findOp(p, OpKind::Dropout, true)];
  };
  using P = StepProgramT;
  broken([&](P &p) { dropout(p).attributes->random_id = 8; },
         "with other attributes");
  broken([&](P &p) { dropout(p).attributes->probability = 0.5; },
         "with other attributes");
  broken([&](P &p) { dropout(p).kind = OpKind::DropoutBackward; },
         "with other kind");
  broken([&](P &p) { dropout(p).flops = 3; }, "with other class or FLOPs");
  broken([&](P &p) { dropout(p).origin = 7; }, "which is a clone itself");
  broken(
      [](P &p) {
        // Without its bias.
        OpT &matmul = *p.ops[findOp(p, OpKind::Matmul, true)];
        matmul.operands.pop_back();
      },
      "with other operand or result shapes");
  broken([](P &p) { p.ops.back()->origin = int32_t(p.ops.size()) - 2; },
         "is a clone of an update, which changes state");
  broken(
      [&](P &p) {
        // x and t have one shape: the clone of the matmul reads the wrong one.
        OpT &matmul = *p.ops[findOp(p, OpKind::Matmul, true)];
        matmul.operands[0] = p.inputs[1]->value;
      },
      "with other data in operand 0");
}

TEST(Verify, Claims) {
  auto broken = [](auto change, const std::string &part) {
    StepProgramT program = makeRecompute();
    change(*program.claims);
    expectError(program, part);
  };
  broken([](ClaimsT &c) { c.live_peak += 1; }, "give live_peak");
  broken([](ClaimsT &c) { c.planned_peak[0] += 256; }, "give planned_peak");
  broken([](ClaimsT &c) { c.peak_op += 1; }, "give peak_op");
  broken([](ClaimsT &c) { c.saved_activation_bytes = 0; },
         "give saved_activation_bytes 0, the ops give 256");
  broken([](ClaimsT &c) { c.total_flops *= 2; }, "give total_flops");
  broken([](ClaimsT &c) { c.recompute_flops = 0; }, "give recompute_flops");
  broken([](ClaimsT &c) { c.categories_at_peak.clear(); },
         "bytes at the peak 0, the ops give");
  broken(
      [](ClaimsT &c) {
        c.categories_at_peak.push_back(c.categories_at_peak[0]);
      },
      "list category");
  StepProgramT program = makeRecompute();
  bufferOf(program, program.ops[3]->results[0]).category =
      Category::RecomputedTemporary;
  expectError(program, "has category recomputed_temporary, its ops make it "
                       "saved_activation");
}

TEST(Verify, ViewsReadTheFirstContents) {
  ProgramBuilder b("views");
  auto x = b.input("x", ElementType::F32, {4, 6});
  auto w = b.input("w", ElementType::F32, {6, 12});
  auto qkv = b.op(OpKind::Matmul, {x, w}, {{ElementType::F32, {4, 12}}})[0];
  auto flat = b.view(qkv, {48});
  auto part = b.view(qkv, {2, 12}, 96);
  auto y = b.unary(OpKind::Relu, {flat});
  auto z = b.unary(OpKind::Relu, {part});
  b.output("y", y, Role::Output);
  b.output("z", z, Role::Output);
  StepProgramT program = std::move(b.finish().program);
  Status status = verifyProgram(program);
  EXPECT_TRUE(status) << status.error().message;
  // A view that leaves its buffer.
  program.values[part]->byte_offset = 256;
  expectError(program, "does not fit buffer");
}

} // namespace
