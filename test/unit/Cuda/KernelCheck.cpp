//===- KernelCheck.cpp - A device's kernels against the host's ------------===//
//
// Part of Ringi. Operands are made on the host, run in an arena of the device
// and come back as bytes, so that a device with memory of its own is checked
// like the emulated one.
//
//===----------------------------------------------------------------------===//

#include "KernelCheck.h"

#include "Numbers.h"
#include "ringi/Program/KernelWorkspace.h"
#include "ringi/Program/ProgramBuilder.h"
#include "ringi/Runtime/HostDevice.h"
#include "ringi/Runtime/InputData.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace ringi::cuda::test {

using runtime::Arena;
using runtime::BoundOp;
using runtime::Device;
using runtime::OpCall;
using runtime::TensorRef;
using runtime::detail::loadElement;

namespace {

using Bytes = std::vector<std::byte>;

/// One call: operands on the host until execute(), an arena of its own.
class KernelRun {
public:
  KernelRun(const Case &c, ElementType type, Device &device)
      : c(c), device(device) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0.0f, 0.7f);
    call.kind = c.kind;
    call.attributes = &c.attributes;
    call.location = c.name;
    for (const TensorSpec &spec : c.operands) {
      TensorRef tensor = make(spec, type);
      Bytes data(size_t(bytesOf(tensor)));
      for (int64_t i = 0; i < tensor.elements(); ++i)
        fillElement(tensor.type, data.data(), i, random, normal);
      call.operands.push_back(tensor);
      operands.push_back(std::move(data));
    }
    for (const TensorSpec &spec : c.results)
      call.results.push_back(make(spec, type));
  }

  /// To change what random data cannot be.
  Bytes &operand(size_t i) { return operands[i]; }
  const TensorRef &result(size_t i) const { return call.results[i]; }

  /// \returns the results' bytes.
  std::vector<Bytes> execute() {
    std::vector<Bytes> results;
    Status status = run(results);
    EXPECT_TRUE(status) << c.name << ": " << status.error().message;
    return results;
  }

private:
  static int64_t bytesOf(const TensorRef &tensor) {
    return tensor.elements() * program::elementBits(tensor.type) / 8;
  }

  static TensorRef make(const TensorSpec &spec, ElementType type) {
    TensorRef tensor;
    tensor.type = spec.type == kT ? type : spec.type;
    tensor.rank = int(spec.shape.size());
    std::copy(spec.shape.begin(), spec.shape.end(), tensor.shape.begin());
    return tensor;
  }

  void fillElement(ElementType type, std::byte *data, int64_t i,
                   std::mt19937 &random,
                   std::normal_distribution<float> &normal) const {
    auto id = int64_t(random() % uint64_t(c.vocabulary));
    if (type == ElementType::I64)
      std::memcpy(data + 8 * i, &id, 8);
    else if (type == ElementType::I32)
      reinterpret_cast<int32_t *>(data)[i] = int32_t(id);
    else if (type == ElementType::I8)
      data[i] = std::byte(id & 1);
    else
      runtime::detail::storeElement(type, data, i, normal(random));
  }

  int overwritten(size_t result) const {
    return result < c.overwrites.size() ? c.overwrites[result] : -1;
  }

  std::vector<program::TensorShape>
  shapesOf(const std::vector<TensorRef> &tensors) const {
    std::vector<program::TensorShape> shapes;
    for (const TensorRef &tensor : tensors)
      shapes.push_back(
          {tensor.type,
           {tensor.shape.begin(), tensor.shape.begin() + tensor.rank}});
    return shapes;
  }

  Status run(std::vector<Bytes> &results) {
    call.workspaceBytes = program::kernelWorkspaceBytes(
        c.kind, shapesOf(call.operands), shapesOf(call.results));
    auto slot = [](int64_t bytes) { return (bytes + 255) / 256 * 256; };
    int64_t size = 256 + slot(call.workspaceBytes);
    for (const auto *tensors : {&call.operands, &call.results})
      for (const TensorRef &tensor : *tensors)
        size += slot(bytesOf(tensor));
    Expected<std::unique_ptr<Arena>> arena = device.makeArena(size);
    if (!arena)
      return arena.error();
    std::byte *next = (*arena)->data();
    if (Status status = device.fill(next, 0xAB, size); !status)
      return status;
    auto place = [&](int64_t bytes) {
      return std::exchange(next, next + slot(bytes));
    };
    for (size_t i = 0; i < operands.size(); ++i) {
      call.operands[i].data = place(bytesOf(call.operands[i]));
      if (Status status =
              device.copyIn(call.operands[i].data, operands[i].data(),
                            int64_t(operands[i].size()));
          !status)
        return status;
    }
    for (size_t i = 0; i < call.results.size(); ++i)
      call.results[i].data = overwritten(i) >= 0
                                 ? call.operands[overwritten(i)].data
                                 : place(bytesOf(call.results[i]));
    call.workspace = place(call.workspaceBytes);
    Expected<std::unique_ptr<BoundOp>> op = device.bind(call);
    if (!op)
      return op.error();
    (*op)->launch();
    if (Status status = device.synchronize(); !status)
      return status;
    for (const TensorRef &result : call.results) {
      results.emplace_back(size_t(bytesOf(result)));
      if (Status status = device.copyOut(results.back().data(), result.data,
                                         bytesOf(result));
          !status)
        return status;
    }
    return Status::success();
  }

  const Case &c;
  Device &device;
  OpCall call;
  std::vector<Bytes> operands;
};

/// What may lie between two results whose largest magnitude is `scale`: two
/// units in the last place of it in 16 bits, 1e-5 of it in f32.
double tolerance(ElementType type, double scale) {
  if (type == ElementType::F32)
    return 1e-5 * scale;
  int fractionBits = type == ElementType::BF16 ? 7 : 10;
  return 2 * std::ldexp(1.0, std::ilogb(scale) - fractionBits);
}

void expectClose(const Case &c, const TensorRef &shape, const Bytes &host,
                 const Bytes &cuda) {
  if (c.exact) {
    EXPECT_EQ(host, cuda) << c.name;
    return;
  }
  double scale = 1e-3, worst = 0;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    double expected = loadElement(shape.type, host.data(), i);
    scale = std::max(scale, std::abs(expected));
    double error = std::abs(expected - loadElement(shape.type, cuda.data(), i));
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  EXPECT_LE(worst, tolerance(shape.type, scale))
      << c.name << ", scale " << scale;
}

using Prepare = std::function<void(KernelRun &)>;

void check(CheckedDevices &devices, const Case &c, ElementType type,
           const Prepare &prepare = {}) {
  SCOPED_TRACE(c.name);
  KernelRun onHost(c, type, *devices.host);
  if (prepare)
    prepare(onHost);
  std::vector<Bytes> expected = onHost.execute(), first;
  for (const std::function<void()> &before : devices.rounds) {
    before();
    KernelRun run(c, type, *devices.cuda);
    if (prepare)
      prepare(run);
    std::vector<Bytes> results = run.execute();
    ASSERT_EQ(results.size(), expected.size());
    if (first.empty()) {
      first = results;
      for (size_t i = 0; i < results.size(); ++i)
        expectClose(c, run.result(i), expected[i], results[i]);
    }
    EXPECT_EQ(results, first) << c.name << ": bits differ between runs";
  }
}

} // namespace

std::unique_ptr<Device> referenceHost() {
  runtime::HostOptions options;
  options.threads = 1;
  options.gemm = "ref";
  return std::move(*runtime::makeHostDevice(options));
}

void checkKernels(CheckedDevices &devices, ElementType type) {
  std::vector<Case> cases;
  for (auto add : {addElementwise, addTokensAndRandom, addMovement, addRows,
                   addProducts, addUpdates})
    add(cases);
  for (const Case &c : cases)
    check(devices, c, type);
}

void checkAttentionBackward(CheckedDevices &devices, ElementType type) {
  for (const AttentionSize &sizes : kAttentionSizes) {
    TensorSpec rows{kT, {1, 2, sizes.seq, sizes.head}};
    TensorSpec keys{kT, {1, 2, sizes.keys, sizes.head}};
    TensorSpec stats{kS, {1, 2, sizes.seq}};
    AttributesT a = attentionAttributes(sizes);
    Case forward{
        "attention", OpKind::Attention, {rows, keys, keys}, {rows, stats}, a};
    Case backward{"attention backward" + nameOf(sizes),
                  OpKind::AttentionBackward,
                  {rows, rows, keys, keys, rows, stats},
                  {rows, keys, keys},
                  a};
    check(devices, backward, type, [&](KernelRun &run) {
      KernelRun first(forward, type, *devices.host);
      for (size_t i = 0; i < 3; ++i)
        first.operand(i) = run.operand(i + 1);
      std::vector<Bytes> results = first.execute();
      ASSERT_EQ(results.size(), 2u);
      run.operand(4) = results[0];
      run.operand(5) = results[1];
    });
  }
}

void checkInitializers(CheckedDevices &devices, ElementType type) {
  using program::Initializer;
  // Ragged: the last block of four is not whole.
  constexpr int64_t kElements = 40003;
  for (auto initializer :
       {Initializer::Normal, Initializer::Uniform, Initializer::Ones}) {
    SCOPED_TRACE(program::toString(initializer));
    program::ProgramBuilder builder("weights");
    builder.input("w", type, {uint64_t(kElements)}, program::Role::Parameter,
                  initializer, 0.02);
    const program::ProgramFile &file = builder.finish();
    Bytes expected(size_t(kElements * program::elementBits(type) / 8));
    runtime::initializeInput(file, 0, 42, expected.data());
    Expected<std::unique_ptr<Arena>> arena =
        devices.cuda->makeArena(int64_t(expected.size()));
    ASSERT_TRUE(arena) << arena.error().message;
    Expected<bool> filled = devices.cuda->fillRandom(
        (*arena)->data(), runtime::initialTensor(file.program, 0, 42),
        kElements);
    ASSERT_TRUE(filled) << filled.error().message;
    EXPECT_TRUE(*filled);
    Bytes results(expected.size());
    Status copied = devices.cuda->copyOut(results.data(), (*arena)->data(),
                                          int64_t(results.size()));
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(results == expected) << "bits differ from the host's";
  }
}

void checkAdamw(CheckedDevices &devices, ElementType type) {
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
    check(devices, c, type, [](KernelRun &run) {
      // The second moment is never negative, and steps count from 1.
      auto *second = reinterpret_cast<float *>(run.operand(3).data());
      for (int k = 0; k < 41; ++k)
        second[k] = second[k] * second[k];
      int64_t three = 3;
      std::memcpy(run.operand(4).data(), &three, sizeof(three));
    });
  }
}

} // namespace ringi::cuda::test
