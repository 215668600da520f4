//===- OpSignatureTest.cpp - Every rule of an op's signature --------------===//
//
// Part of Ringi. The dialect's verifiers and the program's loader refuse an op
// by one function; here each of its messages, on the least op that breaks it.
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/OpSignature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace ringi;
using namespace ringi::program;

namespace {

using Shapes = std::vector<TensorShape>;
using Change = std::function<void(AttributesT &)>;

TensorShape f32(std::vector<int64_t> shape) {
  return {ElementType::F32, std::move(shape)};
}
TensorShape f64(std::vector<int64_t> shape) {
  return {ElementType::F64, std::move(shape)};
}
TensorShape i32(std::vector<int64_t> shape) {
  return {ElementType::I32, std::move(shape)};
}
const TensorShape scalar = f32({}), counter{ElementType::I64, {}};

std::string errorOf(OpKind kind, const Shapes &operands, const Shapes &results,
                    const Change &change = {}) {
  AttributesT attributes;
  if (change)
    change(attributes);
  Status status = checkSignature(kind, attributes, operands, results);
  return status ? "" : status.error().message;
}

void accept(OpKind kind, const Shapes &operands, const Shapes &results,
            const Change &change = {}) {
  EXPECT_EQ(errorOf(kind, operands, results, change), "") << toString(kind);
}

void refuse(OpKind kind, const Shapes &operands, const Shapes &results,
            const std::string &message, const Change &change = {}) {
  EXPECT_EQ(errorOf(kind, operands, results, change), message)
      << toString(kind);
}

TEST(OpSignature, Counts) {
  refuse(OpKind::Relu, {}, {f32({4})}, "has 0 operands, expected 1");
  refuse(OpKind::Relu, {f32({4})}, {}, "has 0 results, expected 1");
  refuse(OpKind::Matmul, {f32({2, 3})}, {f32({2, 3})},
         "has 1 operands, expected 2 to 3");
  refuse(OpKind::Concat, {}, {f32({4})}, "has 0 operands, expected 1 or more");
  refuse(OpKind::Constant, {}, {f32({4})},
         "is a constant, which is no execution; make it an input with "
         "initializer data");
  refuse(OpKind(999), {}, {}, "has no known kind (999)");
}

TEST(OpSignature, ElementTypes) {
  refuse(OpKind::Gelu, {i32({4})}, {i32({4})},
         "operand 0 (x) is i32[4], expected a float type");
  refuse(OpKind::Fill, {}, {i32({4})},
         "result 0 (y) is i32[4], expected a float type");
  refuse(OpKind::Matmul, {f32({2, 3}), f64({3, 4})}, {f32({2, 4})},
         "operand 1 (b) is f64[3x4], expected the element type of a, f32");
  refuse(OpKind::Embedding, {f32({4}), f32({9, 8})}, {f32({4, 8})},
         "operand 0 (ids) is f32[4], expected i32 or i64");
  refuse(OpKind::CrossEntropy, {f32({4, 9}), f32({4})}, {scalar, f32({4})},
         "operand 1 (targets) is f32[4], expected i32 or i64");
  refuse(OpKind::Mse, {f32({4}), f64({4})}, {scalar},
         "operand 1 (target) is f64[4], expected f32[4]");
}

TEST(OpSignature, MatmulTransposes) {
  auto transposeA = [](AttributesT &a) { a.transpose_a = true; };
  accept(OpKind::Matmul, {f32({3, 2}), f32({3, 4})}, {f32({2, 4})}, transposeA);
  // A batched a and one b would be a sum over the batch.
  refuse(OpKind::Matmul, {f32({5, 3, 2}), f32({3, 4})}, {f32({5, 2, 4})},
         "attribute transpose_a needs a of rank 2 when b has rank 2, a is "
         "f32[5x3x2]",
         transposeA);
}

TEST(OpSignature, FusedProducts) {
  accept(OpKind::MatmulGelu, {f32({2, 3}), f32({3, 4}), f32({4})},
         {f32({2, 4}), f32({2, 4})});
  refuse(OpKind::MatmulGelu, {f32({2, 3}), f32({3, 4})}, {f32({2, 4})},
         "has 1 results, expected 2");
  refuse(OpKind::MatmulGelu, {f32({2, 3}), f32({3, 4})},
         {f32({2, 4}), f32({2, 3})},
         "result 1 (preactivation) is f32[2x3], expected f32[2x4]");
  refuse(OpKind::MatmulGelu, {f32({2, 3}), f32({3, 4}), f32({3})},
         {f32({2, 4}), f32({2, 4})},
         "operand 2 (bias) is f32[3], expected f32[4]");
  accept(OpKind::MatmulGeluBackward, {f32({2, 3}), f32({3, 4}), f32({2, 4})},
         {f32({2, 4})});
  refuse(OpKind::MatmulGeluBackward, {f32({2, 3}), f32({3, 4}), f32({4})},
         {f32({2, 4})},
         "operand 2 (preactivation) is f32[4], expected f32[2x4]");
  auto sumA = [](AttributesT &a) { a.sum_a = true; };
  accept(OpKind::MatmulBiasGradient, {f32({5, 3}), f32({5, 4})},
         {f32({3, 4}), f32({4})});
  accept(OpKind::MatmulBiasGradient, {f32({5, 3}), f32({5, 4})},
         {f32({3, 4}), f32({3})}, sumA);
  refuse(OpKind::MatmulBiasGradient, {f32({5, 3}), f32({5, 4})},
         {f32({3, 4}), f32({4})},
         "result 1 (bias gradient) is f32[4], expected f32[3]", sumA);
  refuse(OpKind::MatmulBiasGradient, {f32({2, 5, 3}), f32({5, 4})},
         {f32({3, 4}), f32({4})},
         "operands a and b are f32[2x5x3] and f32[5x4], expected rank 2");
  refuse(OpKind::MatmulBiasGradient, {f32({5, 3}), f32({6, 4})},
         {f32({3, 4}), f32({4})},
         "operand 1 (b) is f32[6x4], expected f32[5x4]");
}

TEST(OpSignature, Ranks) {
  refuse(OpKind::LayerNorm, {scalar, f32({1}), f32({1})},
         {scalar, scalar, scalar},
         "operand 0 (x) is f32[], expected rank 1 or more");
  refuse(OpKind::Softmax, {f32({4})}, {f32({4})},
         "operand 0 (x) is f32[4], expected rank 2 or more",
         [](AttributesT &a) { a.causal = true; });
  refuse(OpKind::Embedding, {i32({4}), f32({9})}, {f32({4})},
         "operand 1 (table) is f32[9], expected rank 2");
  refuse(OpKind::Attention, {f32({2, 4, 8}), f32({2, 4, 8}), f32({2, 4, 8})},
         {f32({2, 4, 8}), f32({2, 4})},
         "operands q and k are f32[2x4x8] and f32[2x4x8], expected rank 4");
  refuse(OpKind::Concat, {f32({2, 3})}, {f32({2, 3})},
         "attribute axis is 2, expected 0 to 2 (exclusive)",
         [](AttributesT &a) { a.axis = 2; });
  refuse(OpKind::ReduceSum, {f32({2, 3})}, {f32({3})},
         "attribute dims has -1, expected ascending dimensions below 2",
         [](AttributesT &a) { a.dims = {-1}; });
}

TEST(OpSignature, Attributes) {
  refuse(OpKind::Scale, {f32({4})}, {f32({4})},
         "attribute factor is inf, expected a finite number",
         [](AttributesT &a) { a.factor = INFINITY; });
  refuse(OpKind::RmsNorm, {f32({4}), f32({4})}, {f32({4}), scalar},
         "attribute epsilon is 2, expected 0 to 1",
         [](AttributesT &a) { a.epsilon = 2; });
  refuse(OpKind::Sgd, {f32({4}), f32({4}), scalar}, {f32({4})},
         "attribute weight_decay is nan, expected a finite number",
         [](AttributesT &a) { a.weight_decay = NAN; });
  refuse(OpKind::Momentum, {f32({4}), f32({4}), f32({4}), scalar},
         {f32({4}), f32({4})}, "attribute momentum is -1, expected 0 to 1",
         [](AttributesT &a) { a.momentum = -1; });
  for (bool first : {true, false})
    refuse(OpKind::AdamW,
           {f32({4}), f32({4}), f32({4}), f32({4}), counter, scalar},
           {f32({4}), f32({4}), f32({4})},
           std::string("attribute beta") + (first ? "1" : "2") +
               " is 3, expected 0 to 1",
           [=](AttributesT &a) { (first ? a.beta1 : a.beta2) = 3; });
  refuse(OpKind::DropoutMask, {counter, counter}, {{ElementType::I8, {4}}},
         "attribute probability is -0.5, expected 0 to 1 (exclusive)",
         [](AttributesT &a) { a.probability = -0.5; });
}

TEST(OpSignature, RandomIdsAreTheWordThatMasksAreDrawnFrom) {
  for (OpKind kind : {OpKind::Dropout, OpKind::DropoutBackward}) {
    Shapes operands{f32({4}), counter, counter};
    accept(kind, operands, {f32({4})},
           [](AttributesT &a) { a.random_id = UINT32_MAX; });
    refuse(kind, operands, {f32({4})},
           "attribute random_id is 4294967296, expected 0 to 4294967295",
           [](AttributesT &a) { a.random_id = uint64_t(UINT32_MAX) + 1; });
  }
  refuse(OpKind::DropoutMask, {counter, counter}, {{ElementType::I8, {4}}},
         "attribute random_id is -1, expected 0 to 4294967295",
         [](AttributesT &a) { a.random_id = UINT64_MAX; });
}

TEST(OpSignature, CausalAttentionNeedsAsManyKeysAsQueries) {
  Shapes operands{f32({1, 2, 4, 8}), f32({1, 2, 3, 8}), f32({1, 2, 3, 8})};
  Shapes results{f32({1, 2, 4, 8}), f32({1, 2, 4})};
  accept(OpKind::Attention, operands, results);
  refuse(OpKind::Attention, operands, results,
         "attribute causal needs as many keys as queries or more, has 3 keys "
         "and 4 queries",
         [](AttributesT &a) { a.causal = true; });
}

TEST(OpSignature, SizesDoNotWrap) {
  int64_t half = int64_t(1) << 62;
  refuse(OpKind::Concat, {f32({half}), f32({half})}, {f32({4})},
         "has a dimension that overflows");
}

/// The state of an update is f32 beside bf16 and f64 beside f64; scalars are
/// scalars.
TEST(OpSignature, StateAndScalarsOfUpdates) {
  TensorShape bf16{ElementType::BF16, {4}};
  accept(OpKind::AdamW, {bf16, bf16, f32({4}), f32({4}), counter, scalar},
         {bf16, f32({4}), f32({4})});
  accept(OpKind::AdamW,
         {bf16, bf16, f32({4}), f32({4}), counter, scalar, f32({4})},
         {bf16, f32({4}), f32({4}), f32({4})});
  refuse(OpKind::AdamW, {bf16, bf16, bf16, f32({4}), counter, scalar},
         {bf16, f32({4}), f32({4})},
         "operand 2 (m) is bf16[4], expected f32[4]");
  refuse(OpKind::AdamW, {bf16, bf16, f32({4}), f32({4}), counter, scalar, bf16},
         {bf16, f32({4}), f32({4}), f32({4})},
         "operand 6 (master) is bf16[4], expected f32[4]");
  refuse(OpKind::Sgd, {f64({4}), f64({4}), scalar}, {f64({4})},
         "operand 2 (lr) is f32[], expected f64[]");
  refuse(OpKind::AdamW, {bf16, bf16, f32({4}), f32({4}), scalar, scalar},
         {bf16, f32({4}), f32({4})},
         "operand 4 (step) is f32[], expected i64[]");
  refuse(OpKind::Dropout, {f32({4}), i32({}), counter}, {f32({4})},
         "operand 1 (seed) is i32[], expected i64[]");
}

/// The backward ops read what the forward op saved, in its shape and type.
TEST(OpSignature, SavedOperands) {
  refuse(OpKind::GeluBackward, {f32({4}), f32({5})}, {f32({4})},
         "operand 1 (saved) is f32[5], expected f32[4]");
  refuse(OpKind::SoftmaxBackward, {f32({4}), f32({5})}, {f32({4})},
         "operand 1 (y) is f32[5], expected f32[4]");
  refuse(OpKind::LayerNormBackward,
         {f32({2, 4}), f32({2, 4}), f32({4}), f32({3}), f32({2})},
         {f32({2, 4}), f32({4}), f32({4})},
         "operand 3 (mean) is f32[3], expected f32[2]");
  refuse(OpKind::CrossEntropyBackward,
         {f64({}), f32({2, 9}), i32({2}), f32({2})}, {f32({2, 9})},
         "operand 0 (dloss) is f64[], expected f32[]");
  refuse(OpKind::MseBackward, {scalar, f32({4}), f32({3})}, {f32({4})},
         "operand 2 (target) is f32[3], expected f32[4]");
  refuse(OpKind::DropoutApply, {f32({4}), {ElementType::I8, {3}}}, {f32({4})},
         "operand 1 (mask) is i8[3], expected i8[4]");
  refuse(OpKind::EmbeddingBackward, {f32({4, 8}), i32({3})}, {f32({9, 8})},
         "operand 1 (ids) is i32[3], expected i32[4]");
  Shapes attention(6, f32({1, 2, 4, 8}));
  attention[5] = f32({1, 2, 3});
  refuse(OpKind::AttentionBackward, attention, Shapes(3, f32({1, 2, 4, 8})),
         "operand 5 (lse) is f32[1x2x3], expected f32[1x2x4]");
  refuse(OpKind::Broadcast, {f32({3})}, {f32({2, 4})},
         "operand 0 (x) is f32[3], expected f32[4]",
         [](AttributesT &a) { a.dims = {0}; });
  refuse(OpKind::PadSlice, {f32({3, 5})}, {f32({4, 6})},
         "operand 0 (y) is f32[3x5], expected f32[3x6]");
  refuse(OpKind::Cast, {f32({4})}, {f64({5})},
         "result 0 (y) is f64[5], expected f64[4]");
}

} // namespace
