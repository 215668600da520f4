//===- AttentionBind.cu - Which attention kernel an op gets -----*- C++ -*-===//
//
// Part of Ringi. Tensor-core tiles where type, head size and alignment allow
// them, rows otherwise. The choice depends on the program only.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"

#include <type_traits>

namespace ringi::cuda {

namespace {

using runtime::OpCall;
using runtime::TensorRef;

AttentionShape shapeOf(const TensorRef &q, const TensorRef &k,
                       const program::AttributesT &a) {
  return {int(q.shape[0] * q.shape[1]),
          int(q.shape[2]),
          int(k.shape[2]),
          int(q.shape[3]),
          float(a.factor),
          a.causal};
}

bool fitsTiles(const OpCall &call, const AttentionShape &shape) {
  if (shape.size % 8 != 0 || shape.size > kMaxTileSize ||
      shape.keys != shape.seq || shape.heads > kMaxTileHeads)
    return false;
  auto aligned = [](const TensorRef &tensor) {
    return reinterpret_cast<uintptr_t>(tensor.data) % 16 == 0;
  };
  for (const TensorRef &tensor : call.operands)
    if (!aligned(tensor))
      return false;
  for (const TensorRef &tensor : call.results)
    if (!aligned(tensor))
      return false;
  return true;
}

template <typename T> Launcher bindForward(const OpCall &call) {
  AttentionShape shape =
      shapeOf(call.operands[0], call.operands[1], *call.attributes);
  AttentionForwardArgs<T> args{
      pointer<T>(call.operands[0]), pointer<T>(call.operands[1]),
      pointer<T>(call.operands[2]), pointer<T>(call.results[0]),
      pointer<float>(call.results[1])};
  if constexpr (!std::is_same_v<T, float>)
    if (fitsTiles(call, shape))
      return attentionTiles(args, shape);
  return attentionRows(args, shape);
}

template <typename T> Launcher bindBackward(const OpCall &call) {
  AttentionShape shape =
      shapeOf(call.operands[1], call.operands[2], *call.attributes);
  AttentionBackwardArgs<T> args{
      pointer<T>(call.operands[0]), pointer<T>(call.operands[1]),
      pointer<T>(call.operands[2]), pointer<T>(call.operands[3]),
      pointer<T>(call.operands[4]), pointer<float>(call.operands[5]),
      pointer<T>(call.results[0]),  pointer<T>(call.results[1]),
      pointer<T>(call.results[2]),  static_cast<float *>(call.workspace)};
  if constexpr (!std::is_same_v<T, float>)
    if (fitsTiles(call, shape))
      return attentionTilesBackward(args, shape);
  return attentionRowsBackward(args, shape);
}

} // namespace

Expected<Launcher> bindAttention(const OpCall &call) {
  bool backward = call.kind == program::OpKind::AttentionBackward;
  int64_t size = call.results[0].columns();
  if (size > kMaxRowSize)
    return Error::badInput(call.location + ": attention with head size " +
                           std::to_string(size) + " but at most " +
                           std::to_string(kMaxRowSize) +
                           " fits the CUDA kernels; use more heads or unfused "
                           "attention");
  return dispatchFloat(
      call, call.results[0].type, [&](auto zero) -> Expected<Launcher> {
        using T = decltype(zero);
        return backward ? bindBackward<T>(call) : bindForward<T>(call);
      });
}

} // namespace ringi::cuda
