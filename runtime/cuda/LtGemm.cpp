//===- LtGemm.cpp - GEMMs through cuBLASLt, one algorithm each --*- C++ -*-===//
//
// Part of Ringi. Row-major a * b is column-major b^T * a^T, so the operands
// change places. Algorithms that split K and reduce are excluded by preference.
//
//===----------------------------------------------------------------------===//

#include "LtGemm.h"

#include <algorithm>
#include <numeric>

namespace ringi::cuda {

namespace {

using program::ElementType;
using runtime::OpCall;
using runtime::TensorRef;

/// Sizes of one Matmul: `batch` products of [m, k] and [k, n].
struct Problem {
  int64_t m, n, k, batch;
  /// Elements from one product to the next; 0 repeats the operand.
  int64_t strideA, strideB, strideC;
  bool transposeA, transposeB, bias;
  ElementType type;

  std::string key(int alignment, int64_t workspace, bool tf32) const {
    std::string text = program::EnumNameElementType(type);
    for (int64_t value :
         {m, n, k, batch, int64_t(transposeA), int64_t(transposeB),
          int64_t(bias), int64_t(alignment), workspace, int64_t(tf32)})
      text += "," + std::to_string(value);
    return text;
  }
};

Problem problemOf(const OpCall &call) {
  const TensorRef &a = call.operands[0], &b = call.operands[1];
  const TensorRef &c = call.results[0];
  Problem p{};
  p.transposeA = call.attributes->transpose_a;
  p.transposeB = call.attributes->transpose_b;
  p.bias = call.operands.size() > 2;
  p.type = c.type;
  p.n = c.columns();
  int64_t rows = a.shape[a.rank - 2], columns = a.shape[a.rank - 1];
  p.k = p.transposeA ? rows : columns;
  p.m = p.transposeA ? columns : rows;
  p.batch = 1;
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

Expected<cudaDataType> dataType(const OpCall &call, ElementType type) {
  switch (type) {
  case ElementType::F32:
    return CUDA_R_32F;
  case ElementType::BF16:
    return CUDA_R_16BF;
  case ElementType::F16:
    return CUDA_R_16F;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return Error::badInput(call.location +
                           ": fp8 GEMMs are declared but not implemented; "
                           "plan in bf16");
  default:
    return Error::badInput(call.location +
                           ": the CUDA device has no GEMM for " +
                           program::EnumNameElementType(type) +
                           "; it multiplies f32, bf16 and f16");
  }
}

/// What a launch needs; shared by the launcher's copies.
struct Plan {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, result = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
  const void *a = nullptr, *b = nullptr;
  void *c = nullptr, *workspace = nullptr;
  size_t workspaceBytes = 0;

  Plan() = default;
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;
  ~Plan() {
    cublasLtMatrixLayoutDestroy(first);
    cublasLtMatrixLayoutDestroy(second);
    cublasLtMatrixLayoutDestroy(result);
    cublasLtMatmulDescDestroy(operation);
  }

  void launch(cudaStream_t stream) const {
    const float one = 1.0f, zero = 0.0f;
    cublasLtMatmul(handle, operation, &one, b, first, a, second, &zero, c,
                   result, c, result, &algorithm, workspace, workspaceBytes,
                   stream);
  }
};

Status makeLayout(cublasLtMatrixLayout_t &layout, cudaDataType type,
                  int64_t rows, int64_t columns, int64_t batch,
                  int64_t stride) {
  if (Status status =
          check(cublasLtMatrixLayoutCreate(&layout, type, uint64_t(rows),
                                           uint64_t(columns), rows),
                "cublasLtMatrixLayoutCreate");
      !status)
    return status;
  auto count = int32_t(batch);
  if (Status status = check(cublasLtMatrixLayoutSetAttribute(
                                layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                &count, sizeof(count)),
                            "cublasLtMatrixLayoutSetAttribute");
      !status)
    return status;
  return check(cublasLtMatrixLayoutSetAttribute(
                   layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                   sizeof(stride)),
               "cublasLtMatrixLayoutSetAttribute");
}

Status describe(Plan &plan, const Problem &p, const OpCall &call,
                cudaDataType type, bool tf32) {
  cublasComputeType_t compute =
      tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  if (Status status =
          check(cublasLtMatmulDescCreate(&plan.operation, compute, CUDA_R_32F),
                "cublasLtMatmulDescCreate");
      !status)
    return status;
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
    return check(cublasLtMatmulDescSetAttribute(plan.operation, attribute,
                                                &value, sizeof(value)),
                 "cublasLtMatmulDescSetAttribute");
  };
  if (Status status = set(CUBLASLT_MATMUL_DESC_TRANSA,
                          p.transposeB ? CUBLAS_OP_T : CUBLAS_OP_N);
      !status)
    return status;
  if (Status status = set(CUBLASLT_MATMUL_DESC_TRANSB,
                          p.transposeA ? CUBLAS_OP_T : CUBLAS_OP_N);
      !status)
    return status;
  if (p.bias) {
    if (Status status =
            set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
        !status)
      return status;
    if (Status status = set(CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                            static_cast<const void *>(call.operands[2].data));
        !status)
      return status;
  }
  if (Status status =
          p.transposeB
              ? makeLayout(plan.first, type, p.k, p.n, p.batch, p.strideB)
              : makeLayout(plan.first, type, p.n, p.k, p.batch, p.strideB);
      !status)
    return status;
  if (Status status =
          p.transposeA
              ? makeLayout(plan.second, type, p.m, p.k, p.batch, p.strideA)
              : makeLayout(plan.second, type, p.k, p.m, p.batch, p.strideA);
      !status)
    return status;
  return makeLayout(plan.result, type, p.n, p.m, p.batch, p.strideC);
}

/// The largest power of two, at most 256, that divides every address.
int commonAlignment(const OpCall &call) {
  uintptr_t bits = 256;
  for (const TensorRef &tensor : call.operands)
    bits |= reinterpret_cast<uintptr_t>(tensor.data);
  bits |= reinterpret_cast<uintptr_t>(call.results[0].data);
  return int(bits & -bits);
}

/// The library's first choice among algorithms that do not reduce across
/// blocks.
Expected<cublasLtMatmulAlgo_t> chooseAlgorithm(const Plan &plan, int alignment,
                                               const OpCall &call) {
  cublasLtMatmulPreference_t preference = nullptr;
  if (Status status = check(cublasLtMatmulPreferenceCreate(&preference),
                            "cublasLtMatmulPreferenceCreate");
      !status)
    return status.error();
  Status status;
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    if (status)
      status = check(cublasLtMatmulPreferenceSetAttribute(
                         preference, attribute, &value, sizeof(value)),
                     "cublasLtMatmulPreferenceSetAttribute");
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t(plan.workspaceBytes));
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      uint32_t(CUBLASLT_REDUCTION_SCHEME_NONE));
  for (auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                         CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                         CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                         CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    set(attribute, uint32_t(alignment));
  cublasLtMatmulHeuristicResult_t choice{};
  int found = 0;
  if (status)
    status =
        check(cublasLtMatmulAlgoGetHeuristic(
                  plan.handle, plan.operation, plan.first, plan.second,
                  plan.result, plan.result, preference, 1, &choice, &found),
              "cublasLtMatmulAlgoGetHeuristic");
  cublasLtMatmulPreferenceDestroy(preference);
  if (!status)
    return Error::badInput(call.location + ": " + status.error().message);
  if (found == 0)
    return Error::badInput(
        call.location + ": cuBLASLt has no deterministic algorithm within " +
        std::to_string(plan.workspaceBytes) +
        " bytes of workspace; export the program with a larger "
        "gemm-workspace");
  return choice.algo;
}

} // namespace

Expected<std::unique_ptr<LtGemm>> LtGemm::create(const std::string &cachePath,
                                                 const std::string &machine,
                                                 bool tf32) {
  Expected<AlgorithmCache> cache =
      AlgorithmCache::open(cachePath, machine + ", cublasLt " +
                                          std::to_string(cublasLtGetVersion()));
  if (!cache)
    return cache.error();
  std::unique_ptr<LtGemm> gemm(new LtGemm(std::move(*cache), tf32));
  if (Status status = check(cublasLtCreate(&gemm->handle), "cublasLtCreate");
      !status)
    return status.error();
  return Expected<std::unique_ptr<LtGemm>>(std::move(gemm));
}

LtGemm::~LtGemm() {
  if (handle)
    cublasLtDestroy(handle);
}

Expected<Launcher> LtGemm::bind(const OpCall &call) {
  Problem problem = problemOf(call);
  Expected<cudaDataType> type = dataType(call, problem.type);
  if (!type)
    return type.error();
  if (problem.m == 0 || problem.n == 0 || problem.batch == 0)
    return Launcher([](cudaStream_t) {});
  bool fast = tf32 && problem.type == ElementType::F32;
  auto plan = std::make_shared<Plan>();
  plan->handle = handle;
  plan->a = call.operands[0].data;
  plan->b = call.operands[1].data;
  plan->c = call.results[0].data;
  plan->workspace = call.workspace;
  plan->workspaceBytes = size_t(call.workspaceBytes);
  if (Status status = describe(*plan, problem, call, *type, fast); !status)
    return Error::badInput(call.location + ": " + status.error().message);
  int alignment = commonAlignment(call);
  std::string key = problem.key(alignment, call.workspaceBytes, fast);
  if (const cublasLtMatmulAlgo_t *pinned = cache.find(key)) {
    plan->algorithm = *pinned;
  } else {
    Expected<cublasLtMatmulAlgo_t> chosen =
        chooseAlgorithm(*plan, alignment, call);
    if (!chosen)
      return chosen.error();
    plan->algorithm = *chosen;
    if (Status status = cache.add(key, *chosen); !status)
      return status.error();
  }
  return Launcher([plan](cudaStream_t stream) { plan->launch(stream); });
}

} // namespace ringi::cuda
