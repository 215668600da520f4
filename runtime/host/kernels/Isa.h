//===- Isa.h - What one build of the kernels has ----------------*- C++ -*-===//
//
// Part of Ringi. Every kernel file is compiled once per instruction set, each
// time into its own namespace RINGI_ISA; the host device picks one table of
// kernels at start. Nothing here may become a weak symbol (an AVX2 copy of a
// shared inline function could be linked into code for older CPUs), hence no
// standard containers or algorithms in kernel files.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_KERNELS_ISA_H
#define RINGI_HOST_KERNELS_ISA_H

#include <cstdint>
#include <cstring>

#if defined(__AVX2__) || defined(__F16C__)
#include <immintrin.h>
#endif

#ifndef RINGI_ISA
#error "kernel files are compiled with -DRINGI_ISA=<name of the set>"
#endif

// Internal linkage for everything a kernel file defines but its entry point.
#define RINGI_KERNEL [[maybe_unused]] static inline
#define RINGI_ALWAYS_INLINE [[maybe_unused, gnu::always_inline]] static inline
// Iterations are independent: results may be written over operands at the same
// index, so the compiler needs no run-time overlap check (whose slow path would
// serve exactly the in-place case).
#define RINGI_SIMD _Pragma("omp simd")

namespace ringi::runtime::RINGI_ISA {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

template <typename S> struct VectorOf {
  typedef S type __attribute__((vector_size(kVectorBytes)));
};
template <typename S> using Vec = typename VectorOf<S>::type;
template <typename S>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(S));

template <typename S> RINGI_ALWAYS_INLINE Vec<S> loadVec(const S *from) {
  Vec<S> value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
template <typename S> RINGI_ALWAYS_INLINE void storeVec(S *to, Vec<S> value) {
  std::memcpy(to, &value, sizeof(value));
}

RINGI_ALWAYS_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
RINGI_ALWAYS_INLINE int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

} // namespace ringi::runtime::RINGI_ISA

#endif // RINGI_HOST_KERNELS_ISA_H
