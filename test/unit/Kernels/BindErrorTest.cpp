//===- BindErrorTest.cpp - What the host device refuses -------------------===//
//
// Part of Ringi. Each error of makeHostDevice() and bind(), word for word, and
// the promises of launch(): no allocation, any number of launches.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::test;
using runtime::HostOptions;

namespace {

std::string makeError(const std::string &gemm, int threads) {
  HostOptions options;
  options.gemm = gemm;
  options.threads = threads;
  auto device = runtime::makeHostDevice(options);
  return device ? "" : device.error().message;
}

TEST(HostDeviceErrors, UnknownGemmProvider) {
  EXPECT_EQ(makeError("mkl", 1),
            "unknown GEMM provider 'mkl'; use ref or onednn");
}

TEST(HostDeviceErrors, ThreadCount) {
  EXPECT_EQ(makeError("ref", -1), "cannot use -1 threads; give 1 to 1024, or 0 "
                                  "for one per processor");
  EXPECT_EQ(makeError("ref", 0), "");
}

TEST(BindErrors, SignatureIsChecked) {
  const Tensor a = randomTensor(ElementType::F32, {2, 3}, 1);
  const Tensor b = randomTensor(ElementType::F32, {4, 5}, 2);
  EXPECT_EQ(
      run(OpKind::Matmul, {}, {a, b}, {{ElementType::F32, {2, 5}}}).failure,
      "matmul: contracts 3 columns of a with 4 rows of b");
}

TEST(BindErrors, AttentionHeadTooWide) {
  const Tensor q = randomTensor(ElementType::F32, {1, 1, 2, 257}, 1);
  EXPECT_EQ(run(OpKind::Attention, {}, {q, q, q},
                {{ElementType::F32, q.shape}, {ElementType::F32, {1, 1, 2}}})
                .failure,
            "attention: head width 257 is above 256; build the model with "
            "unfused attention");
}

TEST(BindErrors, ConstantHasNoKernel) {
  const std::string failure =
      run(OpKind::Constant, {}, {}, {{ElementType::F32, {2}}}).failure;
  EXPECT_NE(failure.find("constant: "), std::string::npos) << failure;
}

/// Binds a call on addresses that bind() never reads; the error or "".
std::string bindError(OpKind kind, const AttributesT &attributes,
                      const std::vector<Shape> &operands, const Shape &result,
                      int64_t workspaceBytes = 0,
                      const std::string &gemm = "ref") {
  const auto ref = [](const Shape &shape) {
    runtime::TensorRef tensor;
    tensor.type = shape.type;
    tensor.rank = static_cast<int>(shape.shape.size());
    for (int d = 0; d < tensor.rank; ++d)
      tensor.shape[d] = shape.shape[d];
    return tensor;
  };
  runtime::OpCall call;
  call.kind = kind;
  call.attributes = &attributes;
  for (const Shape &operand : operands)
    call.operands.push_back(ref(operand));
  call.results = {ref(result)};
  call.location = "model.mlir:3:4";
  call.workspaceBytes = workspaceBytes;
  auto bound = device(1, runtime::InstructionSet::Avx512, gemm).bind(call);
  return bound ? "" : bound.error().message;
}

TEST(BindErrors, WorkspaceTooSmall) {
  EXPECT_EQ(bindError(OpKind::EmbeddingBackward, {},
                      {{ElementType::F32, {4, 2}}, {ElementType::I32, {4}}},
                      {ElementType::F32, {4, 2}}, 35),
            "embedding_backward at model.mlir:3:4: has 35 bytes of workspace, "
            "needs 36; export the program again");
}

TEST(BindErrors, TooManyPositionsToSort) {
  const int64_t positions = int64_t(1) << 31;
  EXPECT_EQ(bindError(OpKind::EmbeddingBackward, {},
                      {{ElementType::F32, {positions, 2}},
                       {ElementType::I32, {positions}}},
                      {ElementType::F32, {4, 2}}, int64_t(1) << 40),
            "embedding_backward at model.mlir:3:4: 2147483648 positions are "
            "above 2147483647; split the batch into micro-batches");
}

TEST(BindErrors, TypesThatTheHostOnlyCounts) {
  AttributesT order;
  order.dims = {1, 0};
  EXPECT_EQ(bindError(OpKind::Transpose, order,
                      {{ElementType::F4E2M1FN, {2, 4}}},
                      {ElementType::F4E2M1FN, {4, 2}}),
            "transpose at model.mlir:3:4: the host cannot rearrange f4e2m1fn "
            "tensors; cast them first");
  AttributesT axis;
  EXPECT_EQ(bindError(OpKind::Slice, axis, {{ElementType::F4E2M1FN, {4, 2}}},
                      {ElementType::F4E2M1FN, {2, 2}}),
            "slice at model.mlir:3:4: the host cannot cut f4e2m1fn tensors; "
            "keep them whole");
  EXPECT_EQ(bindError(OpKind::Cast, axis, {{ElementType::F32, {4}}},
                      {ElementType::F8E4M3FN, {4}}),
            "cast at model.mlir:3:4: the host has no f8e4m3fn; cast to f64, "
            "f32, bf16, f16 or an integer");
}

TEST(GemmProviders, OneDnnAgreesOrSaysWhyNot) {
  const std::string missing = makeError("onednn", 1);
  if (!missing.empty()) {
    EXPECT_EQ(missing,
              "this build has no GEMM provider 'onednn'; install libdnnl-dev "
              "and configure again, or use ref");
    return;
  }
  EXPECT_EQ(bindError(OpKind::Matmul, {},
                      {{ElementType::F64, {2, 3}}, {ElementType::F64, {3, 4}}},
                      {ElementType::F64, {2, 4}}, 0, "onednn"),
            "matmul at model.mlir:3:4: onednn has no matmul of f64 on this "
            "machine; use the GEMM provider ref");
  RunOptions options;
  options.gemm = "onednn";
  for (const Case &c : allCases(ElementType::F32)) {
    if (c.kind != OpKind::Matmul)
      continue;
    const Outcome got =
        run(c.kind, c.attributes, c.operands, c.results, options);
    ASSERT_EQ(got.failure, "") << c.name;
    const Values wanted = c.reference(c.operands);
    for (size_t i = 0; i < wanted[0].size(); ++i)
      ASSERT_NEAR(got.values[0][i], wanted[0][i], 5e-5) << c.name;
  }
}

} // namespace
