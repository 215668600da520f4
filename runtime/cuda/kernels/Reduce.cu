//===- Reduce.cu - Sums over any dimensions ---------------------*- C++ -*-===//
//
// Part of Ringi. The terms of each result are split into groups that depend on
// the shapes only (reductionGroups); one thread adds one group of one result in
// order, then the groups' partial sums are added in order.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "Vector.h"

#include "ringi/Program/KernelWorkspace.h"

#include <algorithm>

namespace ringi::cuda {

namespace {

using runtime::kMaxRank;
using runtime::OpCall;

/// Sizes of some dimensions of x and their strides in elements.
struct Strides {
  int rank = 0;
  int64_t shape[kMaxRank];
  int64_t stride[kMaxRank];

  __device__ int64_t offset(int64_t index) const {
    int64_t sum = 0;
    for (int d = rank - 1; d >= 0; --d) {
      sum += index % shape[d] * stride[d];
      index /= shape[d];
    }
    return sum;
  }
};

/// Writes a partial sum, or the rounded result when there is one group.
template <typename T>
__global__ void sumGroupsKernel(const T *x, float *partials, T *y, int64_t kept,
                                int64_t reduced, int64_t groups,
                                int64_t perGroup, Strides keptMap,
                                Strides reducedMap) {
  int64_t i = globalThread();
  if (i >= kept * groups)
    return;
  int64_t result = i % kept, group = i / kept;
  int64_t end =
      (group + 1) * perGroup < reduced ? (group + 1) * perGroup : reduced;
  const T *start = x + keptMap.offset(result);
  float sum = 0.0f;
  for (int64_t r = group * perGroup; r < end; ++r)
    sum += toFloat(start[reducedMap.rank == 1 ? r * reducedMap.stride[0]
                                              : reducedMap.offset(r)]);
  if (groups == 1)
    y[result] = fromFloat<T>(sum);
  else
    partials[i] = sum;
}

template <typename T>
__global__ void addGroupsKernel(const float *partials, T *y, int64_t kept,
                                int64_t groups) {
  int64_t i = globalThread();
  if (i >= kept)
    return;
  float sum = 0.0f;
  for (int64_t group = 0; group < groups; ++group)
    sum += partials[group * kept + i];
  y[i] = fromFloat<T>(sum);
}

} // namespace

Expected<Launcher> bindReduce(const OpCall &call) {
  const runtime::TensorRef &in = call.operands[0];
  const std::vector<int64_t> &dims = call.attributes->dims;
  Strides keptMap, reducedMap;
  int64_t strides[kMaxRank], step = 1;
  for (int d = in.rank - 1; d >= 0; --d) {
    strides[d] = step;
    step *= in.shape[d];
  }
  for (int d = 0; d < in.rank; ++d) {
    bool reduced = std::find(dims.begin(), dims.end(), d) != dims.end();
    Strides &map = reduced ? reducedMap : keptMap;
    // Neighbouring dimensions that lie densely behind each other are one.
    if (map.rank && d && strides[d - 1] == map.stride[map.rank - 1] &&
        strides[d - 1] == strides[d] * in.shape[d]) {
      map.shape[map.rank - 1] *= in.shape[d];
      map.stride[map.rank - 1] = strides[d];
      continue;
    }
    map.shape[map.rank] = in.shape[d];
    map.stride[map.rank++] = strides[d];
  }
  int64_t kept = call.results[0].elements();
  int64_t reduced = kept ? in.elements() / kept : 0;
  // No terms: the sum is zero, written by one empty group.
  int64_t groups =
      std::max<int64_t>(1, program::reductionGroups(reduced, kept));
  int64_t perGroup = reduced ? (reduced - 1) / groups + 1 : 0;
  auto *partials = static_cast<float *>(call.workspace);
  return dispatchFloat(call, in.type, [&](auto zero) -> Expected<Launcher> {
    using T = decltype(zero);
    const T *x = pointer<T>(in);
    T *y = pointer<T>(call.results[0]);
    return Launcher([=](cudaStream_t stream) {
      launch("reduce_sum", sumGroupsKernel<T>, mapShape(kept * groups, 1),
             stream, x, partials, y, kept, reduced, groups, perGroup, keptMap,
             reducedMap);
      if (groups > 1)
        launch("reduce_sum_groups", addGroupsKernel<T>, mapShape(kept, 1),
               stream, partials, y, kept, groups);
    });
  });
}

} // namespace ringi::cuda
