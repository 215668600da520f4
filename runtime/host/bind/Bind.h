//===- Bind.h - From an op call to a kernel with arguments ------*- C++ -*-===//
//
// Part of Ringi. What the binders of all op families share. A binder may rely
// on the op's signature and workspace being checked; it refuses what the
// contract allows and these kernels do not have.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_BIND_BIND_H
#define RINGI_HOST_BIND_BIND_H

#include "HostKernels.h"
#include "ThreadPool.h"
#include "kernels/KernelTable.h"

namespace ringi::runtime {

using BindResult = Expected<std::unique_ptr<BoundOp>>;

/// A provider of matrix products for bound matmuls.
class GemmBinder {
public:
  virtual ~GemmBinder() = default;
  virtual BindResult bind(const OpCall &call, const GemmArgs &args) = 0;
};

/// The oneDNN provider, or an error when this build has none.
Expected<std::unique_ptr<GemmBinder>> makeOneDnnGemm(int threads);

/// What a binder works with.
struct BindContext {
  const KernelTable &table;
  const Threads &threads;
  /// Null: the kernel table's own GEMM.
  GemmBinder *gemm;
};

/// One kernel and its arguments.
template <typename Args> class BoundKernel : public BoundOp {
public:
  using Kernel = void (*)(const Args &, const Threads &);
  BoundKernel(Kernel kernel, const Args &args, const Threads &threads)
      : kernel(kernel), args(args), threads(threads) {}
  void launch() override { kernel(args, threads); }

private:
  Kernel kernel;
  Args args;
  const Threads &threads;
};

template <typename Args>
BindResult bindKernel(const BindContext &context,
                      void (*kernel)(const Args &, const Threads &),
                      const Args &args) {
  return std::unique_ptr<BoundOp>(
      std::make_unique<BoundKernel<Args>>(kernel, args, context.threads));
}

/// The kernels' name of an element type; the op's signature has checked that it
/// is one of the types they know.
inline DataType dataType(const TensorRef &tensor) {
  return static_cast<DataType>(tensor.type);
}

/// Bytes of one element of any type that takes whole bytes.
int64_t elementBytes(const TensorRef &tensor);

/// "matmul at model.mlir:3:4: <message>".
Error bindError(const OpCall &call, const std::string &message);

BindResult bindMatmul(const OpCall &call, const BindContext &context);
BindResult bindAttention(const OpCall &call, const BindContext &context);
BindResult bindElementwise(const OpCall &call, const BindContext &context);
BindResult bindSoftmax(const OpCall &call, const BindContext &context);
BindResult bindNorm(const OpCall &call, const BindContext &context);
BindResult bindDropout(const OpCall &call, const BindContext &context);
BindResult bindEmbedding(const OpCall &call, const BindContext &context);
BindResult bindLoss(const OpCall &call, const BindContext &context);
BindResult bindSlices(const OpCall &call, const BindContext &context);
BindResult bindGather(const OpCall &call, const BindContext &context);
BindResult bindReduceSum(const OpCall &call, const BindContext &context);
BindResult bindCast(const OpCall &call, const BindContext &context);
BindResult bindUpdate(const OpCall &call, const BindContext &context);

} // namespace ringi::runtime

#endif // RINGI_HOST_BIND_BIND_H
