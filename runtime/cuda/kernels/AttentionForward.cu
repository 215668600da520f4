//===- AttentionForward.cu - Flash attention on tensor cores ----*- C++ -*-===//
//
// Part of Ringi. Online softmax over tiles of keys (Dao et al.,
// "FlashAttention", 2022), 64 queries per block, 16 per warp; saves the output
// and the log-sum-exp only. Tiles are visited in ascending order, so the bits
// depend on shapes alone.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"

namespace ringi::cuda {

namespace {

/// Keys per tile: what keeps the scores of one warp in registers.
template <int Size> inline constexpr int kForwardKeys = Size <= 64 ? 64 : 32;

/// What one lane knows of its two query rows (lane / 4 and that + 8).
struct RowState {
  float top[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0.0f, 0.0f};
};

/// Combines over the four lanes that share a row.
template <typename Combine>
__device__ __forceinline__ float quadReduce(float value, Combine combine) {
  value = combine(value, __shfl_xor_sync(0xffffffffu, value, 1));
  return combine(value, __shfl_xor_sync(0xffffffffu, value, 2));
}

struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename T, int Size>
__global__ void __launch_bounds__(kTileWarps * 32)
    attentionForwardKernel(AttentionForwardArgs<T> args, AttentionShape shape) {
  constexpr int keys = kForwardKeys<Size>;
  using QueryTile = SharedTile<T, kTileRows, Size>;
  using KeyTile = SharedTile<T, keys, Size>;
  RINGI_SHARED_MEMORY(T, shared);
  QueryTile queries{shared};
  KeyTile keyTile{shared + QueryTile::kBytes / sizeof(T)};
  KeyTile valueTile{keyTile.data + KeyTile::kBytes / sizeof(T)};

  int64_t head = int64_t(blockIdx.y) * shape.seq * shape.size;
  // The last query tiles see the most keys; start with them.
  int firstQuery = int(gridDim.x - 1 - blockIdx.x) * kTileRows;
  int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  int firstRow = firstQuery + warp * 16;
  float scale = shape.factor * kLog2E;

  queries.load(args.q + head, firstQuery, shape.seq, shape.size);
  keyTile.load(args.k + head, 0, shape.seq, shape.size);
  commitCopies();

  FragmentD out[Size / 8] = {};
  RowState state;
  int lastKey = shape.causal && firstQuery + kTileRows < shape.seq
                    ? firstQuery + kTileRows
                    : shape.seq;
  for (int firstKey = 0; firstKey < lastKey; firstKey += keys) {
    valueTile.load(args.v + head, firstKey, shape.seq, shape.size);
    commitCopies();
    // The keys were on their way since the last products; values follow.
    waitForCopies<1>();
    __syncthreads();

    FragmentD scores[keys / 8] = {};
    for (int k = 0; k < Size; k += 16) {
      FragmentA a = queries.left(warp * 16, k);
      for (int n = 0; n < keys / 16; ++n) {
        FragmentB b[2];
        keyTile.rightOfRows(b, n * 16, k);
        multiply(scores[2 * n], a, b[0], T());
        multiply(scores[2 * n + 1], a, b[1], T());
      }
    }

    bool edge = firstKey + keys > shape.seq ||
                (shape.causal && firstKey + keys > firstRow);
    float top[2] = {state.top[0], state.top[1]};
    for (int n = 0; n < keys / 8; ++n) {
      for (int i = 0; i < 4; ++i) {
        float value = scores[n].value[i] * scale;
        int key = firstKey + n * 8 + lane % 4 * 2 + (i & 1);
        int query = firstRow + lane / 4 + (i >> 1) * 8;
        if (edge && (key >= shape.seq || (shape.causal && key > query)))
          value = -INFINITY;
        scores[n].value[i] = value;
        top[i >> 1] = fmaxf(top[i >> 1], value);
      }
    }
    for (int half = 0; half < 2; ++half) {
      top[half] = quadReduce(top[half], Larger());
      // A row without a visible key yet: any finite reference will do.
      float reference = top[half] == -INFINITY ? 0.0f : top[half];
      float rescale = exp2f(state.top[half] - reference);
      float sum = 0.0f;
      for (int n = 0; n < keys / 8; ++n) {
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          scores[n].value[i] = exp2f(scores[n].value[i] - reference);
          sum += scores[n].value[i];
        }
      }
      state.sum[half] = state.sum[half] * rescale + quadReduce(sum, Plus());
      state.top[half] = top[half];
      for (int n = 0; n < Size / 8; ++n) {
        out[n].value[2 * half] *= rescale;
        out[n].value[2 * half + 1] *= rescale;
      }
    }

    waitForCopies<0>();
    __syncthreads();
    if (firstKey + keys < lastKey) {
      keyTile.load(args.k + head, firstKey + keys, shape.seq, shape.size);
      commitCopies();
    }
    for (int k = 0; k < keys / 16; ++k) {
      FragmentA a = leftOfResults<T>(scores[2 * k], scores[2 * k + 1]);
      for (int n = 0; n < Size / 16; ++n) {
        FragmentB b[2];
        valueTile.rightOfColumns(b, k * 16, n * 16);
        multiply(out[2 * n], a, b[0], T());
        multiply(out[2 * n + 1], a, b[1], T());
      }
    }
    __syncthreads();
  }

  for (int half = 0; half < 2; ++half) {
    float inverse = 1.0f / state.sum[half];
    for (int n = 0; n < Size / 8; ++n) {
      out[n].value[2 * half] *= inverse;
      out[n].value[2 * half + 1] *= inverse;
    }
    int query = firstRow + lane / 4 + half * 8;
    if (lane % 4 == 0 && query < shape.seq)
      args.lse[int64_t(blockIdx.y) * shape.seq + query] =
          state.top[half] * kLn2 + logf(state.sum[half]);
  }
  storeRows<T, Size>(out, args.o + head, firstRow, shape.seq, shape.size);
}

template <typename T, int Size>
Launcher bindSize(const AttentionForwardArgs<T> &args,
                  const AttentionShape &shape) {
  constexpr size_t bytes = SharedTile<T, kTileRows, Size>::kBytes +
                           2 * SharedTile<T, kForwardKeys<Size>, Size>::kBytes;
  LaunchShape launchShape{
      dim3(unsigned((shape.seq + kTileRows - 1) / kTileRows),
           unsigned(shape.heads)),
      dim3(kTileWarps * 32), bytes};
  allowShared(attentionForwardKernel<T, Size>, bytes);
  return [=](cudaStream_t stream) {
    launch("attention", attentionForwardKernel<T, Size>, launchShape, stream,
           args, shape);
  };
}

} // namespace

template <typename T>
Launcher attentionTiles(const AttentionForwardArgs<T> &args,
                        const AttentionShape &shape) {
  if (shape.size <= 32)
    return bindSize<T, 32>(args, shape);
  if (shape.size <= 64)
    return bindSize<T, 64>(args, shape);
  return bindSize<T, 128>(args, shape);
}

template Launcher attentionTiles(const AttentionForwardArgs<BFloat16> &,
                                 const AttentionShape &);
template Launcher attentionTiles(const AttentionForwardArgs<Float16> &,
                                 const AttentionShape &);

} // namespace ringi::cuda
