//===- ProductParts.h - A fused product as plain ops ------------*- C++ -*-===//
//
// Part of Ringi. What a product with fused work means, said with ops that every
// device has. The host runs these; a CUDA device does where its library has no
// epilogue for the call.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_PRODUCTPARTS_H
#define RINGI_RUNTIME_PRODUCTPARTS_H

#include "ringi/Runtime/Device.h"

namespace ringi::runtime {

/// The calls that, one after the other, do what `call` does. `call` is a
/// MatmulGelu, MatmulGeluBackward or MatmulBiasGradient whose signature holds.
/// Each part may use the whole workspace. The calls point to attributes of this
/// object, which must outlive their binding.
class ProductParts {
public:
  explicit ProductParts(const OpCall &call);
  ProductParts(const ProductParts &) = delete;
  ProductParts &operator=(const ProductParts &) = delete;

  const std::vector<OpCall> &calls() const { return parts; }

private:
  program::AttributesT product, other;
  std::vector<OpCall> parts;
};

/// Bound ops that run as one.
class BoundSequence : public BoundOp {
public:
  explicit BoundSequence(std::vector<std::unique_ptr<BoundOp>> ops)
      : ops(std::move(ops)) {}
  void launch() override {
    for (const std::unique_ptr<BoundOp> &op : ops)
      op->launch();
  }

private:
  std::vector<std::unique_ptr<BoundOp>> ops;
};

/// Binds the parts of `call` by `bind`, an Expected<std::unique_ptr<BoundOp>>
/// of an OpCall.
template <typename Bind>
Expected<std::unique_ptr<BoundOp>> bindParts(const OpCall &call, Bind &&bind) {
  const ProductParts parts(call);
  std::vector<std::unique_ptr<BoundOp>> ops;
  for (const OpCall &part : parts.calls()) {
    Expected<std::unique_ptr<BoundOp>> op = bind(part);
    if (!op)
      return op.error();
    ops.push_back(std::move(*op));
  }
  return std::unique_ptr<BoundOp>(
      std::make_unique<BoundSequence>(std::move(ops)));
}

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_PRODUCTPARTS_H
