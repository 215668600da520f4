//===- KernelHarness.cpp - Runs one host kernel on given values -----------===//
//
// Part of Ringi. See KernelHarness.h.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <tuple>

using namespace ringi;
using namespace ringi::test;
using runtime::InstructionSet;

int64_t test::elementCount(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

namespace {

/// Significand bits (the implicit one included), least normal exponent and
/// largest finite value.
struct Format {
  int precision, leastExponent;
  double largest;
};

Format formatOf(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return {24, -126, 0x1.fffffep127};
  case ElementType::BF16:
    return {8, -126, 0x1.fep127};
  default:
    return {11, -14, 65504.0};
  }
}

int widthOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::I64:
    return 8;
  case ElementType::F32:
  case ElementType::I32:
    return 4;
  case ElementType::BF16:
  case ElementType::F16:
    return 2;
  default:
    return 1;
  }
}

template <typename T> void put(std::byte *to, T value) {
  std::memcpy(to, &value, sizeof(T));
}
template <typename T> T get(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// `value` must already be rounded to half precision.
uint16_t halfBits(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value))
    return 0x7e00;
  if (std::isinf(value))
    return sign | 0x7c00;
  if (magnitude < 0x1p-14)
    return sign | static_cast<uint16_t>(magnitude * 0x1p24);
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);
  return sign |
         static_cast<uint16_t>(((exponent + 14) << 10) |
                               (static_cast<int>(fraction * 2048) & 1023));
}

double halfValue(uint16_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent == 31)
    return fraction ? std::nan("") : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

void encode(ElementType type, double value, std::byte *to) {
  value = rounded(type, value);
  switch (type) {
  case ElementType::F64:
    return put(to, value);
  case ElementType::F32:
    return put(to, static_cast<float>(value));
  case ElementType::BF16: {
    std::byte wide[4];
    put(wide, static_cast<float>(value));
    std::memcpy(to, wide + 2, 2);
    return;
  }
  case ElementType::F16:
    return put(to, halfBits(value));
  case ElementType::I64:
    return put(to, static_cast<int64_t>(value));
  case ElementType::I32:
    return put(to, static_cast<int32_t>(value));
  default:
    return put(to, static_cast<int8_t>(value));
  }
}

double decode(ElementType type, const std::byte *from) {
  switch (type) {
  case ElementType::F64:
    return get<double>(from);
  case ElementType::F32:
    return get<float>(from);
  case ElementType::BF16: {
    std::byte wide[4] = {};
    std::memcpy(wide + 2, from, 2);
    return get<float>(wide);
  }
  case ElementType::F16:
    return halfValue(get<uint16_t>(from));
  case ElementType::I64:
    return static_cast<double>(get<int64_t>(from));
  case ElementType::I32:
    return get<int32_t>(from);
  default:
    return get<int8_t>(from);
  }
}

/// A 256-byte aligned block with a canary on both sides.
class Buffer {
public:
  Buffer(int64_t bytes, uint8_t poison)
      : size(bytes), storage(static_cast<size_t>(bytes) + 1024, kCanary) {
    const uintptr_t start = reinterpret_cast<uintptr_t>(storage.data()) + 256;
    data = storage.data() + (256 - start % 256) % 256 + 256;
    std::memset(data, poison, static_cast<size_t>(bytes));
  }
  bool intact() const {
    for (const std::byte *at = storage.data();
         at < storage.data() + storage.size(); ++at)
      if ((at < data || at >= data + size) && *at != kCanary)
        return false;
    return true;
  }
  std::byte *data = nullptr;
  int64_t size;

private:
  static constexpr std::byte kCanary{0x3c};
  std::vector<std::byte> storage;
};

runtime::TensorRef refOf(ElementType type, const std::vector<int64_t> &shape,
                         std::byte *data) {
  runtime::TensorRef ref;
  ref.data = data;
  ref.type = type;
  ref.rank = static_cast<int>(shape.size());
  for (int d = 0; d < ref.rank; ++d)
    ref.shape[d] = shape[d];
  return ref;
}

} // namespace

double test::rounded(ElementType type, double value) {
  if (type != ElementType::F32 && type != ElementType::BF16 &&
      type != ElementType::F16)
    return value;
  if (!std::isfinite(value) || value == 0)
    return value;
  const Format format = formatOf(type);
  const int exponent = std::max(std::ilogb(value), format.leastExponent);
  const double unit = std::ldexp(1.0, exponent - format.precision + 1);
  const double result = std::nearbyint(value / unit) * unit;
  return std::fabs(result) > format.largest ? std::copysign(INFINITY, value)
                                            : result;
}

Tensor test::randomTensor(ElementType type, std::vector<int64_t> shape,
                          unsigned seed) {
  std::mt19937 generator(seed);
  Tensor tensor{type, std::move(shape), {}};
  const int64_t count = elementCount(tensor.shape);
  for (int64_t i = 0; i < count; ++i)
    tensor.values.push_back(rounded(type, generator() / 2147483648.0 - 1.0));
  return tensor;
}

runtime::Device &test::device(int threads, InstructionSet isa,
                              const std::string &gemm) {
  using Key = std::tuple<int, InstructionSet, std::string>;
  static std::map<Key, std::unique_ptr<runtime::Device>> devices;
  std::unique_ptr<runtime::Device> &entry = devices[{threads, isa, gemm}];
  if (!entry) {
    runtime::HostOptions options;
    options.threads = threads;
    options.instructionSet = isa;
    options.gemm = gemm;
    entry = std::move(*runtime::makeHostDevice(options));
  }
  return *entry;
}

Outcome test::run(OpKind kind, const AttributesT &attributes,
                  const std::vector<Tensor> &operands,
                  const std::vector<Shape> &results,
                  const RunOptions &options) {
  Outcome outcome;
  std::vector<Buffer> buffers;
  buffers.reserve(operands.size() + results.size() + 1);
  runtime::OpCall call;
  call.kind = kind;
  call.attributes = &attributes;
  std::vector<program::TensorShape> operandShapes, resultShapes;
  for (const Tensor &operand : operands) {
    const int width = widthOf(operand.type);
    buffers.emplace_back(width * elementCount(operand.shape), options.poison);
    for (size_t i = 0; i < operand.values.size(); ++i)
      encode(operand.type, operand.values[i], buffers.back().data + i * width);
    call.operands.push_back(
        refOf(operand.type, operand.shape, buffers.back().data));
    operandShapes.push_back({operand.type, operand.shape});
  }
  for (size_t r = 0; r < results.size(); ++r) {
    std::byte *data = nullptr;
    for (const auto &[result, operand] : options.inPlace)
      if (result == static_cast<int>(r))
        data = buffers[operand].data;
    if (!data) {
      buffers.emplace_back(widthOf(results[r].type) *
                               elementCount(results[r].shape),
                           options.poison);
      data = buffers.back().data;
    }
    call.results.push_back(refOf(results[r].type, results[r].shape, data));
    resultShapes.push_back({results[r].type, results[r].shape});
  }
  call.workspaceBytes =
      program::kernelWorkspaceBytes(kind, operandShapes, resultShapes);
  buffers.emplace_back(call.workspaceBytes, options.poison);
  Buffer &workspace = buffers.back();
  call.workspace = workspace.data;

  auto bound = device(options.threads, options.isa, options.gemm).bind(call);
  if (!bound) {
    outcome.failure = bound.error().message;
    return outcome;
  }
  (*bound)->launch();
  for (const Buffer &buffer : buffers)
    if (!buffer.intact())
      outcome.failure = "the kernel wrote outside a buffer";
  for (const runtime::TensorRef &result : call.results) {
    const std::byte *data = static_cast<const std::byte *>(result.data);
    const int width = widthOf(result.type);
    outcome.bytes.emplace_back(data, data + width * result.elements());
    std::vector<double> values;
    for (int64_t i = 0; i < result.elements(); ++i)
      values.push_back(decode(result.type, data + i * width));
    outcome.values.push_back(std::move(values));
  }
  outcome.workspace.assign(workspace.data, workspace.data + workspace.size);
  return outcome;
}

std::vector<InstructionSet> test::instructionSets() {
  std::vector<InstructionSet> sets;
  for (InstructionSet set :
       {InstructionSet::Base, InstructionSet::Avx2, InstructionSet::Avx512})
    if (set <= runtime::bestInstructionSet())
      sets.push_back(set);
  return sets;
}
