//===- TestPrograms.h - Small training steps for the tests ------*- C++ -*-===//
//
// Part of Ringi. One perceptron step with dropout and a chosen optimizer, with
// and without recompute: every rule of a step program occurs in it (in place,
// clones, updates, scratch, random ops, reuse of bytes).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TEST_UNIT_PROGRAM_TESTPROGRAMS_H
#define RINGI_TEST_UNIT_PROGRAM_TESTPROGRAMS_H

#include "ringi/Program/ProgramBuilder.h"

namespace ringi::program::test {

struct PerceptronOptions {
  bool recompute = false;
  OpKind optimizer = OpKind::Sgd;
  ElementType type = ElementType::F32;
};

/// x [6, 8] -> matmul w1 + b1 -> relu (in place) -> dropout -> matmul w2 -> mse
/// against t, and its backward and updates.
inline ProgramBuilder perceptron(const PerceptronOptions &options = {}) {
  ProgramBuilder b(options.recompute ? "perceptron-recompute" : "perceptron");
  ElementType t = options.type, s = statisticsType(t);
  using Id = ProgramBuilder::Id;
  Id x = b.input("x", t, {6, 8});
  Id target = b.input("t", t, {6, 8}, Role::Target);
  auto parameter = [&](const char *name, const std::vector<uint64_t> &shape) {
    return b.input(name, t, shape, Role::Parameter, Initializer::Normal, 0.3);
  };
  Id w1 = parameter("w1", {8, 16}), b1 = parameter("b1", {16});
  Id w2 = parameter("w2", {16, 8});
  Id seed = b.seed(), step = b.step(), lr = b.learningRate(s);

  AttributesT none, transposeA, transposeB, drop, rows, one;
  transposeA.transpose_a = true;
  transposeB.transpose_b = true;
  drop.probability = 0.25;
  drop.random_id = 7;
  rows.dims = {0};
  one.factor = 1;
  TensorShape hidden{t, {6, 16}}, out{t, {6, 8}}, scalar{s, {}};

  Id h = b.op(OpKind::Matmul, {x, w1, b1}, {hidden})[0];
  uint32_t matmul = b.lastOp();
  Id r = b.unary(OpKind::Relu, {h});
  b.inPlace(r, h);
  uint32_t relu = b.lastOp();
  Id d = b.unary(OpKind::Dropout, {r, seed, step}, 0, drop);
  uint32_t dropout = b.lastOp();
  Id y = b.op(OpKind::Matmul, {d, w2}, {out})[0];
  Id loss = b.op(OpKind::Mse, {y, target}, {scalar})[0];

  Phase back = Phase::Backward;
  Id dloss = b.op(OpKind::Fill, {}, {scalar}, one, back)[0];
  Id dy = b.unary(OpKind::MseBackward, {dloss, y, target}, 1, none, back);
  b.inPlace(dy, y);
  if (options.recompute) {
    h = b.clone(matmul, {x, w1, b1})[0];
    r = b.clone(relu, {h})[0];
    b.inPlace(r, h);
    d = b.clone(dropout, {r, seed, step})[0];
  }
  Id dw2 = b.op(OpKind::Matmul, {d, dy}, {{t, {16, 8}}}, transposeA, back)[0];
  Id dd = b.op(OpKind::Matmul, {dy, w2}, {hidden}, transposeB, back)[0];
  Id dr = b.unary(OpKind::DropoutBackward, {dd, seed, step}, 0, drop, back);
  b.inPlace(dr, dd);
  Id dh = b.unary(OpKind::ReluBackward, {dr, r}, 0, none, back);
  b.inPlace(dh, dr);
  Id dw1 = b.op(OpKind::Matmul, {x, dh}, {{t, {8, 16}}}, transposeA, back)[0];
  Id db1 = b.op(OpKind::ReduceSum, {dh}, {{t, {16}}}, rows, back)[0];

  AttributesT rule;
  rule.beta1 = 0.9;
  rule.beta2 = 0.99;
  rule.epsilon = 1e-8;
  rule.momentum = 0.9;
  rule.weight_decay = 0.01;
  for (auto [param, grad] : {std::pair(w1, dw1), {b1, db1}, {w2, dw2}}) {
    const ValueT value = b.value(param);
    auto state = [&](const char *suffix) {
      return b.input(value.name + suffix, s, value.shape, Role::OptimizerState,
                     Initializer::Zeros);
    };
    if (options.optimizer == OpKind::AdamW) {
      Id m = state(".m"), v = state(".v");
      b.update(OpKind::AdamW, {param, grad, m, v, step, lr}, rule);
    } else if (options.optimizer == OpKind::Momentum) {
      Id buf = state(".buf");
      b.update(OpKind::Momentum, {param, grad, buf, lr}, rule);
    } else {
      b.update(OpKind::Sgd, {param, grad, lr}, rule);
    }
  }
  b.output("loss", loss, Role::Loss);
  b.program().tokens_per_step = 6;
  return b;
}

} // namespace ringi::program::test

#endif // RINGI_TEST_UNIT_PROGRAM_TESTPROGRAMS_H
