//===- KernelTable.h - The host kernels as plain functions ------*- C++ -*-===//
//
// Part of Ringi. What bind() hands to a kernel and the table of kernels that
// each instruction-set build fills. Plain structs only: see Isa.h. Pointers are
// into the arena, sizes are elements unless named bytes; shapes are already
// checked. Semantics: docs/operations.md; rules of determinism:
// docs/kernels.md.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_KERNELS_KERNELTABLE_H
#define RINGI_HOST_KERNELS_KERNELTABLE_H

#include <cstdint>

namespace ringi::runtime {

/// Same values as program::ElementType (asserted in bind).
enum class DataType : uint8_t { F64, F32, BF16, F16, I64, I32, I8 };

/// The device's threads as a kernel sees them. `run` calls `body` once per
/// thread with that thread's contiguous share of [0, count), itself on the
/// caller's thread, and returns when all are done.
struct Threads {
  using Body = void (*)(void *context, int64_t begin, int64_t end, int thread);
  void (*run)(void *pool, int64_t count, Body body, void *context);
  void *pool;
  int count;
  /// Per thread, 64-byte aligned: packed GEMM tiles and attention blocks.
  void *const *scratch;
  int64_t scratchBytes;
};

/// c[i] = a[i] * b[i] (+ bias) for i < batch; sizes after transposition.
/// Strides step from matrix to matrix, 0 repeats one matrix.
struct GemmArgs {
  DataType type;
  const void *a, *b, *bias;
  void *c;
  int64_t batch, m, n, k;
  int64_t aStride, bStride;
  bool transposeA, transposeB;
};

enum class ElementwiseOp : uint8_t {
  Add,
  Mul,
  Scale,
  Relu,
  ReluBackward,
  GeluErf,
  GeluErfBackward,
  GeluTanh,
  GeluTanhBackward,
  Silu,
  SiluBackward,
  Tanh,
  TanhBackward,
  Sigmoid,
  SigmoidBackward,
  Exp,
  Fill
};

/// out = op(a, b); b repeats with `period` elements. Unary ops have b = null.
struct ElementwiseArgs {
  ElementwiseOp op;
  DataType type;
  const void *a, *b;
  void *out;
  int64_t count, period;
  double factor;
};

/// Rows of `columns`; a causal matrix has `matrixRows` rows.
struct SoftmaxArgs {
  DataType type;
  /// Forward: x; backward: dy and y.
  const void *x, *y;
  void *out;
  int64_t rows, columns, matrixRows;
  bool causal;
};

struct NormArgs {
  DataType type;
  const void *x, *gamma, *beta;
  void *y;
  /// S; mean is null for the root-mean-square form. Backward only reads them.
  void *mean, *rstd;
  const void *dy;
  void *dx, *dgamma, *dbeta;
  int64_t rows, columns;
  double epsilon;
  /// Partial sums [2 or 1][groups][columns] of S.
  void *workspace;
  int64_t groups;
};

struct DropoutArgs {
  DataType type;
  /// x is null when only the mask is wanted.
  const void *x, *seed, *step, *mask;
  void *out;
  int64_t count;
  double probability;
  uint64_t randomId;
};

struct EmbeddingArgs {
  DataType type, idType;
  const void *ids, *table, *dy;
  void *out;
  int64_t positions, vocabulary, columns;
  /// int32: start of each id's positions [vocabulary + 1], then positions.
  void *workspace;
};

struct AttentionArgs {
  DataType type;
  const void *q, *k, *v, *dout;
  void *o, *lse, *dq, *dk, *dv;
  /// matrices = batch * heads; q and o are [queries, width], k and v [keys,
  /// width]. Causal: query i sees keys up to i + keys - queries.
  int64_t matrices, queries, keys, width;
  bool causal;
  double factor;
  /// Backward: S per query row.
  void *workspace;
};

/// `outer` blocks of `bytes`, each side with its own distance between blocks.
struct CopyArgs {
  const void *from;
  void *to;
  int64_t outer, bytes, fromStride, toStride;
  /// Zeros around the block instead of a plain copy: pad_slice.
  int64_t zerosBefore, zerosAfter;
};

inline constexpr int kKernelRank = 8;

/// to[index] = from[sum of index * stride], row-major over `shape`: transpose
/// and broadcast.
struct GatherArgs {
  const void *from;
  void *to;
  int64_t elementBytes;
  int rank;
  int64_t shape[kKernelRank], stride[kKernelRank];
};

struct ReduceArgs {
  DataType type;
  const void *x;
  void *y;
  /// Kept and reduced dimensions with their strides in x, outermost first.
  int keptRank, reducedRank;
  int64_t keptShape[kKernelRank], keptStride[kKernelRank];
  int64_t reducedShape[kKernelRank], reducedStride[kKernelRank];
  int64_t kept, reduced, groups;
  /// Partial sums [groups][kept] of S when groups > 1.
  void *workspace;
};

struct CastArgs {
  DataType from, to;
  const void *x;
  void *y;
  int64_t count;
};

struct CrossEntropyArgs {
  DataType type, targetType;
  const void *logits, *targets, *dloss;
  void *loss, *lse, *dlogits;
  int64_t rows, columns;
};

struct MseArgs {
  DataType type;
  const void *prediction, *target, *dloss;
  void *loss, *dprediction;
  int64_t count, groups;
  void *workspace;
};

enum class UpdateRule : uint8_t { Sgd, Momentum, AdamW };

/// Results may be the operands' own bytes. State is S.
struct UpdateArgs {
  UpdateRule rule;
  DataType type;
  const void *param, *grad, *state0, *state1, *master, *step, *rate;
  void *newParam, *newState0, *newState1, *newMaster;
  int64_t count;
  double beta1, beta2, epsilon, weightDecay, momentum;
  bool nesterov;
};

struct KernelTable {
  const char *name;
  void (*gemm)(const GemmArgs &, const Threads &);
  void (*elementwise)(const ElementwiseArgs &, const Threads &);
  void (*softmax)(const SoftmaxArgs &, const Threads &);
  void (*softmaxBackward)(const SoftmaxArgs &, const Threads &);
  void (*norm)(const NormArgs &, const Threads &);
  void (*normBackward)(const NormArgs &, const Threads &);
  void (*dropout)(const DropoutArgs &, const Threads &);
  void (*embedding)(const EmbeddingArgs &, const Threads &);
  void (*embeddingBackward)(const EmbeddingArgs &, const Threads &);
  void (*attention)(const AttentionArgs &, const Threads &);
  void (*attentionBackward)(const AttentionArgs &, const Threads &);
  void (*copy)(const CopyArgs &, const Threads &);
  void (*gather)(const GatherArgs &, const Threads &);
  void (*reduceSum)(const ReduceArgs &, const Threads &);
  void (*cast)(const CastArgs &, const Threads &);
  void (*crossEntropy)(const CrossEntropyArgs &, const Threads &);
  void (*crossEntropyBackward)(const CrossEntropyArgs &, const Threads &);
  void (*mse)(const MseArgs &, const Threads &);
  void (*mseBackward)(const MseArgs &, const Threads &);
  void (*update)(const UpdateArgs &, const Threads &);
};

/// Largest head width of the fused attention kernels.
inline constexpr int64_t kMaxAttentionWidth = 256;

/// Scratch that every thread must own: the largest tile set of any kernel.
inline constexpr int64_t kScratchBytes = int64_t(4) << 20;

} // namespace ringi::runtime

#endif // RINGI_HOST_KERNELS_KERNELTABLE_H
