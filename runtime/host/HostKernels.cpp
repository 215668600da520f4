//===- HostKernels.cpp - Chooses the kernel of every op -------------------===//
//
// Part of Ringi. Checks an op against the contract, picks the kernels of the
// machine's instruction set and hands the op to the binder of its family.
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"

#include "InstructionSets.h"
#include "ThreadPool.h"
#include "bind/Bind.h"
#include "ringi/Program/OpSignature.h"
#include "ringi/Runtime/ProductParts.h"

#include <algorithm>
#include <sched.h>

using namespace ringi;
using namespace ringi::runtime;
using program::ElementType;
using program::OpKind;

static_assert(
    static_cast<int>(DataType::F64) == static_cast<int>(ElementType::F64) &&
        static_cast<int>(DataType::F32) == static_cast<int>(ElementType::F32) &&
        static_cast<int>(DataType::BF16) ==
            static_cast<int>(ElementType::BF16) &&
        static_cast<int>(DataType::F16) == static_cast<int>(ElementType::F16) &&
        static_cast<int>(DataType::I64) == static_cast<int>(ElementType::I64) &&
        static_cast<int>(DataType::I32) == static_cast<int>(ElementType::I32) &&
        static_cast<int>(DataType::I8) == static_cast<int>(ElementType::I8),
    "DataType mirrors the program's element types");

Error runtime::bindError(const OpCall &call, const std::string &message) {
  std::string place = program::toString(call.kind);
  if (!call.location.empty())
    place += " at " + call.location;
  return Error::badInput(place + ": " + message);
}

int64_t runtime::elementBytes(const TensorRef &tensor) {
  const int bits = program::elementBits(tensor.type);
  return bits % 8 ? 0 : bits / 8;
}

namespace {

std::vector<program::TensorShape>
shapesOf(const std::vector<TensorRef> &tensors) {
  std::vector<program::TensorShape> shapes;
  for (const TensorRef &tensor : tensors)
    shapes.push_back(
        {tensor.type,
         {tensor.shape.begin(),
          tensor.shape.begin() + std::min(tensor.rank, kMaxRank)}});
  return shapes;
}

BindResult dispatch(const OpCall &call, const BindContext &context) {
  switch (call.kind) {
  case OpKind::Matmul:
    return bindMatmul(call, context);
  case OpKind::MatmulGelu:
  case OpKind::MatmulGeluBackward:
  case OpKind::MatmulBiasGradient:
    return bindParts(
        call, [&](const OpCall &part) { return dispatch(part, context); });
  case OpKind::Add:
  case OpKind::Mul:
  case OpKind::Scale:
  case OpKind::Relu:
  case OpKind::ReluBackward:
  case OpKind::Gelu:
  case OpKind::GeluBackward:
  case OpKind::Silu:
  case OpKind::SiluBackward:
  case OpKind::Tanh:
  case OpKind::TanhBackward:
  case OpKind::Sigmoid:
  case OpKind::SigmoidBackward:
  case OpKind::Exp:
  case OpKind::Fill:
    return bindElementwise(call, context);
  case OpKind::Softmax:
  case OpKind::SoftmaxBackward:
    return bindSoftmax(call, context);
  case OpKind::LayerNorm:
  case OpKind::LayerNormBackward:
  case OpKind::RmsNorm:
  case OpKind::RmsNormBackward:
    return bindNorm(call, context);
  case OpKind::Dropout:
  case OpKind::DropoutBackward:
  case OpKind::DropoutMask:
  case OpKind::DropoutApply:
    return bindDropout(call, context);
  case OpKind::Embedding:
  case OpKind::EmbeddingBackward:
    return bindEmbedding(call, context);
  case OpKind::Attention:
  case OpKind::AttentionBackward:
    return bindAttention(call, context);
  case OpKind::Transpose:
  case OpKind::Broadcast:
    return bindGather(call, context);
  case OpKind::Slice:
  case OpKind::PadSlice:
  case OpKind::Concat:
    return bindSlices(call, context);
  case OpKind::ReduceSum:
    return bindReduceSum(call, context);
  case OpKind::Cast:
    return bindCast(call, context);
  case OpKind::CrossEntropy:
  case OpKind::CrossEntropyBackward:
  case OpKind::Mse:
  case OpKind::MseBackward:
    return bindLoss(call, context);
  case OpKind::Sgd:
  case OpKind::Momentum:
  case OpKind::AdamW:
    return bindUpdate(call, context);
  case OpKind::Constant:
    break;
  }
  return bindError(call, "the host has no kernel for this kind; constants are "
                         "loaded as inputs");
}

class Kernels : public HostKernels {
public:
  Kernels(const KernelTable &table, int threads,
          std::unique_ptr<GemmBinder> gemm)
      : table(table), pool(threads), gemm(std::move(gemm)) {}

  BindResult bind(const OpCall &call) override {
    const std::vector<program::TensorShape> operands = shapesOf(call.operands);
    const std::vector<program::TensorShape> results = shapesOf(call.results);
    if (Status status = program::checkSignature(call.kind, *call.attributes,
                                                operands, results);
        !status)
      return bindError(call, status.error().message);
    const int64_t needed =
        program::kernelWorkspaceBytes(call.kind, operands, results);
    if (call.workspaceBytes < needed)
      return bindError(call, "has " + std::to_string(call.workspaceBytes) +
                                 " bytes of workspace, needs " +
                                 std::to_string(needed) +
                                 "; export the program again");
    return dispatch(call, {table, pool.view(), gemm.get()});
  }
  std::string settings() const override {
    return std::to_string(pool.view().count) + " threads, " +
           (gemm ? "onednn" : "ref") + " GEMM";
  }

private:
  const KernelTable &table;
  ThreadPool pool;
  std::unique_ptr<GemmBinder> gemm;
};

/// Processors that this process may run on.
int processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace

Expected<std::unique_ptr<HostKernels>>
runtime::makeHostKernels(const HostOptions &options) {
  const int threads = options.threads ? options.threads : processors();
  std::unique_ptr<GemmBinder> gemm;
  if (options.gemm == "onednn") {
    Expected<std::unique_ptr<GemmBinder>> made = makeOneDnnGemm(threads);
    if (!made)
      return made.error();
    gemm = std::move(*made);
  } else if (!options.gemm.empty() && options.gemm != "ref") {
    return Error::badInput("unknown GEMM provider '" + options.gemm +
                           "'; use ref or onednn");
  }
  return std::unique_ptr<HostKernels>(std::make_unique<Kernels>(
      kernelTable(options.instructionSet), threads, std::move(gemm)));
}
