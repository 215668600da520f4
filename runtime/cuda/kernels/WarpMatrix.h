//===- WarpMatrix.h - Tensor-core products and 8x8 tile loads ---*- C++ -*-===//
//
// Part of Ringi. The warp-wide matrix instructions that the attention kernels
// use, as PTX under nvcc and as the same arithmetic over exchanged fragments in
// the emulation. Fragment layouts: PTX ISA, "Matrix Fragments for
// mma.m16n8k16".
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_KERNELS_WARPMATRIX_H
#define RINGI_CUDA_KERNELS_WARPMATRIX_H

#include "../Portable.h"
#include "HalfTypes.h"

namespace ringi::cuda {

/// Fragments of one lane: a is 16x16 row-major, b is 16x8 column-major, d is
/// 16x8; two 16-bit elements per 32-bit word.
struct FragmentA {
  uint32_t word[4];
};
struct FragmentB {
  uint32_t word[2];
};
struct FragmentD {
  float value[4];
};

#ifndef __CUDACC__
namespace emulated {

template <typename Half> float lowHalf(uint32_t word) {
  return toFloat(Half{uint16_t(word & 0xffff)});
}
template <typename Half> float highHalf(uint32_t word) {
  return toFloat(Half{uint16_t(word >> 16)});
}

/// d += a * b, summed over k in ascending order.
template <typename Half>
void multiply(FragmentD &d, const FragmentA &a, const FragmentB &b) {
  struct Words {
    FragmentA a;
    FragmentB b;
  } own{a, b};
  const std::byte *all = emulation::exchange(emulation::Collective::Matrix, ~0u,
                                             &own, sizeof(own));
  float tileA[16][16], tileB[16][8];
  for (int lane = 0; lane < 32; ++lane) {
    Words words;
    std::memcpy(&words, all + size_t(lane) * emulation::kExchangeBytes,
                sizeof(words));
    int group = lane / 4, pair = lane % 4 * 2;
    for (int half = 0; half < 4; ++half) {
      int row = group + (half & 1) * 8, column = pair + (half >> 1) * 8;
      tileA[row][column] = lowHalf<Half>(words.a.word[half]);
      tileA[row][column + 1] = highHalf<Half>(words.a.word[half]);
    }
    for (int half = 0; half < 2; ++half) {
      tileB[pair + half * 8][group] = lowHalf<Half>(words.b.word[half]);
      tileB[pair + half * 8 + 1][group] = highHalf<Half>(words.b.word[half]);
    }
  }
  int lane = emulation::laneIndex();
  for (int i = 0; i < 4; ++i) {
    int row = lane / 4 + (i >> 1) * 8, column = lane % 4 * 2 + (i & 1);
    for (int k = 0; k < 16; ++k)
      d.value[i] += tileA[row][k] * tileB[k][column];
  }
}

template <bool Transposed>
void loadTiles(uint32_t (&words)[4], const void *rowAddress) {
  const std::byte *all = emulation::exchange(emulation::Collective::Matrix, ~0u,
                                             &rowAddress, sizeof(rowAddress));
  int lane = emulation::laneIndex();
  for (int tile = 0; tile < 4; ++tile) {
    uint16_t halves[2];
    for (int i = 0; i < 2; ++i) {
      int row = Transposed ? lane % 4 * 2 + i : lane / 4;
      int column = Transposed ? lane / 4 : lane % 4 * 2 + i;
      const uint16_t *address;
      std::memcpy(&address,
                  all + size_t(tile * 8 + row) * emulation::kExchangeBytes,
                  sizeof(address));
      halves[i] = address[column];
    }
    words[tile] = halves[0] | uint32_t(halves[1]) << 16;
  }
}

} // namespace emulated
#endif

/// d += a * b on the tensor cores, f32 accumulation. All 32 lanes take part.
__device__ __forceinline__ void multiply(FragmentD &d, const FragmentA &a,
                                         const FragmentB &b, BFloat16) {
#ifdef __CUDACC__
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d.value[0]), "+f"(d.value[1]), "+f"(d.value[2]),
                 "+f"(d.value[3])
               : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]),
                 "r"(b.word[0]), "r"(b.word[1]));
#else
  emulated::multiply<BFloat16>(d, a, b);
#endif
}

__device__ __forceinline__ void multiply(FragmentD &d, const FragmentA &a,
                                         const FragmentB &b, Float16) {
#ifdef __CUDACC__
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d.value[0]), "+f"(d.value[1]), "+f"(d.value[2]),
                 "+f"(d.value[3])
               : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]),
                 "r"(b.word[0]), "r"(b.word[1]));
#else
  emulated::multiply<Float16>(d, a, b);
#endif
}

/// Loads four 8x8 tiles of 16-bit elements from shared memory: lanes 8i..8i+7
/// give the addresses of tile i's rows (16-byte aligned); lane l receives
/// elements (l / 4, l % 4 * 2) and the next of each tile.
__device__ __forceinline__ void loadTiles(uint32_t (&words)[4],
                                          const void *rowAddress) {
#ifdef __CUDACC__
  auto address = static_cast<uint32_t>(__cvta_generic_to_shared(rowAddress));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
#else
  emulated::loadTiles<false>(words, rowAddress);
#endif
}

/// As loadTiles, each tile transposed.
__device__ __forceinline__ void loadTilesTransposed(uint32_t (&words)[4],
                                                    const void *rowAddress) {
#ifdef __CUDACC__
  auto address = static_cast<uint32_t>(__cvta_generic_to_shared(rowAddress));
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
      : "r"(address)
      : "memory");
#else
  emulated::loadTiles<true>(words, rowAddress);
#endif
}

/// Starts a 16-byte copy from global to shared memory; bytes beyond `valid`
/// (0 or 16) are zero.
__device__ __forceinline__ void copyAsync16(void *shared, const void *global,
                                            bool valid) {
#ifdef __CUDACC__
  auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address),
               "l"(global), "r"(bytes)
               : "memory");
#else
  if (valid)
    std::memcpy(shared, global, 16);
  else
    std::memset(shared, 0, 16);
#endif
}

/// Closes a group of copies; waitForCopies<N> waits until at most N groups are
/// in flight.
__device__ __forceinline__ void commitCopies() {
#ifdef __CUDACC__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int Groups> __device__ __forceinline__ void waitForCopies() {
#ifdef __CUDACC__
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

} // namespace ringi::cuda

#endif // RINGI_CUDA_KERNELS_WARPMATRIX_H
