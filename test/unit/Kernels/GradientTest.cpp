//===- GradientTest.cpp - Backward kernels are derivatives ----------------===//
//
// Part of Ringi. Each backward kernel against central differences of its
// forward kernel in f64, both as the device runs them.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::test;

namespace {

constexpr ElementType kType = ElementType::F64;

Tensor tensor(std::vector<int64_t> shape, unsigned seed) {
  return randomTensor(kType, std::move(shape), seed);
}
Shape like(const Tensor &t) { return {t.type, t.shape}; }

struct Forward {
  Forward(OpKind kind, std::vector<Tensor> operands, std::vector<Shape> results)
      : kind(kind), operands(std::move(operands)), results(std::move(results)) {
  }

  OpKind kind;
  AttributesT attributes;
  std::vector<Tensor> operands;
  std::vector<Shape> results;

  std::vector<Tensor> operator()() const {
    const Outcome outcome = run(kind, attributes, operands, results);
    EXPECT_EQ(outcome.failure, "");
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < outcome.values.size(); ++i)
      tensors.push_back({results[i].type, results[i].shape, outcome.values[i]});
    return tensors;
  }
};

/// Compares `gradients[i]` with the slope of sum(weight * result 0) along every
/// element of operand `wrt[i]`.
void expectSlopes(Forward forward, const Tensor &weight,
                  const std::vector<int> &wrt, const Values &gradients) {
  const auto loss = [&] {
    const Tensor y = forward()[0];
    double sum = 0;
    for (size_t i = 0; i < y.values.size(); ++i)
      sum += weight.values[i] * y.values[i];
    return sum;
  };
  constexpr double kStep = 1e-5;
  for (size_t g = 0; g < wrt.size(); ++g) {
    std::vector<double> &x = forward.operands[wrt[g]].values;
    ASSERT_EQ(x.size(), gradients[g].size());
    for (size_t i = 0; i < x.size(); ++i) {
      const double before = x[i];
      x[i] = before + kStep;
      const double above = loss();
      x[i] = before - kStep;
      const double below = loss();
      x[i] = before;
      EXPECT_NEAR((above - below) / (2 * kStep), gradients[g][i], 1e-8)
          << "operand " << wrt[g] << ", element " << i;
    }
  }
}

Values gradients(OpKind kind, const AttributesT &attributes,
                 const std::vector<Tensor> &operands,
                 const std::vector<Shape> &results) {
  const Outcome outcome = run(kind, attributes, operands, results);
  EXPECT_EQ(outcome.failure, "");
  return outcome.values;
}

TEST(Gradients, OfActivations) {
  struct Pair {
    OpKind forward, backward;
    bool savesResult, tanhForm;
  };
  for (const Pair &pair : {
           Pair{OpKind::Relu, OpKind::ReluBackward, true, false},
           Pair{OpKind::Gelu, OpKind::GeluBackward, false, false},
           Pair{OpKind::Gelu, OpKind::GeluBackward, false, true},
           Pair{OpKind::Silu, OpKind::SiluBackward, false, false},
           Pair{OpKind::Tanh, OpKind::TanhBackward, true, false},
           Pair{OpKind::Sigmoid, OpKind::SigmoidBackward, true, false},
           Pair{OpKind::Exp, OpKind::Mul, true, false},
       }) {
    SCOPED_TRACE(program::EnumNameOpKind(pair.forward));
    const Tensor x = tensor({3, 5}, 1), dy = tensor({3, 5}, 2);
    Forward forward{pair.forward, {x}, {like(x)}};
    forward.attributes.approximate_tanh = pair.tanhForm;
    const Tensor saved = pair.savesResult ? forward()[0] : x;
    expectSlopes(
        forward, dy, {0},
        gradients(pair.backward, forward.attributes, {dy, saved}, {like(x)}));
  }
}

TEST(Gradients, OfSoftmax) {
  for (bool causal : {false, true}) {
    const Tensor x = tensor({2, 3, 4}, 3), dy = tensor({2, 3, 4}, 4);
    Forward forward{OpKind::Softmax, {x}, {like(x)}};
    forward.attributes.causal = causal;
    expectSlopes(forward, dy, {0},
                 gradients(OpKind::SoftmaxBackward, forward.attributes,
                           {dy, forward()[0]}, {like(x)}));
  }
}

TEST(Gradients, OfLayerNorm) {
  const Tensor x = tensor({4, 6}, 5), gamma = tensor({6}, 6);
  const Tensor dy = tensor({4, 6}, 7);
  Forward forward{OpKind::LayerNorm,
                  {x, gamma, tensor({6}, 8)},
                  {like(x), {kType, {4}}, {kType, {4}}}};
  forward.attributes.epsilon = 1e-5;
  const std::vector<Tensor> saved = forward();
  expectSlopes(forward, dy, {0, 1, 2},
               gradients(OpKind::LayerNormBackward, forward.attributes,
                         {dy, x, gamma, saved[1], saved[2]},
                         {like(x), like(gamma), like(gamma)}));
}

TEST(Gradients, OfRmsNorm) {
  const Tensor x = tensor({4, 6}, 9), gamma = tensor({6}, 10);
  const Tensor dy = tensor({4, 6}, 11);
  Forward forward{OpKind::RmsNorm, {x, gamma}, {like(x), {kType, {4}}}};
  forward.attributes.epsilon = 1e-5;
  expectSlopes(forward, dy, {0, 1},
               gradients(OpKind::RmsNormBackward, forward.attributes,
                         {dy, x, gamma, forward()[1]}, {like(x), like(gamma)}));
}

TEST(Gradients, OfAttention) {
  for (bool causal : {false, true}) {
    const Tensor q = tensor({1, 2, 3, 4}, 12), k = tensor({1, 2, 5, 4}, 13);
    const Tensor v = tensor({1, 2, 5, 4}, 14), dout = tensor({1, 2, 3, 4}, 15);
    Forward forward{
        OpKind::Attention, {q, k, v}, {like(q), {kType, {1, 2, 3}}}};
    forward.attributes.causal = causal;
    forward.attributes.factor = 0.5;
    const std::vector<Tensor> saved = forward();
    expectSlopes(forward, dout, {0, 1, 2},
                 gradients(OpKind::AttentionBackward, forward.attributes,
                           {dout, q, k, v, saved[0], saved[1]},
                           {like(q), like(k), like(v)}));
  }
}

TEST(Gradients, OfLosses) {
  const Tensor logits = tensor({4, 5}, 16), dloss{kType, {}, {0.625}};
  const Tensor targets{ElementType::I32, {4}, {0, 4, 2, 2}};
  Forward entropy{
      OpKind::CrossEntropy, {logits, targets}, {{kType, {}}, {kType, {4}}}};
  expectSlopes(entropy, dloss, {0},
               gradients(OpKind::CrossEntropyBackward, {},
                         {dloss, logits, targets, entropy()[1]},
                         {like(logits)}));
  const Tensor p = tensor({3, 7}, 17), t = tensor({3, 7}, 18);
  Forward mse{OpKind::Mse, {p, t}, {{kType, {}}}};
  expectSlopes(mse, dloss, {0},
               gradients(OpKind::MseBackward, {}, {dloss, p, t}, {like(p)}));
}

TEST(Gradients, OfMatmulAreMatmuls) {
  const Tensor a = tensor({3, 4}, 19), b = tensor({4, 5}, 20);
  const Tensor dc = tensor({3, 5}, 21);
  Forward forward{OpKind::Matmul, {a, b, tensor({5}, 22)}, {like(dc)}};
  AttributesT transposed;
  transposed.transpose_b = true;
  const Values da = gradients(OpKind::Matmul, transposed, {dc, b}, {like(a)});
  transposed.transpose_b = false;
  transposed.transpose_a = true;
  const Values db = gradients(OpKind::Matmul, transposed, {a, dc}, {like(b)});
  AttributesT rows;
  rows.dims = {0};
  const Values dbias = gradients(OpKind::ReduceSum, rows, {dc}, {{kType, {5}}});
  expectSlopes(forward, dc, {0, 1, 2}, {da[0], db[0], dbias[0]});
}

TEST(Gradients, OfFusedProducts) {
  const Tensor a = tensor({3, 4}, 27), b = tensor({4, 5}, 28);
  const Tensor dy = tensor({3, 5}, 29);
  for (bool tanhForm : {false, true}) {
    Forward forward{
        OpKind::MatmulGelu, {a, b, tensor({5}, 31)}, {like(dy), like(dy)}};
    forward.attributes.approximate_tanh = tanhForm;
    const Tensor x = forward()[1];
    const Values dx =
        gradients(OpKind::GeluBackward, forward.attributes, {dy, x}, {like(x)});
    const Tensor slope{kType, {3, 5}, dx[0]};
    AttributesT transposed;
    transposed.transpose_b = true;
    const Values da =
        gradients(OpKind::Matmul, transposed, {slope, b}, {like(a)});
    const Values db = gradients(OpKind::MatmulBiasGradient, {}, {a, slope},
                                {like(b), {kType, {5}}});
    expectSlopes(forward, dy, {0, 1, 2}, {da[0], db[0], db[1]});

    // Through the product behind it: d(gelu(x) * w) with respect to x.
    const Tensor w = tensor({5, 2}, 32), dz = tensor({3, 2}, 33);
    AttributesT back = forward.attributes;
    back.transpose_b = true;
    const Values joined =
        gradients(OpKind::MatmulGeluBackward, back, {dz, w, x}, {like(x)});
    const Values dgelu =
        gradients(OpKind::Matmul, transposed, {dz, w}, {like(x)});
    Forward gelu{OpKind::Gelu, {x}, {like(x)}};
    gelu.attributes.approximate_tanh = tanhForm;
    expectSlopes(gelu, {kType, {3, 5}, dgelu[0]}, {0}, {joined[0]});
  }
}

TEST(Gradients, OfEmbeddingAndDropout) {
  const Tensor ids{ElementType::I64, {2, 3}, {1, 0, 1, 3, 1, 0}};
  const Tensor table = tensor({4, 3}, 23), dy = tensor({2, 3, 3}, 24);
  Forward embedding{OpKind::Embedding, {ids, table}, {like(dy)}};
  expectSlopes(
      embedding, dy, {1},
      gradients(OpKind::EmbeddingBackward, {}, {dy, ids}, {like(table)}));
  const Tensor x = tensor({40}, 25), dx = tensor({40}, 26);
  const Tensor seed{ElementType::I64, {}, {7}}, step{ElementType::I64, {}, {2}};
  Forward dropout{OpKind::Dropout, {x, seed, step}, {like(x)}};
  dropout.attributes.probability = 0.4;
  dropout.attributes.random_id = 11;
  expectSlopes(dropout, dx, {0},
               gradients(OpKind::DropoutBackward, dropout.attributes,
                         {dx, seed, step}, {like(x)}));
}

} // namespace
