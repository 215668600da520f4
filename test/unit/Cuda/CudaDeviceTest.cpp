//===- CudaDeviceTest.cpp - What the CUDA device refuses and counts -------===//
//
// Part of Ringi. Messages of the device, through its interface, in the
// emulation.
//
//===----------------------------------------------------------------------===//

#include "Platform.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace ringi;
using namespace ringi::runtime;
using program::AttributesT;
using program::ElementType;
using program::OpKind;

namespace {

/// An environment variable for the life of this object.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~Variable() { unsetenv(name); }

private:
  const char *name;
};

/// A product of two 4 x 4 matrices in `bytes` bytes of an arena.
struct Product {
  explicit Product(Device &device, ElementType type, int64_t workspace = 0) {
    Expected<std::unique_ptr<Arena>> made = device.makeArena(4096);
    arena = std::move(*made);
    call.kind = OpKind::Matmul;
    call.attributes = &attributes;
    call.location = "op 1 matmul at model.mlir:3:8";
    TensorRef tensor;
    tensor.type = type;
    tensor.rank = 2;
    tensor.shape[0] = tensor.shape[1] = 4;
    for (int i = 0; i < 3; ++i) {
      tensor.data = arena->data() + 256 * i;
      (i < 2 ? call.operands : call.results).push_back(tensor);
    }
    call.workspace = arena->data() + 1024;
    call.workspaceBytes = workspace;
  }
  AttributesT attributes;
  std::unique_ptr<Arena> arena;
  OpCall call;
};

std::string bindError(ElementType type, int64_t workspace = 0) {
  std::unique_ptr<Device> device = std::move(*makeCudaDevice({}));
  Product product(*device, type, workspace);
  Expected<std::unique_ptr<BoundOp>> op = device->bind(product.call);
  return op ? "" : op.error().message;
}

TEST(CudaDevice, NamesTypeAndOpItHasNoKernelFor) {
  std::unique_ptr<Device> device = std::move(*makeCudaDevice({}));
  double x[4] = {};
  OpCall call;
  AttributesT attributes;
  call.kind = OpKind::Relu;
  call.attributes = &attributes;
  call.location = "model.mlir:3:8";
  TensorRef tensor;
  tensor.data = x;
  tensor.type = ElementType::F64;
  tensor.rank = 1;
  tensor.shape[0] = 4;
  call.operands = {tensor};
  call.results = {tensor};
  Expected<std::unique_ptr<BoundOp>> op = device->bind(call);
  ASSERT_FALSE(op);
  EXPECT_EQ(op.error().message,
            "model.mlir:3:8: the CUDA device has no Relu kernel for F64; it "
            "computes in f32, bf16 and f16, other types run on the host");
}

TEST(CudaDevice, NamesTypesItHasNoProductFor) {
  EXPECT_EQ(bindError(ElementType::F64),
            "op 1 matmul at model.mlir:3:8: the CUDA device has no GEMM for "
            "f64; it multiplies f32, bf16 and f16, other types run on the "
            "host");
  EXPECT_EQ(bindError(ElementType::F8E4M3FN),
            "op 1 matmul at model.mlir:3:8: fp8 GEMMs are declared but not "
            "implemented; plan in bf16");
  EXPECT_EQ(bindError(ElementType::BF16), "");
}

TEST(CudaDevice, NamesTheWorkspaceThatIsTooSmall) {
  Variable needs("RINGI_EMULATED_GEMM_WORKSPACE", "512");
  EXPECT_EQ(bindError(ElementType::F32, 256),
            "op 1 matmul at model.mlir:3:8: the GEMM library has no "
            "deterministic algorithm within 256 bytes of workspace; plan with "
            "a larger gemm-workspace");
  EXPECT_EQ(bindError(ElementType::F32, 512), "");
}

TEST(CudaDevice, RefusesOldArchitectures) {
  Variable old("RINGI_EMULATED_CAPABILITY", "7.5");
  Expected<std::unique_ptr<Device>> device = makeCudaDevice({});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message,
            "device 'emulated' has compute capability 7.5, Ringi's kernels "
            "need 8.0; use --device host");
}

TEST(CudaDevice, RefusesProgramsOfAnotherAlignment) {
  std::unique_ptr<Device> device = std::move(*makeCudaDevice({}));
  program::StepProgramT program;
  program.name = "step";
  program.alignment = 8;
  Status status = device->accepts(program);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "program 'step' has slots aligned to 8 bytes, the CUDA device "
            "needs 16; plan with alignment=256");
  program.alignment = 16;
  EXPECT_TRUE(device->accepts(program));
}

TEST(CudaDevice, CountsItsMemory) {
  Variable size("RINGI_EMULATED_MEMORY", "10000");
  std::unique_ptr<Device> device = std::move(*makeCudaDevice({}));
  EXPECT_EQ(device->memory().available, 10000);
  {
    Expected<std::unique_ptr<Arena>> arena = device->makeArena(4096);
    ASSERT_TRUE(arena);
    EXPECT_EQ(device->memory().used, 4096);
    Expected<std::unique_ptr<Arena>> second = device->makeArena(8192);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message,
              "an arena needs 8192 bytes, 5904 of the device's 10000 bytes are "
              "available; use a smaller program");
  }
  EXPECT_EQ(device->memory().used, 0);
}

TEST(CudaDevice, ReportsTheLibraryCallThatFailed) {
  Variable fails("RINGI_EMULATED_FAIL", "cublasLtMatmul:1");
  std::unique_ptr<Device> device = std::move(*makeCudaDevice({}));
  Product product(*device, ElementType::F32);
  Expected<std::unique_ptr<BoundOp>> op = device->bind(product.call);
  ASSERT_TRUE(op);
  (*op)->launch();
  EXPECT_TRUE(device->synchronize());
  (*op)->launch();
  Status status = device->synchronize();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "op 1 matmul at model.mlir:3:8: cublasLtMatmul failed: injected by "
            "the emulation");
  EXPECT_TRUE(device->synchronize());
}

} // namespace
