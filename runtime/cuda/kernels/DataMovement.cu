//===- DataMovement.cu - Transpose, slice, pad, concat --------------------===//
//
// Part of Ringi. Copies that move bits and compute nothing: one kernel maps
// each result element to its source by strides, whatever the element type.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "Vector.h"

#include <algorithm>

namespace ringi::cuda {

namespace {

using program::OpKind;
using runtime::kMaxRank;
using runtime::OpCall;
using runtime::TensorRef;

/// For each dimension of the result its size and the stride, in elements, of
/// the same step in the source.
struct StridedMap {
  int rank;
  int64_t shape[kMaxRank];
  int64_t stride[kMaxRank];

  __device__ int64_t source(int64_t index) const {
    int64_t offset = 0;
    for (int d = rank - 1; d >= 0; --d) {
      offset += index % shape[d] * stride[d];
      index /= shape[d];
    }
    return offset;
  }
};

template <typename Bits>
__global__ void gatherKernel(const Bits *x, Bits *y, int64_t elements,
                             StridedMap map) {
  int64_t i = globalThread();
  if (i < elements)
    y[i] = x[map.source(i)];
}

/// Both sides are blocks of rows: `inner` contiguous elements out of rows of
/// `fromRow` and `toRow`. Slice and concat are this copy.
template <typename Bits>
__global__ void copyRowsKernel(const Bits *x, Bits *y, int64_t elements,
                               int64_t inner, int64_t fromRow, int64_t toRow) {
  int64_t i = globalThread();
  if (i < elements)
    y[i / inner * toRow + i % inner] = x[i / inner * fromRow + i % inner];
}

/// Result rows of `toRow` elements hold `inner` elements of x from `start` on,
/// zeros around them.
template <typename Bits>
__global__ void padRowsKernel(const Bits *x, Bits *y, int64_t elements,
                              int64_t inner, int64_t toRow, int64_t start) {
  int64_t i = globalThread();
  if (i >= elements)
    return;
  int64_t row = i / toRow, column = i % toRow - start;
  y[i] = column >= 0 && column < inner ? x[row * inner + column] : Bits(0);
}

int64_t innerElements(const TensorRef &tensor, int64_t axis) {
  int64_t count = 1;
  for (int d = int(axis); d < tensor.rank; ++d)
    count *= tensor.shape[d];
  return count;
}

StridedMap transposeMap(const OpCall &call) {
  const TensorRef &x = call.operands[0], &y = call.results[0];
  int64_t strides[kMaxRank];
  int64_t step = 1;
  for (int d = x.rank - 1; d >= 0; --d) {
    strides[d] = step;
    step *= x.shape[d];
  }
  StridedMap map{y.rank, {}, {}};
  for (int d = 0; d < y.rank; ++d) {
    map.shape[d] = y.shape[d];
    map.stride[d] = strides[call.attributes->dims[d]];
  }
  return map;
}

StridedMap broadcastMap(const OpCall &call) {
  const TensorRef &x = call.operands[0], &y = call.results[0];
  const std::vector<int64_t> &added = call.attributes->dims;
  StridedMap map{y.rank, {}, {}};
  int64_t step = 1;
  int from = x.rank - 1;
  for (int d = y.rank - 1; d >= 0; --d) {
    map.shape[d] = y.shape[d];
    if (std::find(added.begin(), added.end(), d) != added.end())
      continue;
    map.stride[d] = step;
    step *= x.shape[from--];
  }
  return map;
}

template <typename Bits> Launcher bindConcat(const OpCall &call) {
  struct Piece {
    const Bits *x;
    Bits *y;
    int64_t elements, inner;
  };
  int64_t axis = call.attributes->axis;
  int64_t toRow = innerElements(call.results[0], axis);
  Bits *y = pointer<Bits>(call.results[0]);
  std::vector<Piece> pieces;
  for (const TensorRef &operand : call.operands) {
    int64_t inner = innerElements(operand, axis);
    pieces.push_back({pointer<Bits>(operand), y, operand.elements(), inner});
    y += inner;
  }
  return [=](cudaStream_t stream) {
    for (const Piece &piece : pieces)
      launch("concat", copyRowsKernel<Bits>, mapShape(piece.elements, 1),
             stream, piece.x, piece.y, piece.elements, piece.inner, piece.inner,
             toRow);
  };
}

template <typename Bits> Launcher bindBits(const OpCall &call) {
  const TensorRef &from = call.operands[0], &to = call.results[0];
  const Bits *x = pointer<Bits>(from);
  Bits *y = pointer<Bits>(to);
  int64_t n = to.elements(), axis = call.attributes->axis;
  switch (call.kind) {
  case OpKind::Concat:
    return bindConcat<Bits>(call);
  case OpKind::Slice: {
    int64_t inner = innerElements(to, axis);
    int64_t fromRow = innerElements(from, axis);
    const Bits *start =
        x + call.attributes->start * innerElements(from, axis + 1);
    return [=](cudaStream_t stream) {
      launch("slice", copyRowsKernel<Bits>, mapShape(n, 1), stream, start, y, n,
             inner, fromRow, inner);
    };
  }
  case OpKind::PadSlice: {
    int64_t inner = innerElements(from, axis);
    int64_t toRow = innerElements(to, axis);
    int64_t start = call.attributes->start * innerElements(to, axis + 1);
    return [=](cudaStream_t stream) {
      launch("pad_slice", padRowsKernel<Bits>, mapShape(n, 1), stream, x, y, n,
             inner, toRow, start);
    };
  }
  default: {
    StridedMap map = call.kind == OpKind::Transpose ? transposeMap(call)
                                                    : broadcastMap(call);
    const char *name =
        call.kind == OpKind::Transpose ? "transpose" : "broadcast";
    return [=](cudaStream_t stream) {
      launch(name, gatherKernel<Bits>, mapShape(n, 1), stream, x, y, n, map);
    };
  }
  }
}

} // namespace

Expected<Launcher> bindDataMovement(const OpCall &call) {
  switch (call.results[0].type) {
  case program::ElementType::F64:
  case program::ElementType::I64:
    return bindBits<uint64_t>(call);
  case program::ElementType::F32:
  case program::ElementType::I32:
    return bindBits<uint32_t>(call);
  case program::ElementType::BF16:
  case program::ElementType::F16:
    return bindBits<uint16_t>(call);
  case program::ElementType::I8:
    return bindBits<uint8_t>(call);
  default:
    return Error::badInput(call.location + ": the CUDA device cannot move " +
                           program::EnumNameElementType(call.results[0].type) +
                           " elements; cast to a type of at least 8 bits");
  }
}

} // namespace ringi::cuda
