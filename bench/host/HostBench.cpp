//===- HostBench.cpp - Speed of the host kernels --------------------------===//
//
// Part of Ringi. Times every matrix product of a GPT-2 124M step with each GEMM
// provider, and the other kernels at the same sizes: CPU time per launch, rate,
// and heap allocations per launch. Usage: bench_host [threads] [tokens].
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/KernelWorkspace.h"
#include "ringi/Runtime/AllocationCounter.h"
#include "ringi/Runtime/HostDevice.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

using namespace ringi;
using namespace ringi::runtime;
using program::AttributesT;
using program::ElementType;
using program::OpKind;

namespace {

/// CPU time of all threads: the machine may be shared.
double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * now.tv_nsec;
}

#if defined(__x86_64__)
/// Fused multiply-adds of one thread from registers alone, in GFLOP/s.
__attribute__((target("avx2,fma"))) double peakRate() {
  typedef float Vector __attribute__((vector_size(32)));
  constexpr int kChains = 12;
  Vector sum[kChains];
  for (int i = 0; i < kChains; ++i)
    sum[i] = Vector{} + static_cast<float>(i);
  const Vector factor = Vector{} + 0.999f, add = Vector{} + 1e-3f;
  constexpr int64_t kRounds = 30000000;
  const double start = cpuSeconds();
  for (int64_t round = 0; round < kRounds; ++round)
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i)
      sum[i] = sum[i] * factor + add;
  const double seconds = cpuSeconds() - start;
  Vector total = {};
  for (const Vector &chain : sum)
    total += chain;
  // Keeps the loop alive.
  if (total[0] == 0)
    std::puts("");
  return 16.0 * kChains * kRounds / seconds / 1e9;
}
#endif

struct Operand {
  ElementType type;
  std::vector<int64_t> shape;
};

struct Bench {
  std::string name;
  OpKind kind;
  AttributesT attributes;
  std::vector<Operand> operands, results;
  double flops;
};

int64_t count(const std::vector<int64_t> &shape) {
  int64_t product = 1;
  for (int64_t dim : shape)
    product *= dim;
  return product;
}

int64_t bytesOf(const Operand &tensor) {
  return count(tensor.shape) *
         (tensor.type == ElementType::F64 || tensor.type == ElementType::I64 ? 8
          : tensor.type == ElementType::BF16 || tensor.type == ElementType::F16
              ? 2
          : tensor.type == ElementType::I8 ? 1
                                           : 4);
}

void *allocate(int64_t bytes) {
  return std::aligned_alloc(256, static_cast<size_t>(bytes + 511) / 256 * 256);
}

TensorRef place(const Operand &tensor) {
  TensorRef ref;
  ref.type = tensor.type;
  ref.rank = static_cast<int>(tensor.shape.size());
  std::copy(tensor.shape.begin(), tensor.shape.end(), ref.shape.begin());
  ref.data = allocate(bytesOf(tensor));
  const int64_t elements = count(tensor.shape);
  for (int64_t i = 0; i < elements; ++i) {
    const float value = static_cast<float>((i * 7919) % 1000) / 1000.0f - 0.5f;
    switch (tensor.type) {
    case ElementType::F32:
      static_cast<float *>(ref.data)[i] = value;
      break;
    case ElementType::F64:
      static_cast<double *>(ref.data)[i] = value;
      break;
    case ElementType::BF16:
      // About -0.5 to 0.5: exponent bits of 2^-2, any mantissa and sign.
      static_cast<uint16_t *>(ref.data)[i] =
          static_cast<uint16_t>(0x3e80 | (i & 0x7f) | (i & 1 ? 0x8000 : 0));
      break;
    case ElementType::I32:
      static_cast<int32_t *>(ref.data)[i] = static_cast<int32_t>(i % 1000);
      break;
    case ElementType::I64:
      static_cast<int64_t *>(ref.data)[i] = i % 1000 + 1;
      break;
    default:
      static_cast<int8_t *>(ref.data)[i] = 1;
    }
  }
  return ref;
}

void measure(Device &device, const Bench &bench, const char *provider,
             int threads) {
  OpCall call;
  call.kind = bench.kind;
  call.attributes = &bench.attributes;
  double bytes = 0;
  std::vector<program::TensorShape> operands, results;
  for (const Operand &operand : bench.operands) {
    call.operands.push_back(place(operand));
    operands.push_back({operand.type, operand.shape});
    bytes += static_cast<double>(bytesOf(operand));
  }
  for (const Operand &result : bench.results) {
    call.results.push_back(place(result));
    results.push_back({result.type, result.shape});
    bytes += static_cast<double>(bytesOf(result));
  }
  call.workspaceBytes =
      program::kernelWorkspaceBytes(bench.kind, operands, results);
  call.workspace = allocate(call.workspaceBytes);
  auto bound = device.bind(call);
  if (!bound) {
    std::printf("%-34s %-7s %s\n", bench.name.c_str(), provider,
                bound.error().message.c_str());
  } else {
    (*bound)->launch();
    double best = 1e30;
    const int64_t before = allocationCount();
    constexpr int kLaunches = 5;
    for (int i = 0; i < kLaunches; ++i) {
      const double start = cpuSeconds();
      (*bound)->launch();
      best = std::min(best, cpuSeconds() - start);
    }
    const double allocations =
        static_cast<double>(allocationCount() - before) / kLaunches;
    // CPU time adds up over threads: rates are per thread.
    std::printf("%-34s %-7s %9.3f ms  %7.1f GFLOP/s  %6.1f GB/s  %5.1f "
                "allocations\n",
                bench.name.c_str(), provider, best * 1e3 / threads,
                bench.flops / best / 1e9, bytes / best / 1e9, allocations);
  }
  for (const TensorRef &tensor : call.operands)
    std::free(tensor.data);
  for (const TensorRef &tensor : call.results)
    std::free(tensor.data);
  std::free(call.workspace);
}

Bench product(const char *name, ElementType type, int64_t m, int64_t n,
              int64_t k, bool transposeA, bool transposeB) {
  Bench bench;
  bench.name = std::string("matmul ") + name + " " + std::to_string(m) + "x" +
               std::to_string(n) + "x" + std::to_string(k) +
               (type == ElementType::BF16 ? " bf16" : "");
  bench.kind = OpKind::Matmul;
  bench.attributes.transpose_a = transposeA;
  bench.attributes.transpose_b = transposeB;
  bench.operands = {{type, transposeA ? std::vector{k, m} : std::vector{m, k}},
                    {type, transposeB ? std::vector{n, k} : std::vector{k, n}}};
  bench.results = {{type, {m, n}}};
  bench.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) *
                static_cast<double>(k);
  return bench;
}

std::vector<Bench> products(int64_t tokens) {
  constexpr ElementType f32 = ElementType::F32;
  return {
      product("qkv", f32, tokens, 2304, 768, false, false),
      product("proj", f32, tokens, 768, 768, false, false),
      product("mlp up", f32, tokens, 3072, 768, false, false),
      product("mlp down", f32, tokens, 768, 3072, false, false),
      product("d input", f32, tokens, 768, 3072, false, true),
      product("d weight", f32, 768, 3072, tokens, true, false),
      product("vocabulary", f32, 256, 50257, 768, false, true),
      product("small rows", f32, 16, 2048, 2048, false, false),
      product("mlp up", ElementType::BF16, tokens, 3072, 768, false, false)};
}

std::vector<Bench> others(int64_t tokens) {
  constexpr ElementType f32 = ElementType::F32;
  const Operand wide = {f32, {tokens, 3072}}, hidden = {f32, {tokens, 768}};
  const Operand channel = {f32, {768}}, perRow = {f32, {tokens}};
  const Operand scalar = {f32, {}}, whole = {ElementType::I64, {}};
  const Operand heads = {f32, {1, 12, tokens, 64}};
  const Operand lse = {f32, {1, 12, tokens}};
  const Operand scores = {f32, {12, tokens, tokens}};
  const Operand logits = {f32, {256, 50257}}, ids = {ElementType::I32, {256}};
  const Operand lines = {f32, {256}};
  const auto make = [](const char *name, OpKind kind,
                       std::vector<Operand> operands,
                       std::vector<Operand> results) {
    Bench bench;
    bench.name = name;
    bench.kind = kind;
    bench.operands = std::move(operands);
    bench.results = std::move(results);
    bench.flops = 0;
    bench.attributes.factor = 0.125;
    bench.attributes.epsilon = 1e-5;
    bench.attributes.probability = 0.1;
    bench.attributes.beta1 = 0.9;
    bench.attributes.beta2 = 0.95;
    return bench;
  };
  std::vector<Bench> list = {
      make("add", OpKind::Add, {wide, wide}, {wide}),
      make("gelu erf", OpKind::Gelu, {wide}, {wide}),
      make("gelu erf backward", OpKind::GeluBackward, {wide, wide}, {wide}),
      make("silu", OpKind::Silu, {wide}, {wide}),
      make("layer norm", OpKind::LayerNorm, {hidden, channel, channel},
           {hidden, perRow, perRow}),
      make("layer norm backward", OpKind::LayerNormBackward,
           {hidden, hidden, channel, perRow, perRow},
           {hidden, channel, channel}),
      make("dropout", OpKind::Dropout, {wide, whole, whole}, {wide}),
      make("causal softmax", OpKind::Softmax, {scores}, {scores}),
      make("causal softmax backward", OpKind::SoftmaxBackward, {scores, scores},
           {scores}),
      make("cross entropy", OpKind::CrossEntropy, {logits, ids},
           {scalar, lines}),
      make("cross entropy backward", OpKind::CrossEntropyBackward,
           {scalar, logits, ids, lines}, {logits}),
      make("transpose heads", OpKind::Transpose, {{f32, {1, tokens, 12, 64}}},
           {heads}),
      make("reduce rows", OpKind::ReduceSum, {wide}, {{f32, {3072}}}),
      make("adamw", OpKind::AdamW, {wide, wide, wide, wide, whole, scalar},
           {wide, wide, wide}),
      make("causal attention", OpKind::Attention, {heads, heads, heads},
           {heads, lse}),
      make("causal attention backward", OpKind::AttentionBackward,
           {heads, heads, heads, heads, heads, lse}, {heads, heads, heads})};
  for (Bench &bench : list) {
    bench.attributes.causal = bench.name.rfind("causal", 0) == 0;
    if (bench.kind == OpKind::Transpose)
      bench.attributes.dims = {0, 2, 1, 3};
    if (bench.kind == OpKind::ReduceSum)
      bench.attributes.dims = {0};
    // Half of the two (backward: five) products of tokens x tokens x 64.
    const double half = 12.0 * 64 * static_cast<double>(tokens * tokens);
    if (bench.kind == OpKind::Attention)
      bench.flops = 2 * half;
    if (bench.kind == OpKind::AttentionBackward)
      bench.flops = 5 * half;
  }
  return list;
}

} // namespace

int main(int argc, char **argv) {
  // Lines appear as they are measured, also in a pipe.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const int64_t tokens = argc > 2 ? std::atoi(argv[2]) : 1024;
#if defined(__x86_64__)
  if (bestInstructionSet() != InstructionSet::Base)
    std::printf("peak of one thread: %.1f GFLOP/s (f32, 256-bit vectors)\n",
                peakRate());
#endif
  std::printf("%d threads; rates are per thread\n", threads);
  for (const char *provider : {"ref", "onednn"}) {
    HostOptions options;
    options.threads = threads;
    options.gemm = provider;
    auto device = makeHostDevice(options);
    if (!device) {
      std::printf("%s\n", device.error().message.c_str());
      continue;
    }
    for (const Bench &bench : products(tokens))
      measure(**device, bench, provider, threads);
    if (options.gemm == "ref")
      for (const Bench &bench : others(tokens))
        measure(**device, bench, "", threads);
  }
  return 0;
}
