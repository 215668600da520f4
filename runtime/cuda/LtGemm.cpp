//===- LtGemm.cpp - GEMMs through cuBLASLt, one algorithm each --*- C++ -*-===//
//
// Part of Ringi. Row-major a * b is column-major b^T * a^T, so the operands
// change places. Of the algorithms that split K only those are admitted whose
// partial sums meet in a fixed order.
//
//===----------------------------------------------------------------------===//

#include "LtGemm.h"

#include "GemmProblem.h"

#include <cstring>

namespace ringi::cuda {

namespace {

using program::ElementType;
using runtime::OpCall;

cudaDataType dataType(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return CUDA_R_16BF;
  case ElementType::F16:
    return CUDA_R_16F;
  default:
    return CUDA_R_32F;
  }
}

static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(GemmAlgorithm),
              "an algorithm of the library fits the cache's words");

cublasLtMatmulAlgo_t fromWords(const GemmAlgorithm &words) {
  cublasLtMatmulAlgo_t algorithm;
  std::memcpy(&algorithm, words.data(), sizeof(algorithm));
  return algorithm;
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

  Status launch(cudaStream_t stream) const {
    const float one = 1.0f, zero = 0.0f;
    return check(cublasLtMatmul(handle, operation, &one, b, first, a, second,
                                &zero, c, result, c, result, &algorithm,
                                workspace, workspaceBytes, stream),
                 "cublasLtMatmul");
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

/// An epilogue with the vector (bias, or its gradient) and the matrix beside
/// it.
struct FusedWork {
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void *bias = nullptr, *preactivation = nullptr;
};

FusedWork fusedWork(Epilogue epilogue, const OpCall &call) {
  auto operand = [&](size_t i) { return call.operands[i].data; };
  auto result = [&](size_t i) { return call.results[i].data; };
  switch (epilogue) {
  case Epilogue::None:
    break;
  case Epilogue::Bias:
    return {CUBLASLT_EPILOGUE_BIAS, operand(2), nullptr};
  case Epilogue::Gelu:
    return {CUBLASLT_EPILOGUE_GELU_AUX, nullptr, result(1)};
  case Epilogue::GeluBias:
    return {CUBLASLT_EPILOGUE_GELU_AUX_BIAS, operand(2), result(1)};
  case Epilogue::GeluBackward:
    return {CUBLASLT_EPILOGUE_DGELU, nullptr, operand(2)};
  // The operands change places, so a is the library's B.
  case Epilogue::SumA:
    return {CUBLASLT_EPILOGUE_BGRADB, result(1), nullptr};
  case Epilogue::SumB:
    return {CUBLASLT_EPILOGUE_BGRADA, result(1), nullptr};
  }
  return {};
}

Status describe(Plan &plan, const GemmProblem &p, const OpCall &call) {
  cudaDataType type = dataType(p.type);
  cublasComputeType_t compute =
      p.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
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
  const FusedWork work = fusedWork(p.epilogue, call);
  if (Status status = set(CUBLASLT_MATMUL_DESC_EPILOGUE, work.epilogue);
      !status)
    return status;
  if (work.bias)
    if (Status status = set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, work.bias);
        !status)
      return status;
  if (work.preactivation) {
    if (Status status =
            set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, work.preactivation);
        !status)
      return status;
    if (Status status = set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, p.n); !status)
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

/// The library's first choice among algorithms with a fixed order of sums.
Expected<GemmAlgorithm> chooseAlgorithm(const Plan &plan, int alignment,
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
  // No sum in place, whose order the blocks' speed decides; partial sums in the
  // workspace, added by a second kernel, have one order.
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
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
    return noGemmAlgorithm(call);
  GemmAlgorithm words;
  std::memcpy(words.data(), &choice.algo, sizeof(choice.algo));
  return words;
}

/// Whether the library can run a pinned algorithm on this problem.
bool takesAlgorithm(const Plan &plan, const GemmAlgorithm &words) {
  cublasLtMatmulAlgo_t algorithm = fromWords(words);
  cublasLtMatmulHeuristicResult_t result{};
  return cublasLtMatmulAlgoCheck(
             plan.handle, plan.operation, plan.first, plan.second, plan.result,
             plan.result, &algorithm, &result) == CUBLAS_STATUS_SUCCESS &&
         result.workspaceSize <= plan.workspaceBytes;
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
  if (Status status = checkGemmType(call); !status)
    return status.error();
  GemmProblem problem = GemmProblem::of(call, tf32);
  if (problem.m == 0 || problem.n == 0 || problem.batch == 0)
    return Launcher([](cudaStream_t) {});
  if (!hasLibraryEpilogue(call, problem))
    return Launcher();
  auto plan = std::make_shared<Plan>();
  plan->handle = handle;
  plan->a = call.operands[0].data;
  plan->b = call.operands[1].data;
  plan->c = call.results[0].data;
  plan->workspace = call.workspace;
  plan->workspaceBytes = size_t(call.workspaceBytes);
  if (Status status = describe(*plan, problem, call); !status)
    return Error::badInput(call.location + ": " + status.error().message);
  bool unknown = false;
  Expected<GemmAlgorithm> pinned = cache.pin(
      problem.key(),
      [&] {
        Expected<GemmAlgorithm> chosen =
            chooseAlgorithm(*plan, problem.alignment, call);
        unknown = !chosen;
        return chosen;
      },
      [&](const GemmAlgorithm &words) { return takesAlgorithm(*plan, words); });
  // What is wrong with more than the epilogue shows with the plain product.
  if (unknown && call.kind != program::OpKind::Matmul)
    return Launcher();
  if (!pinned)
    return pinned.error();
  plan->algorithm = fromWords(*pinned);
  return Launcher([this, plan, location = call.location](cudaStream_t stream) {
    if (Status status = plan->launch(stream); !status && failure)
      failure = Error::badInput(location + ": " + status.error().message);
  });
}

} // namespace ringi::cuda
