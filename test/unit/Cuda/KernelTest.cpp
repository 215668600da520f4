//===- KernelTest.cpp - CUDA kernels against the host's -------------------===//
//
// Part of Ringi. Every op kind runs in the emulation in three thread orders,
// whose bits must agree, and is compared with the host device: f32 within 1e-5
// of the output's scale, 16-bit types within two units in the last place of it;
// random masks and moved bits exactly.
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/KernelWorkspace.h"
#include "ringi/Runtime/CudaDevice.h"
#include "ringi/Runtime/HostDevice.h"

#include "kernels/Bind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace ringi;
using namespace ringi::runtime;
using program::AttributesT;
using program::ElementType;
using program::OpKind;

namespace {

/// The working type of a case stands for "T" in its tensors.
constexpr ElementType kT = ElementType::F64;
constexpr ElementType kS = ElementType::F32;
constexpr ElementType kI32 = ElementType::I32;
constexpr ElementType kI64 = ElementType::I64;
constexpr ElementType kI8 = ElementType::I8;

struct TensorSpec {
  ElementType type;
  std::vector<int64_t> shape;
};

struct Case {
  std::string name;
  OpKind kind;
  std::vector<TensorSpec> operands, results;
  AttributesT attributes = {};
  /// Values of integer operands are below this.
  int64_t vocabulary = 2;
  /// Result i is written over operand overwrites[i] when that is not -1.
  std::vector<int> overwrites = {};
  bool exact = false;
};

int64_t widthOf(ElementType type) {
  switch (type) {
  case ElementType::I64:
  case ElementType::F64:
    return 8;
  case ElementType::BF16:
  case ElementType::F16:
    return 2;
  case ElementType::I8:
    return 1;
  default:
    return 4;
  }
}

float readElement(const std::byte *data, ElementType type, int64_t i) {
  switch (type) {
  case ElementType::F32: {
    float value;
    std::memcpy(&value, data + 4 * i, 4);
    return value;
  }
  case ElementType::BF16:
    return cuda::toFloat(reinterpret_cast<const cuda::BFloat16 *>(data)[i]);
  case ElementType::F16:
    return cuda::toFloat(reinterpret_cast<const cuda::Float16 *>(data)[i]);
  case ElementType::I8:
    return float(int8_t(data[i]));
  default:
    ADD_FAILURE() << "no float in this type";
    return 0;
  }
}

void writeElement(std::byte *data, ElementType type, int64_t i, float value) {
  switch (type) {
  case ElementType::BF16:
    reinterpret_cast<cuda::BFloat16 *>(data)[i] =
        cuda::fromFloat<cuda::BFloat16>(value);
    break;
  case ElementType::F16:
    reinterpret_cast<cuda::Float16 *>(data)[i] =
        cuda::fromFloat<cuda::Float16>(value);
    break;
  default:
    std::memcpy(data + 4 * i, &value, 4);
  }
}

/// Memory of one run: operands, results and workspace, each 256-byte aligned.
class KernelRun {
public:
  KernelRun(const Case &c, ElementType type) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0.0f, 0.7f);
    call.kind = c.kind;
    call.attributes = &c.attributes;
    call.location = c.name;
    std::vector<program::TensorShape> operandShapes, resultShapes;
    for (const TensorSpec &spec : c.operands) {
      TensorRef tensor = make(spec, type);
      for (int64_t i = 0; i < tensor.elements(); ++i)
        fillElement(tensor, i, random, normal, c.vocabulary);
      call.operands.push_back(tensor);
      operandShapes.push_back({tensor.type, spec.shape});
    }
    for (size_t i = 0; i < c.results.size(); ++i) {
      int over = i < c.overwrites.size() ? c.overwrites[i] : -1;
      call.results.push_back(over >= 0 ? call.operands[over]
                                       : make(c.results[i], type));
      resultShapes.push_back({call.results.back().type, c.results[i].shape});
    }
    call.workspaceBytes =
        program::kernelWorkspaceBytes(c.kind, operandShapes, resultShapes);
    call.workspace = allocate(call.workspaceBytes);
  }

  void execute(Device &device) {
    Expected<std::unique_ptr<BoundOp>> op = device.bind(call);
    ASSERT_TRUE(op) << op.error().message;
    (*op)->launch();
    Status status = device.synchronize();
    ASSERT_TRUE(status) << status.error().message;
  }

  OpCall call;

private:
  std::byte *allocate(int64_t bytes) {
    storage.emplace_back(size_t(bytes) + 512, std::byte(0xAB));
    auto address = reinterpret_cast<uintptr_t>(storage.back().data());
    return reinterpret_cast<std::byte *>((address + 255) & ~uintptr_t(255));
  }

  TensorRef make(const TensorSpec &spec, ElementType type) {
    TensorRef tensor;
    tensor.type = spec.type == kT ? type : spec.type;
    tensor.rank = int(spec.shape.size());
    for (int d = 0; d < tensor.rank; ++d)
      tensor.shape[d] = spec.shape[d];
    tensor.data = allocate(tensor.elements() * widthOf(tensor.type));
    return tensor;
  }

  void fillElement(TensorRef &tensor, int64_t i, std::mt19937 &random,
                   std::normal_distribution<float> &normal,
                   int64_t vocabulary) {
    auto *data = static_cast<std::byte *>(tensor.data);
    auto id = int64_t(random() % uint64_t(vocabulary));
    if (tensor.type == ElementType::I64)
      std::memcpy(data + 8 * i, &id, 8);
    else if (tensor.type == ElementType::I32)
      reinterpret_cast<int32_t *>(data)[i] = int32_t(id);
    else if (tensor.type == ElementType::I8)
      data[i] = std::byte(id & 1);
    else
      writeElement(data, tensor.type, i, normal(random));
  }

  std::vector<std::vector<std::byte>> storage;
};

AttributesT attributes(const std::function<void(AttributesT &)> &set) {
  AttributesT result;
  set(result);
  return result;
}

Case unary(const char *name, OpKind kind, AttributesT a = {}) {
  return {name, kind, {{kT, {5, 33}}}, {{kT, {5, 33}}}, std::move(a)};
}

Case pairwise(const char *name, OpKind kind, AttributesT a = {}) {
  return {name,
          kind,
          {{kT, {4, 40}}, {kT, {4, 40}}},
          {{kT, {4, 40}}},
          std::move(a)};
}

Case inPlace(Case c, std::vector<int> overwrites) {
  c.name += " in place";
  c.overwrites = std::move(overwrites);
  return c;
}

void addElementwise(std::vector<Case> &cases) {
  AttributesT tanh = attributes([](auto &a) { a.approximate_tanh = true; });
  cases.push_back(pairwise("add", OpKind::Add));
  cases.push_back(
      {"add bias", OpKind::Add, {{kT, {6, 7}}, {kT, {7}}}, {{kT, {6, 7}}}, {}});
  cases.push_back({"mul suffix",
                   OpKind::Mul,
                   {{kT, {3, 4, 16}}, {kT, {4, 16}}},
                   {{kT, {3, 4, 16}}},
                   {}});
  cases.push_back(inPlace(pairwise("add", OpKind::Add), {0}));
  cases.push_back(unary("scale", OpKind::Scale,
                        attributes([](auto &a) { a.factor = 0.3; })));
  cases.push_back(unary("relu", OpKind::Relu));
  cases.push_back(pairwise("relu backward", OpKind::ReluBackward));
  cases.push_back(unary("gelu", OpKind::Gelu));
  cases.push_back(pairwise("gelu backward", OpKind::GeluBackward));
  cases.push_back(unary("gelu tanh", OpKind::Gelu, tanh));
  cases.push_back(pairwise("gelu tanh backward", OpKind::GeluBackward, tanh));
  cases.push_back(unary("silu", OpKind::Silu));
  cases.push_back(pairwise("silu backward", OpKind::SiluBackward));
  cases.push_back(unary("tanh", OpKind::Tanh));
  cases.push_back(pairwise("tanh backward", OpKind::TanhBackward));
  cases.push_back(unary("sigmoid", OpKind::Sigmoid));
  cases.push_back(pairwise("sigmoid backward", OpKind::SigmoidBackward));
  cases.push_back(unary("exp", OpKind::Exp));
  cases.push_back({"cast down", OpKind::Cast, {{kS, {9}}}, {{kT, {9}}}, {}});
  cases.push_back({"cast up", OpKind::Cast, {{kT, {9}}}, {{kS, {9}}}, {}});
  cases.push_back(
      {"fill", OpKind::Fill, {}, {{kT, {9}}}, attributes([](auto &a) {
         a.factor = 1.5;
       })});
}

void addRows(std::vector<Case> &cases) {
  AttributesT epsilon = attributes([](auto &a) { a.epsilon = 1e-5; });
  AttributesT causal = attributes([](auto &a) { a.causal = true; });
  Case softmax{
      "softmax", OpKind::Softmax, {{kT, {2, 5, 37}}}, {{kT, {2, 5, 37}}}, {}};
  cases.push_back(softmax);
  cases.push_back(inPlace(softmax, {0}));
  cases.push_back({"softmax causal",
                   OpKind::Softmax,
                   {{kT, {2, 9, 9}}},
                   {{kT, {2, 9, 9}}},
                   causal});
  cases.push_back(pairwise("softmax backward", OpKind::SoftmaxBackward));
  cases.push_back({"softmax wide",
                   OpKind::Softmax,
                   {{kT, {2, 3000}}},
                   {{kT, {2, 3000}}},
                   {}});
  cases.push_back({"layer norm",
                   OpKind::LayerNorm,
                   {{kT, {6, 70}}, {kT, {70}}, {kT, {70}}},
                   {{kT, {6, 70}}, {kS, {6}}, {kS, {6}}},
                   epsilon});
  Case norm{
      "layer norm backward",
      OpKind::LayerNormBackward,
      {{kT, {300, 20}}, {kT, {300, 20}}, {kT, {20}}, {kS, {300}}, {kS, {300}}},
      {{kT, {300, 20}}, {kT, {20}}, {kT, {20}}},
      epsilon};
  cases.push_back(norm);
  cases.push_back(inPlace(norm, {0}));
  cases.push_back({"rms norm",
                   OpKind::RmsNorm,
                   {{kT, {6, 70}}, {kT, {70}}},
                   {{kT, {6, 70}}, {kS, {6}}},
                   epsilon});
  cases.push_back({"rms norm backward",
                   OpKind::RmsNormBackward,
                   {{kT, {10, 20}}, {kT, {10, 20}}, {kT, {20}}, {kS, {10}}},
                   {{kT, {10, 20}}, {kT, {20}}},
                   epsilon});
  cases.push_back({"cross entropy",
                   OpKind::CrossEntropy,
                   {{kT, {3, 4, 50}}, {kI32, {3, 4}}},
                   {{kS, {}}, {kS, {3, 4}}},
                   {},
                   50});
  Case loss{"cross entropy backward",
            OpKind::CrossEntropyBackward,
            {{kS, {}}, {kT, {12, 50}}, {kI64, {12}}, {kS, {12}}},
            {{kT, {12, 50}}},
            {},
            50};
  cases.push_back(loss);
  cases.push_back(inPlace(loss, {1}));
  cases.push_back(
      {"mse", OpKind::Mse, {{kT, {30, 50}}, {kT, {30, 50}}}, {{kS, {}}}, {}});
  cases.push_back({"mse backward",
                   OpKind::MseBackward,
                   {{kS, {}}, {kT, {30, 5}}, {kT, {30, 5}}},
                   {{kT, {30, 5}}},
                   {}});
}

void addTokensAndRandom(std::vector<Case> &cases) {
  AttributesT random = attributes([](auto &a) {
    a.probability = 0.3;
    a.random_id = 5;
  });
  cases.push_back({"embedding",
                   OpKind::Embedding,
                   {{kI32, {3, 5}}, {kT, {11, 12}}},
                   {{kT, {3, 5, 12}}},
                   {},
                   11,
                   {},
                   true});
  cases.push_back({"embedding backward",
                   OpKind::EmbeddingBackward,
                   {{kT, {600, 12}}, {kI64, {600}}},
                   {{kT, {30, 12}}},
                   {},
                   30});
  Case dropout{"dropout",
               OpKind::Dropout,
               {{kT, {7, 11}}, {kI64, {}}, {kI64, {}}},
               {{kT, {7, 11}}},
               random,
               1000,
               {},
               true};
  cases.push_back(dropout);
  cases.push_back(inPlace(dropout, {0}));
  dropout.kind = OpKind::DropoutBackward;
  dropout.name = "dropout backward";
  cases.push_back(dropout);
  cases.push_back({"dropout mask",
                   OpKind::DropoutMask,
                   {{kI64, {}}, {kI64, {}}},
                   {{kI8, {7, 11}}},
                   random,
                   1000,
                   {},
                   true});
  cases.push_back({"dropout apply",
                   OpKind::DropoutApply,
                   {{kT, {7, 11}}, {kI8, {7, 11}}},
                   {{kT, {7, 11}}},
                   random,
                   2,
                   {},
                   true});
}

void addMovement(std::vector<Case> &cases) {
  auto dims = [](std::vector<int64_t> d) {
    return attributes([&](auto &a) { a.dims = d; });
  };
  auto along = [](int64_t axis, int64_t start) {
    return attributes([&](auto &a) {
      a.axis = axis;
      a.start = start;
    });
  };
  cases.push_back({"transpose",
                   OpKind::Transpose,
                   {{kT, {2, 3, 4, 5}}},
                   {{kT, {4, 2, 5, 3}}},
                   dims({2, 0, 3, 1}),
                   2,
                   {},
                   true});
  cases.push_back({"slice",
                   OpKind::Slice,
                   {{kT, {3, 8, 2}}},
                   {{kT, {3, 4, 2}}},
                   along(1, 3),
                   2,
                   {},
                   true});
  cases.push_back({"pad slice",
                   OpKind::PadSlice,
                   {{kT, {3, 4, 2}}},
                   {{kT, {3, 8, 2}}},
                   along(1, 3),
                   2,
                   {},
                   true});
  cases.push_back({"concat",
                   OpKind::Concat,
                   {{kT, {2, 3, 2}}, {kT, {2, 1, 2}}, {kT, {2, 4, 2}}},
                   {{kT, {2, 8, 2}}},
                   along(1, 0),
                   2,
                   {},
                   true});
  cases.push_back({"broadcast",
                   OpKind::Broadcast,
                   {{kT, {3, 5}}},
                   {{kT, {3, 4, 5}}},
                   dims({1}),
                   2,
                   {},
                   true});
  cases.push_back({"sum rows",
                   OpKind::ReduceSum,
                   {{kT, {400, 6}}},
                   {{kT, {6}}},
                   dims({0})});
  cases.push_back({"sum middle",
                   OpKind::ReduceSum,
                   {{kT, {3, 7, 5}}},
                   {{kT, {3, 5}}},
                   dims({1})});
  cases.push_back({"sum outer and last",
                   OpKind::ReduceSum,
                   {{kT, {3, 7, 5}}},
                   {{kT, {7}}},
                   dims({0, 2})});
  cases.push_back({"sum all",
                   OpKind::ReduceSum,
                   {{kT, {30, 50}}},
                   {{kT, {}}},
                   dims({0, 1})});
}

/// One of each kernel: rows, and tiles of 32, 64 and 128 columns, partly filled
/// in both directions.
struct AttentionSize {
  int64_t head, seq;
  bool causal;
};
constexpr AttentionSize kAttentionSizes[] = {
    {20, 70, true}, {24, 70, false}, {64, 70, true}, {120, 40, true}};

std::string nameOf(const AttentionSize &sizes) {
  return " size " + std::to_string(sizes.head) +
         (sizes.causal ? " causal" : "");
}

AttributesT attentionAttributes(const AttentionSize &sizes) {
  return attributes([&](auto &set) {
    set.causal = sizes.causal;
    set.factor = 0.3;
  });
}

void addAttentionAndUpdates(std::vector<Case> &cases) {
  for (const AttentionSize &sizes : kAttentionSizes) {
    TensorSpec rows{kT, {2, 1, sizes.seq, sizes.head}};
    cases.push_back({"attention" + nameOf(sizes),
                     OpKind::Attention,
                     {rows, rows, rows},
                     {rows, {kS, {2, 1, sizes.seq}}},
                     attentionAttributes(sizes)});
  }
  TensorSpec p{kT, {41}}, s{kS, {41}}, scalar{kS, {}}, step{kI64, {}};
  cases.push_back({"sgd",
                   OpKind::Sgd,
                   {p, p, scalar},
                   {p},
                   attributes([](auto &a) { a.weight_decay = 0.1; }),
                   2,
                   {0}});
  cases.push_back({"momentum",
                   OpKind::Momentum,
                   {p, p, s, scalar},
                   {p, s},
                   attributes([](auto &a) {
                     a.momentum = 0.9;
                     a.nesterov = true;
                   }),
                   2,
                   {0, 2}});
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  addElementwise(cases);
  addRows(cases);
  addTokensAndRandom(cases);
  addMovement(cases);
  addAttentionAndUpdates(cases);
  return cases;
}

/// What may lie between two results whose largest magnitude is `scale`: two
/// units in the last place of it in 16 bits, 1e-5 of it in f32.
double tolerance(ElementType type, double scale) {
  if (type == ElementType::F32)
    return 1e-5 * scale;
  int fractionBits = type == ElementType::BF16 ? 7 : 10;
  return 2 * std::ldexp(1.0, std::ilogb(scale) - fractionBits);
}

void expectClose(const Case &c, const TensorRef &host, const TensorRef &cuda) {
  const auto *a = static_cast<const std::byte *>(host.data);
  const auto *b = static_cast<const std::byte *>(cuda.data);
  int64_t n = host.elements();
  if (c.exact) {
    EXPECT_EQ(std::memcmp(a, b, size_t(n * widthOf(host.type))), 0) << c.name;
    return;
  }
  double scale = 1e-3, worst = 0;
  for (int64_t i = 0; i < n; ++i) {
    double expected = readElement(a, host.type, i);
    scale = std::max(scale, std::abs(expected));
    double error = std::abs(expected - readElement(b, cuda.type, i));
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  EXPECT_LE(worst, tolerance(host.type, scale))
      << c.name << ", scale " << scale;
}

class KernelTest : public testing::TestWithParam<ElementType> {
protected:
  void SetUp() override {
    HostOptions options;
    options.threads = 1;
    options.gemm = "ref";
    host = std::move(*makeHostDevice(options));
    cuda = std::move(*makeCudaDevice({}));
  }
  void TearDown() override {
    emulation::setThreadOrder(emulation::ThreadOrder::Forward);
  }

  /// Runs on the host and in the emulation in every thread order, whose bits
  /// must agree; `prepare` changes what random operands cannot be.
  void check(const Case &c,
             const std::function<void(KernelRun &)> &prepare = {}) {
    SCOPED_TRACE(c.name);
    KernelRun onHost(c, GetParam());
    if (prepare)
      prepare(onHost);
    onHost.execute(*host);
    std::vector<std::vector<std::byte>> first;
    for (auto order :
         {emulation::ThreadOrder::Forward, emulation::ThreadOrder::Reversed,
          emulation::ThreadOrder::Shuffled}) {
      emulation::setThreadOrder(order);
      KernelRun run(c, GetParam());
      if (prepare)
        prepare(run);
      run.execute(*cuda);
      for (size_t i = 0; i < run.call.results.size(); ++i) {
        const TensorRef &result = run.call.results[i];
        const auto *data = static_cast<const std::byte *>(result.data);
        std::vector<std::byte> bytes(data, data + result.elements() *
                                                      widthOf(result.type));
        if (first.size() <= i) {
          first.push_back(bytes);
          expectClose(c, onHost.call.results[i], result);
        }
        EXPECT_EQ(bytes, first[i]) << c.name << ": thread order changes bits";
      }
    }
  }

  std::unique_ptr<Device> host, cuda;
};

TEST_P(KernelTest, AgreesWithTheHostInEveryThreadOrder) {
  for (const Case &c : allCases())
    check(c);
}

/// The backward op reads what a forward op wrote: the host's, on both devices.
TEST_P(KernelTest, AttentionBackwardAgreesWithTheHost) {
  for (const AttentionSize &sizes : kAttentionSizes) {
    TensorSpec rows{kT, {1, 2, sizes.seq, sizes.head}};
    TensorSpec stats{kS, {1, 2, sizes.seq}};
    AttributesT a = attentionAttributes(sizes);
    Case forward{
        "attention", OpKind::Attention, {rows, rows, rows}, {rows, stats}, a};
    Case backward{"attention backward" + nameOf(sizes),
                  OpKind::AttentionBackward,
                  {rows, rows, rows, rows, rows, stats},
                  {rows, rows, rows},
                  a};
    check(backward, [&](KernelRun &run) {
      KernelRun first(forward, GetParam());
      OpCall &call = run.call;
      first.call.operands = {call.operands[1], call.operands[2],
                             call.operands[3]};
      first.call.results = {call.operands[4], call.operands[5]};
      first.execute(*host);
    });
  }
}

TEST_P(KernelTest, AdamwAgreesWithTheHost) {
  TensorSpec p{kT, {41}}, s{kS, {41}}, scalar{kS, {}}, step{kI64, {}};
  for (bool master : {false, true}) {
    Case c{"adamw",
           OpKind::AdamW,
           {p, p, s, s, step, scalar},
           {p, s, s},
           attributes([](auto &a) {
             a.beta1 = 0.9;
             a.beta2 = 0.95;
             a.epsilon = 1e-3;
             a.weight_decay = 0.1;
           }),
           1,
           {0, 2, 3}};
    if (master) {
      c.operands.push_back(s);
      c.results.push_back(s);
      c.overwrites.push_back(6);
    }
    check(c, [](KernelRun &run) {
      // The second moment is never negative, and steps count from 1.
      auto *second = static_cast<float *>(run.call.operands[3].data);
      for (int k = 0; k < 41; ++k)
        second[k] = second[k] * second[k];
      int64_t three = 3;
      std::memcpy(run.call.operands[4].data, &three, sizeof(three));
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Types, KernelTest,
                         testing::Values(ElementType::F32, ElementType::BF16,
                                         ElementType::F16),
                         [](const auto &info) {
                           return program::EnumNameElementType(info.param);
                         });

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

} // namespace
