//===- Table.cpp - The kernels of one instruction-set build ---------------===//
//
// Part of Ringi. Collects the entry points of Kernels.h.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#define RINGI_TEXT_OF(name) #name
#define RINGI_TEXT(name) RINGI_TEXT_OF(name)

namespace ringi::runtime::RINGI_ISA {

const KernelTable &table() {
  static constexpr KernelTable kTable = {RINGI_TEXT(RINGI_ISA),
                                         gemm,
                                         elementwise,
                                         softmax,
                                         softmaxBackward,
                                         norm,
                                         normBackward,
                                         dropout,
                                         embedding,
                                         embeddingBackward,
                                         attention,
                                         attentionBackward,
                                         copy,
                                         gather,
                                         reduceSum,
                                         cast,
                                         crossEntropy,
                                         crossEntropyBackward,
                                         mse,
                                         mseBackward,
                                         update};
  return kTable;
}

} // namespace ringi::runtime::RINGI_ISA
