//===- Kernels.h - Entry points of one instruction-set build ----*- C++ -*-===//
//
// Part of Ringi. One function per op family, each defined in the file of its
// family; Table.cpp collects them.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_KERNELS_KERNELS_H
#define RINGI_HOST_KERNELS_KERNELS_H

#include "KernelTable.h"

namespace ringi::runtime::RINGI_ISA {

void gemm(const GemmArgs &, const Threads &);
void elementwise(const ElementwiseArgs &, const Threads &);
void softmax(const SoftmaxArgs &, const Threads &);
void softmaxBackward(const SoftmaxArgs &, const Threads &);
void norm(const NormArgs &, const Threads &);
void normBackward(const NormArgs &, const Threads &);
void dropout(const DropoutArgs &, const Threads &);
void embedding(const EmbeddingArgs &, const Threads &);
void embeddingBackward(const EmbeddingArgs &, const Threads &);
void attention(const AttentionArgs &, const Threads &);
void attentionBackward(const AttentionArgs &, const Threads &);
void copy(const CopyArgs &, const Threads &);
void gather(const GatherArgs &, const Threads &);
void reduceSum(const ReduceArgs &, const Threads &);
void cast(const CastArgs &, const Threads &);
void crossEntropy(const CrossEntropyArgs &, const Threads &);
void crossEntropyBackward(const CrossEntropyArgs &, const Threads &);
void mse(const MseArgs &, const Threads &);
void mseBackward(const MseArgs &, const Threads &);
void update(const UpdateArgs &, const Threads &);

/// This build's kernels.
const KernelTable &table();

} // namespace ringi::runtime::RINGI_ISA

#endif // RINGI_HOST_KERNELS_KERNELS_H
