//===- AttentionBackward.cu - Flash attention, backward ---------*- C++ -*-===//
//
// Part of Ringi. Two kernels without atomics and without a quadratic workspace:
// one block per 64 queries gathers dq over all tiles of keys, one block per 64
// keys gathers dk and dv over all tiles of queries. Probabilities are
// recomputed from the saved log-sum-exp (Dao et al., "FlashAttention-2", 2023).
//
//===----------------------------------------------------------------------===//

#include "Attention.h"

namespace ringi::cuda {

namespace {

/// Rows of the inner tiles: what keeps scores and gradients in registers.
template <int Size> inline constexpr int kInnerRows = Size <= 64 ? 64 : 32;

/// result += rows [r, r + 16) of `left` times the rows of `right`, transposed.
template <typename T, int Rows, int Inner, int Size>
__device__ void productOfRows(FragmentD (&result)[Inner / 8],
                              const SharedTile<T, Rows, Size> &left, int r,
                              const SharedTile<T, Inner, Size> &right) {
  for (int k = 0; k < Size; k += 16) {
    FragmentA a = left.left(r, k);
    for (int n = 0; n < Inner / 16; ++n) {
      FragmentB b[2];
      right.rightOfRows(b, n * 16, k);
      multiply(result[2 * n], a, b[0], T());
      multiply(result[2 * n + 1], a, b[1], T());
    }
  }
}

/// result += weights (16 x Inner) times the rows of `right`.
template <typename T, int Inner, int Size>
__device__ void weightedRows(FragmentD (&result)[Size / 8],
                             const FragmentD (&weights)[Inner / 8],
                             const SharedTile<T, Inner, Size> &right) {
  for (int k = 0; k < Inner / 16; ++k) {
    FragmentA a = leftOfResults<T>(weights[2 * k], weights[2 * k + 1]);
    for (int n = 0; n < Size / 16; ++n) {
      FragmentB b[2];
      right.rightOfColumns(b, k * 16, n * 16);
      multiply(result[2 * n], a, b[0], T());
      multiply(result[2 * n + 1], a, b[1], T());
    }
  }
}

template <typename T, int Size>
__global__ void __launch_bounds__(kTileWarps * 32)
    attentionQueryKernel(AttentionBackwardArgs<T> args, AttentionShape shape) {
  constexpr int inner = kInnerRows<Size>;
  using OuterTile = SharedTile<T, kTileRows, Size>;
  using InnerTile = SharedTile<T, inner, Size>;
  RINGI_SHARED_MEMORY(T, shared);
  OuterTile queries{shared};
  OuterTile slopes{queries.data + OuterTile::kBytes / sizeof(T)};
  InnerTile keys{slopes.data + OuterTile::kBytes / sizeof(T)};
  InnerTile values{keys.data + InnerTile::kBytes / sizeof(T)};

  int64_t head = int64_t(blockIdx.y) * shape.seq * shape.size;
  int64_t headRow = int64_t(blockIdx.y) * shape.seq;
  int firstQuery = int(gridDim.x - 1 - blockIdx.x) * kTileRows;
  int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  int firstRow = firstQuery + warp * 16;
  float scale = shape.factor * kLog2E;

  queries.load(args.q + head, firstQuery, shape.seq, shape.size);
  slopes.load(args.dO + head, firstQuery, shape.seq, shape.size);
  commitCopies();
  float lse[2], delta[2];
  for (int half = 0; half < 2; ++half) {
    int query = firstRow + lane / 4 + half * 8;
    bool valid = query < shape.seq;
    lse[half] = valid ? args.lse[headRow + query] * kLog2E : 0.0f;
    delta[half] = valid ? args.delta[headRow + query] : 0.0f;
  }

  FragmentD dq[Size / 8] = {};
  int lastKey = shape.causal && firstQuery + kTileRows < shape.seq
                    ? firstQuery + kTileRows
                    : shape.seq;
  for (int firstKey = 0; firstKey < lastKey; firstKey += inner) {
    keys.load(args.k + head, firstKey, shape.seq, shape.size);
    values.load(args.v + head, firstKey, shape.seq, shape.size);
    commitCopies();
    waitForCopies<0>();
    __syncthreads();
    FragmentD scores[inner / 8] = {}, gradients[inner / 8] = {};
    productOfRows(scores, queries, warp * 16, keys);
    productOfRows(gradients, slopes, warp * 16, values);
    for (int n = 0; n < inner / 8; ++n) {
      for (int i = 0; i < 4; ++i) {
        int key = firstKey + n * 8 + lane % 4 * 2 + (i & 1);
        int query = firstRow + lane / 4 + (i >> 1) * 8;
        bool visible = key < shape.seq && query < shape.seq &&
                       !(shape.causal && key > query);
        float p =
            visible ? exp2f(scores[n].value[i] * scale - lse[i >> 1]) : 0.0f;
        scores[n].value[i] =
            p * (gradients[n].value[i] - delta[i >> 1]) * shape.factor;
      }
    }
    weightedRows<T, inner, Size>(dq, scores, keys);
    __syncthreads();
  }
  storeRows<T, Size>(dq, args.dq + head, firstRow, shape.seq, shape.size);
}

template <typename T, int Size>
__global__ void __launch_bounds__(kTileWarps * 32)
    attentionKeyKernel(AttentionBackwardArgs<T> args, AttentionShape shape) {
  constexpr int inner = kInnerRows<Size> / 2;
  using OuterTile = SharedTile<T, kTileRows, Size>;
  using InnerTile = SharedTile<T, inner, Size>;
  RINGI_SHARED_MEMORY(T, shared);
  OuterTile keys{shared};
  OuterTile values{keys.data + OuterTile::kBytes / sizeof(T)};
  InnerTile queries{values.data + OuterTile::kBytes / sizeof(T)};
  InnerTile slopes{queries.data + InnerTile::kBytes / sizeof(T)};
  auto *lse =
      reinterpret_cast<float *>(slopes.data + InnerTile::kBytes / sizeof(T));
  float *delta = lse + inner;

  int64_t head = int64_t(blockIdx.y) * shape.seq * shape.size;
  int64_t headRow = int64_t(blockIdx.y) * shape.seq;
  int firstKey = int(blockIdx.x) * kTileRows;
  int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  int firstRow = firstKey + warp * 16;
  float scale = shape.factor * kLog2E;

  keys.load(args.k + head, firstKey, shape.seq, shape.size);
  values.load(args.v + head, firstKey, shape.seq, shape.size);
  commitCopies();

  FragmentD dk[Size / 8] = {}, dv[Size / 8] = {};
  // No query before the first key sees it.
  int start = shape.causal ? firstKey / inner * inner : 0;
  for (int firstQuery = start; firstQuery < shape.seq; firstQuery += inner) {
    queries.load(args.q + head, firstQuery, shape.seq, shape.size);
    slopes.load(args.dO + head, firstQuery, shape.seq, shape.size);
    commitCopies();
    if (threadIdx.x < inner) {
      int query = firstQuery + int(threadIdx.x);
      bool valid = query < shape.seq;
      lse[threadIdx.x] = valid ? args.lse[headRow + query] * kLog2E : 0.0f;
      delta[threadIdx.x] = valid ? args.delta[headRow + query] : 0.0f;
    }
    waitForCopies<0>();
    __syncthreads();
    FragmentD weights[inner / 8] = {}, gradients[inner / 8] = {};
    productOfRows(weights, keys, warp * 16, queries);
    productOfRows(gradients, values, warp * 16, slopes);
    for (int n = 0; n < inner / 8; ++n) {
      for (int i = 0; i < 4; ++i) {
        int column = n * 8 + lane % 4 * 2 + (i & 1);
        int query = firstQuery + column;
        int key = firstRow + lane / 4 + (i >> 1) * 8;
        bool visible = key < shape.seq && query < shape.seq &&
                       !(shape.causal && key > query);
        float p =
            visible ? exp2f(weights[n].value[i] * scale - lse[column]) : 0.0f;
        weights[n].value[i] = p;
        gradients[n].value[i] =
            p * (gradients[n].value[i] - delta[column]) * shape.factor;
      }
    }
    weightedRows<T, inner, Size>(dv, weights, slopes);
    weightedRows<T, inner, Size>(dk, gradients, queries);
    __syncthreads();
  }
  storeRows<T, Size>(dk, args.dk + head, firstRow, shape.seq, shape.size);
  storeRows<T, Size>(dv, args.dv + head, firstRow, shape.seq, shape.size);
}

template <typename T, int Size>
Launcher bindSize(const AttentionBackwardArgs<T> &args,
                  const AttentionShape &shape) {
  constexpr size_t outer = 2 * SharedTile<T, kTileRows, Size>::kBytes;
  constexpr size_t queryBytes =
      outer + 2 * SharedTile<T, kInnerRows<Size>, Size>::kBytes;
  constexpr size_t keyBytes =
      outer + 2 * SharedTile<T, kInnerRows<Size> / 2, Size>::kBytes +
      kInnerRows<Size> * sizeof(float);
  dim3 grid(unsigned((shape.seq + kTileRows - 1) / kTileRows),
            unsigned(shape.heads));
  allowShared(attentionQueryKernel<T, Size>, queryBytes);
  allowShared(attentionKeyKernel<T, Size>, keyBytes);
  return [=](cudaStream_t stream) {
    launchDelta(args, shape, stream);
    launch("attention_backward_query", attentionQueryKernel<T, Size>,
           LaunchShape{grid, dim3(kTileWarps * 32), queryBytes}, stream, args,
           shape);
    launch("attention_backward_key", attentionKeyKernel<T, Size>,
           LaunchShape{grid, dim3(kTileWarps * 32), keyBytes}, stream, args,
           shape);
  };
}

} // namespace

template <typename T>
Launcher attentionTilesBackward(const AttentionBackwardArgs<T> &args,
                                const AttentionShape &shape) {
  if (shape.size <= 32)
    return bindSize<T, 32>(args, shape);
  if (shape.size <= 64)
    return bindSize<T, 64>(args, shape);
  return bindSize<T, 128>(args, shape);
}

template Launcher
attentionTilesBackward(const AttentionBackwardArgs<BFloat16> &,
                       const AttentionShape &);
template Launcher attentionTilesBackward(const AttentionBackwardArgs<Float16> &,
                                         const AttentionShape &);

} // namespace ringi::cuda
