//===- BindMovement.cpp - Copies, permutations and sums -------------------===//
//
// Part of Ringi. Turns shapes into as few strided dimensions as describe them.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"

using namespace ringi;
using namespace ringi::runtime;
using program::OpKind;

namespace {

struct Dimension {
  int64_t size, stride;
};

/// Drops dimensions of size 1 and joins neighbours that one stride describes.
std::vector<Dimension> joined(const std::vector<Dimension> &dims) {
  std::vector<Dimension> result;
  for (const Dimension &dim : dims) {
    if (dim.size == 1)
      continue;
    if (!result.empty() && result.back().stride == dim.stride * dim.size)
      result.back() = {result.back().size * dim.size, dim.stride};
    else
      result.push_back(dim);
  }
  return result;
}

/// Elements between neighbours of each dimension of a dense tensor.
std::vector<int64_t> denseStrides(const TensorRef &tensor) {
  std::vector<int64_t> strides(tensor.rank);
  int64_t stride = 1;
  for (int d = tensor.rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= tensor.shape[d];
  }
  return strides;
}

/// Product of dimensions [first, last).
int64_t extent(const TensorRef &tensor, int first, int last) {
  int64_t count = 1;
  for (int d = first; d < last; ++d)
    count *= tensor.shape[d];
  return count;
}

/// Several copies, one after the other.
class BoundCopies : public BoundOp {
public:
  BoundCopies(const BindContext &context, std::vector<CopyArgs> copies)
      : kernel(context.table.copy), threads(context.threads),
        copies(std::move(copies)) {}
  void launch() override {
    for (const CopyArgs &args : copies)
      kernel(args, threads);
  }

private:
  void (*kernel)(const CopyArgs &, const Threads &);
  const Threads &threads;
  std::vector<CopyArgs> copies;
};

} // namespace

BindResult runtime::bindSlices(const OpCall &call, const BindContext &context) {
  const TensorRef &whole =
      call.kind == OpKind::Slice ? call.operands[0] : call.results[0];
  const int axis = static_cast<int>(call.attributes->axis);
  const int64_t bytes = elementBytes(whole);
  if (bytes == 0)
    return bindError(call, std::string("the host cannot cut ") +
                               program::toString(whole.type) +
                               " tensors; keep them whole");
  const int64_t line = extent(whole, axis + 1, whole.rank) * bytes;
  const int64_t wholeStride = whole.shape[axis] * line;
  CopyArgs args = {};
  args.outer = extent(whole, 0, axis);
  std::vector<CopyArgs> copies;
  if (call.kind == OpKind::Concat) {
    char *to = static_cast<char *>(call.results[0].data);
    for (const TensorRef &part : call.operands) {
      args.from = part.data;
      args.to = to;
      args.bytes = args.fromStride = part.shape[axis] * line;
      args.toStride = wholeStride;
      copies.push_back(args);
      to += args.bytes;
    }
  } else {
    const int64_t before = call.attributes->start * line;
    if (call.kind == OpKind::Slice) {
      args.from = static_cast<const char *>(whole.data) + before;
      args.to = call.results[0].data;
      args.bytes = args.toStride = call.results[0].shape[axis] * line;
      args.fromStride = wholeStride;
    } else {
      args.from = call.operands[0].data;
      args.to = whole.data;
      args.bytes = args.fromStride = call.operands[0].shape[axis] * line;
      args.toStride = wholeStride;
      args.zerosBefore = before;
      args.zerosAfter = wholeStride - before - args.bytes;
    }
    copies.push_back(args);
  }
  return std::unique_ptr<BoundOp>(
      std::make_unique<BoundCopies>(context, std::move(copies)));
}

BindResult runtime::bindGather(const OpCall &call, const BindContext &context) {
  const TensorRef &x = call.operands[0], &y = call.results[0];
  GatherArgs args = {};
  args.from = x.data;
  args.to = y.data;
  args.elementBytes = elementBytes(x);
  if (args.elementBytes == 0)
    return bindError(call, std::string("the host cannot rearrange ") +
                               program::toString(x.type) +
                               " tensors; cast them first");
  const std::vector<int64_t> strides = denseStrides(x);
  const std::vector<int64_t> &list = call.attributes->dims;
  std::vector<Dimension> dims;
  if (call.kind == OpKind::Transpose) {
    for (int d = 0; d < y.rank; ++d)
      dims.push_back({y.shape[d], strides[list[d]]});
  } else {
    size_t next = 0;
    int from = 0;
    for (int d = 0; d < y.rank; ++d) {
      const bool repeated = next < list.size() && list[next] == d;
      dims.push_back({y.shape[d], repeated ? 0 : strides[from]});
      repeated ? static_cast<void>(++next) : static_cast<void>(++from);
    }
  }
  dims = joined(dims);
  if (dims.empty())
    dims.push_back({1, 1});
  args.rank = static_cast<int>(dims.size());
  for (int d = 0; d < args.rank; ++d) {
    args.shape[d] = dims[d].size;
    args.stride[d] = dims[d].stride;
  }
  return bindKernel(context, context.table.gather, args);
}

BindResult runtime::bindReduceSum(const OpCall &call,
                                  const BindContext &context) {
  const TensorRef &x = call.operands[0], &y = call.results[0];
  const std::vector<int64_t> strides = denseStrides(x);
  const std::vector<int64_t> &list = call.attributes->dims;
  std::vector<Dimension> kept, reduced;
  size_t next = 0;
  for (int d = 0; d < x.rank; ++d) {
    const bool goes = next < list.size() && list[next] == d;
    next += goes;
    (goes ? reduced : kept).push_back({x.shape[d], strides[d]});
  }
  kept = joined(kept);
  reduced = joined(reduced);
  ReduceArgs args = {};
  args.type = dataType(x);
  args.x = x.data;
  args.y = y.data;
  args.keptRank = static_cast<int>(kept.size());
  args.reducedRank = static_cast<int>(reduced.size());
  for (int d = 0; d < args.keptRank; ++d) {
    args.keptShape[d] = kept[d].size;
    args.keptStride[d] = kept[d].stride;
  }
  args.reduced = 1;
  for (int d = 0; d < args.reducedRank; ++d) {
    args.reducedShape[d] = reduced[d].size;
    args.reducedStride[d] = reduced[d].stride;
    args.reduced *= reduced[d].size;
  }
  args.kept = y.elements();
  args.groups = program::reductionGroups(args.reduced, args.kept);
  args.workspace = call.workspace;
  return bindKernel(context, context.table.reduceSum, args);
}
