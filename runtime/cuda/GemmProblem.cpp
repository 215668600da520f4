//===- GemmProblem.cpp - Sizes of one matrix product ------------*- C++ -*-===//
//
// Part of Ringi. From an op call to sizes, key and errors.
//
//===----------------------------------------------------------------------===//

#include "GemmProblem.h"

#include <algorithm>

namespace ringi::cuda {

using program::ElementType;
using runtime::OpCall;
using runtime::TensorRef;

namespace {

int commonAlignment(const OpCall &call) {
  uintptr_t bits = 16;
  for (const TensorRef &tensor : call.operands)
    bits |= reinterpret_cast<uintptr_t>(tensor.data);
  for (const TensorRef &tensor : call.results)
    bits |= reinterpret_cast<uintptr_t>(tensor.data);
  return int(bits & -bits);
}

Epilogue epilogueOf(const OpCall &call) {
  const bool third = call.operands.size() > 2;
  switch (call.kind) {
  case program::OpKind::MatmulGelu:
    return third ? Epilogue::GeluBias : Epilogue::Gelu;
  case program::OpKind::MatmulGeluBackward:
    return Epilogue::GeluBackward;
  case program::OpKind::MatmulBiasGradient:
    return call.attributes->sum_a ? Epilogue::SumA : Epilogue::SumB;
  default:
    return third ? Epilogue::Bias : Epilogue::None;
  }
}

} // namespace

GemmProblem GemmProblem::of(const OpCall &call, bool tf32) {
  const TensorRef &a = call.operands[0], &b = call.operands[1];
  const TensorRef &c = call.results[0];
  GemmProblem p;
  p.transposeA = call.attributes->transpose_a ||
                 call.kind == program::OpKind::MatmulBiasGradient;
  p.transposeB = call.attributes->transpose_b;
  p.epilogue = epilogueOf(call);
  p.type = c.type;
  p.alignment = commonAlignment(call);
  p.workspaceBytes = call.workspaceBytes;
  p.tf32 = tf32 && p.type == ElementType::F32;
  p.n = c.columns();
  int64_t rows = a.shape[a.rank - 2], columns = a.shape[a.rank - 1];
  p.k = p.transposeA ? rows : columns;
  p.m = p.transposeA ? columns : rows;
  if (b.rank == 2) {
    // All rows of a form one matrix.
    p.m = c.elements() / std::max<int64_t>(p.n, 1);
    return p;
  }
  for (int d = 0; d + 2 < a.rank; ++d)
    p.batch *= a.shape[d];
  p.strideA = p.m * p.k;
  p.strideB = p.k * p.n;
  p.strideC = p.m * p.n;
  return p;
}

std::string GemmProblem::key() const {
  std::string text = program::toString(type);
  for (int64_t value :
       {m, n, k, batch, int64_t(transposeA), int64_t(transposeB),
        int64_t(epilogue), int64_t(alignment), workspaceBytes, int64_t(tf32)})
    text += "," + std::to_string(value);
  return text;
}

Status checkGemmType(const OpCall &call) {
  switch (call.results[0].type) {
  case ElementType::F32:
  case ElementType::BF16:
  case ElementType::F16:
    return Status::success();
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return Error::badInput(call.location +
                           ": fp8 GEMMs are declared but not implemented; "
                           "plan in bf16");
  default:
    return Error::badInput(call.location +
                           ": the CUDA device has no GEMM for " +
                           program::toString(call.results[0].type) +
                           "; it multiplies f32, bf16 and f16, other types run "
                           "on the host");
  }
}

bool hasLibraryEpilogue(const OpCall &call, const GemmProblem &problem) {
  switch (problem.epilogue) {
  case Epilogue::Gelu:
  case Epilogue::GeluBias:
  case Epilogue::GeluBackward:
    return call.attributes->approximate_tanh && problem.batch == 1 &&
           problem.alignment == 16 && problem.n % 8 == 0;
  default:
    return true;
  }
}

Error noGemmAlgorithm(const OpCall &call) {
  return Error::badInput(
      call.location + ": the GEMM library has no deterministic algorithm " +
      "within " + std::to_string(call.workspaceBytes) +
      " bytes of workspace; plan with a larger gemm-workspace");
}

} // namespace ringi::cuda
