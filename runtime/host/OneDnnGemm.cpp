//===- OneDnnGemm.cpp - The onednn GEMM provider --------------------------===//
//
// Part of Ringi. oneDNN's matmul behind the provider interface: descriptors and
// primitives are made at bind, the scratchpad is one block of ours that all
// products share. oneDNN's execute call still allocates (docs/kernels.md has
// the count), which is why ref is the default.
//
//===----------------------------------------------------------------------===//

#include "bind/Bind.h"

#ifdef RINGI_HAVE_ONEDNN

#include <cstdlib>
#include <dnnl.hpp>
#include <omp.h>

using namespace ringi;
using namespace ringi::runtime;

namespace {

/// Scratch of the largest product bound so far.
class Scratchpad {
public:
  ~Scratchpad() { std::free(block); }
  Scratchpad() = default;
  Scratchpad(const Scratchpad &) = delete;
  Scratchpad &operator=(const Scratchpad &) = delete;

  /// Products read the address at launch, so growing is safe between launches.
  bool reserve(size_t bytes) {
    if (bytes <= size)
      return true;
    const size_t rounded = (bytes + 63) / 64 * 64;
    void *larger = std::aligned_alloc(64, rounded);
    if (!larger)
      return false;
    std::free(block);
    block = larger;
    size = rounded;
    return true;
  }
  void *data() const { return block; }

private:
  void *block = nullptr;
  size_t size = 0;
};

class OneDnnMatmul : public BoundOp {
public:
  OneDnnMatmul(dnnl::matmul product, std::vector<dnnl::memory> memories,
               const std::vector<int> &roles, const dnnl::stream &stream,
               const Scratchpad &scratchpad)
      : product(std::move(product)), memories(std::move(memories)),
        stream(stream), scratchpad(scratchpad) {
    for (size_t i = 0; i < roles.size(); ++i)
      arguments.push_back({roles[i], this->memories[i].get()});
  }
  void launch() override {
    memories.back().set_data_handle(scratchpad.data());
    // The C call: the C++ one copies its arguments into a new vector.
    dnnl_primitive_execute(product.get(), stream.get(),
                           static_cast<int>(arguments.size()),
                           arguments.data());
  }

private:
  dnnl::matmul product;
  /// The scratchpad comes last.
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> arguments;
  dnnl::stream stream;
  const Scratchpad &scratchpad;
};

class OneDnnBinder : public GemmBinder {
public:
  explicit OneDnnBinder(int threads)
      : engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    omp_set_num_threads(threads);
  }

  BindResult bind(const OpCall &call, const GemmArgs &args) override {
    dnnl::memory::data_type type;
    switch (args.type) {
    case DataType::F32:
      type = dnnl::memory::data_type::f32;
      break;
    case DataType::BF16:
      type = dnnl::memory::data_type::bf16;
      break;
    default:
      return refuse(call);
    }
    using Dims = dnnl::memory::dims;
    const auto describe = [&](int64_t rows, int64_t columns, int64_t stride,
                              bool transposed) {
      // A stride of 0 repeats the matrix: a batch of one broadcasts.
      const int64_t batch = stride ? args.batch : 1;
      return dnnl::memory::desc(Dims{batch, rows, columns}, type,
                                transposed ? Dims{rows * columns, 1, rows}
                                           : Dims{rows * columns, columns, 1});
    };
    try {
      const dnnl::memory::desc a =
          describe(args.m, args.k, args.aStride, args.transposeA);
      const dnnl::memory::desc b =
          describe(args.k, args.n, args.bStride, args.transposeB);
      const dnnl::memory::desc c = describe(args.m, args.n, 1, false);
      const dnnl::memory::desc bias(Dims{1, 1, args.n}, type,
                                    dnnl::memory::format_tag::abc);
      dnnl::primitive_attr attributes;
      attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
      const dnnl::matmul::primitive_desc chosen(
          args.bias ? dnnl::matmul::desc(a, b, bias, c)
                    : dnnl::matmul::desc(a, b, c),
          attributes, engine);
      if (!scratchpad.reserve(chosen.scratchpad_desc().get_size()))
        return bindError(call, "no memory for the scratchpad of onednn; use "
                               "the GEMM provider ref");
      std::vector<dnnl::memory> memories = {
          {a, engine, const_cast<void *>(args.a)},
          {b, engine, const_cast<void *>(args.b)},
          {c, engine, args.c}};
      std::vector<int> roles = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
      if (args.bias) {
        memories.emplace_back(bias, engine, const_cast<void *>(args.bias));
        roles.push_back(DNNL_ARG_BIAS);
      }
      memories.emplace_back(chosen.scratchpad_desc(), engine, nullptr);
      roles.push_back(DNNL_ARG_SCRATCHPAD);
      return std::unique_ptr<BoundOp>(std::make_unique<OneDnnMatmul>(
          dnnl::matmul(chosen), std::move(memories), roles, stream,
          scratchpad));
    } catch (const dnnl::error &) {
      return refuse(call);
    }
  }

private:
  static Error refuse(const OpCall &call) {
    return bindError(call, std::string("onednn has no matmul of ") +
                               program::toString(call.operands[0].type) +
                               " on this machine; use the GEMM provider ref");
  }

  dnnl::engine engine;
  dnnl::stream stream;
  Scratchpad scratchpad;
};

} // namespace

Expected<std::unique_ptr<GemmBinder>> runtime::makeOneDnnGemm(int threads) {
  return std::unique_ptr<GemmBinder>(std::make_unique<OneDnnBinder>(threads));
}

#else

using namespace ringi;
using namespace ringi::runtime;

Expected<std::unique_ptr<GemmBinder>> runtime::makeOneDnnGemm(int) {
  return Error::badInput("this build has no GEMM provider 'onednn'; install "
                         "libdnnl-dev and configure again, or use ref");
}

#endif
