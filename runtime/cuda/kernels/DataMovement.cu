//===- DataMovement.cu - Transpose, slice, pad, concat --------------------===//
//
// Part of Ringi. Copies that move bits and compute nothing: one kernel maps
// each result unit to its source by strides, whatever the element type. A unit
// is one element, or 16 bytes where rows and addresses are made of such.
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

/// 16 bytes that move together.
struct alignas(16) Chunk {
  uint32_t word[4];
};

/// For each dimension of the result its size and the stride, in units, of the
/// same step in the source.
struct StridedMap {
  int rank;
  int64_t shape[kMaxRank];
  int64_t stride[kMaxRank];

  template <typename Index> __device__ int64_t source(Index index) const {
    int64_t offset = 0;
    for (int d = rank - 1; d >= 0; --d) {
      offset += int64_t(index % Index(shape[d])) * stride[d];
      index /= Index(shape[d]);
    }
    return offset;
  }
};

/// `Index` holds every position of the result: divisions of 32 bits are several
/// times as fast as those of 64.
template <typename Bits, typename Index>
__global__ void gatherKernel(const Bits *x, Bits *y, int64_t elements,
                             StridedMap map) {
  int64_t i = globalThread();
  if (i < elements)
    y[i] = x[map.source(Index(i))];
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
  y[i] = column >= 0 && column < inner ? x[row * inner + column] : Bits{};
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

/// The elements of one unit: what divides every run of neighbouring elements
/// that moves, and every address.
int64_t elementsPerUnit(const OpCall &call, int64_t elementBytes) {
  const int64_t wide = int64_t(sizeof(Chunk)) / elementBytes;
  bool fits = true;
  auto add = [&](const TensorRef &tensor, int64_t run) {
    fits &= run % wide == 0 &&
            reinterpret_cast<uintptr_t>(tensor.data) % sizeof(Chunk) == 0;
  };
  const TensorRef &x = call.operands[0], &y = call.results[0];
  const std::vector<int64_t> &dims = call.attributes->dims;
  const int64_t axis = call.attributes->axis, last = y.rank - 1;
  switch (call.kind) {
  case OpKind::Transpose:
    if (y.rank == 0 || dims[last] != last)
      return 1;
    break;
  case OpKind::Broadcast:
    if (x.rank == 0 || std::find(dims.begin(), dims.end(), last) != dims.end())
      return 1;
    break;
  case OpKind::Slice:
  case OpKind::PadSlice:
    fits &= call.attributes->start * innerElements(x, axis + 1) % wide == 0;
    [[fallthrough]];
  default:
    for (const TensorRef &operand : call.operands)
      add(operand, innerElements(operand, axis));
    add(y, innerElements(y, axis));
    return fits ? wide : 1;
  }
  add(x, x.columns());
  add(y, y.columns());
  return fits ? wide : 1;
}

template <typename Bits>
Launcher bindConcat(const OpCall &call, int64_t perUnit) {
  struct Piece {
    const Bits *x;
    Bits *y;
    int64_t elements, inner;
  };
  int64_t axis = call.attributes->axis;
  int64_t toRow = innerElements(call.results[0], axis) / perUnit;
  Bits *y = pointer<Bits>(call.results[0]);
  std::vector<Piece> pieces;
  for (const TensorRef &operand : call.operands) {
    int64_t inner = innerElements(operand, axis) / perUnit;
    pieces.push_back(
        {pointer<Bits>(operand), y, operand.elements() / perUnit, inner});
    y += inner;
  }
  return [=](cudaStream_t stream) {
    for (const Piece &piece : pieces)
      launch("concat", copyRowsKernel<Bits>, mapShape(piece.elements, 1),
             stream, piece.x, piece.y, piece.elements, piece.inner, piece.inner,
             toRow);
  };
}

/// Bits is the type of a unit, which holds `perUnit` elements.
template <typename Bits>
Launcher bindUnits(const OpCall &call, int64_t perUnit) {
  const TensorRef &from = call.operands[0], &to = call.results[0];
  const Bits *x = pointer<Bits>(from);
  Bits *y = pointer<Bits>(to);
  int64_t n = to.elements() / perUnit, axis = call.attributes->axis;
  switch (call.kind) {
  case OpKind::Concat:
    return bindConcat<Bits>(call, perUnit);
  case OpKind::Slice: {
    int64_t inner = innerElements(to, axis) / perUnit;
    int64_t fromRow = innerElements(from, axis) / perUnit;
    const Bits *start =
        x + call.attributes->start * innerElements(from, axis + 1) / perUnit;
    return [=](cudaStream_t stream) {
      launch("slice", copyRowsKernel<Bits>, mapShape(n, 1), stream, start, y, n,
             inner, fromRow, inner);
    };
  }
  case OpKind::PadSlice: {
    int64_t inner = innerElements(from, axis) / perUnit;
    int64_t toRow = innerElements(to, axis) / perUnit;
    int64_t start =
        call.attributes->start * innerElements(to, axis + 1) / perUnit;
    return [=](cudaStream_t stream) {
      launch("pad_slice", padRowsKernel<Bits>, mapShape(n, 1), stream, x, y, n,
             inner, toRow, start);
    };
  }
  default: {
    StridedMap map = call.kind == OpKind::Transpose ? transposeMap(call)
                                                    : broadcastMap(call);
    if (perUnit > 1) {
      map.shape[map.rank - 1] /= perUnit;
      for (int d = 0; d + 1 < map.rank; ++d)
        map.stride[d] /= perUnit;
    }
    const char *name =
        call.kind == OpKind::Transpose ? "transpose" : "broadcast";
    if (n <= INT32_MAX)
      return [=](cudaStream_t stream) {
        launch(name, gatherKernel<Bits, uint32_t>, mapShape(n, 1), stream, x, y,
               n, map);
      };
    return [=](cudaStream_t stream) {
      launch(name, gatherKernel<Bits, int64_t>, mapShape(n, 1), stream, x, y, n,
             map);
    };
  }
  }
}

/// Bits is a type of the element's size.
template <typename Bits> Launcher bindBits(const OpCall &call) {
  int64_t wide = elementsPerUnit(call, sizeof(Bits));
  return wide > 1 ? bindUnits<Chunk>(call, wide) : bindUnits<Bits>(call, 1);
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
