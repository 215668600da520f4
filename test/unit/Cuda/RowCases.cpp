//===- RowCases.cpp - Calls of kernels that reduce rows -------------------===//
//
// Part of Ringi. Rows shorter and longer than a block, more rows than one group
// of a split sum.
//
//===----------------------------------------------------------------------===//

#include "KernelCases.h"

namespace ringi::cuda::test {

void addRows(std::vector<Case> &cases) {
  AttributesT epsilon = attributes([](auto &a) { a.epsilon = 1e-5; });
  AttributesT causal = attributes([](auto &a) { a.causal = true; });
  Case softmax{
      "softmax", OpKind::Softmax, {{kT, {2, 5, 37}}}, {{kT, {2, 5, 37}}}, {}};
  cases.push_back(softmax);
  cases.push_back(inPlace(softmax, {0}));
  cases.push_back({"softmax causal",
                   OpKind::Softmax,
                   {{kT, {2, 9, 9}}},
                   {{kT, {2, 9, 9}}},
                   causal});
  cases.push_back(pairwise("softmax backward", OpKind::SoftmaxBackward));
  cases.push_back({"softmax wide",
                   OpKind::Softmax,
                   {{kT, {2, 3000}}},
                   {{kT, {2, 3000}}},
                   {}});
  cases.push_back({"layer norm",
                   OpKind::LayerNorm,
                   {{kT, {6, 70}}, {kT, {70}}, {kT, {70}}},
                   {{kT, {6, 70}}, {kS, {6}}, {kS, {6}}},
                   epsilon});
  Case norm{
      "layer norm backward",
      OpKind::LayerNormBackward,
      {{kT, {300, 20}}, {kT, {300, 20}}, {kT, {20}}, {kS, {300}}, {kS, {300}}},
      {{kT, {300, 20}}, {kT, {20}}, {kT, {20}}},
      epsilon};
  cases.push_back(norm);
  cases.push_back(inPlace(norm, {0}));
  cases.push_back({"rms norm",
                   OpKind::RmsNorm,
                   {{kT, {6, 70}}, {kT, {70}}},
                   {{kT, {6, 70}}, {kS, {6}}},
                   epsilon});
  cases.push_back({"rms norm backward",
                   OpKind::RmsNormBackward,
                   {{kT, {10, 20}}, {kT, {10, 20}}, {kT, {20}}, {kS, {10}}},
                   {{kT, {10, 20}}, {kT, {20}}},
                   epsilon});
  cases.push_back({"cross entropy",
                   OpKind::CrossEntropy,
                   {{kT, {3, 4, 50}}, {kI32, {3, 4}}},
                   {{kS, {}}, {kS, {3, 4}}},
                   {},
                   50});
  Case loss{"cross entropy backward",
            OpKind::CrossEntropyBackward,
            {{kS, {}}, {kT, {12, 50}}, {kI64, {12}}, {kS, {12}}},
            {{kT, {12, 50}}},
            {},
            50};
  cases.push_back(loss);
  cases.push_back(inPlace(loss, {1}));
  cases.push_back(
      {"mse", OpKind::Mse, {{kT, {30, 50}}, {kT, {30, 50}}}, {{kS, {}}}, {}});
  cases.push_back({"mse backward",
                   OpKind::MseBackward,
                   {{kS, {}}, {kT, {30, 5}}, {kT, {30, 5}}},
                   {{kT, {30, 5}}},
                   {}});
}

std::string nameOf(const AttentionSize &sizes) {
  return " size " + std::to_string(sizes.head) + " keys " +
         std::to_string(sizes.keys) + (sizes.causal ? " causal" : "");
}

AttributesT attentionAttributes(const AttentionSize &sizes) {
  return attributes([&](auto &set) {
    set.causal = sizes.causal;
    set.factor = 0.3;
  });
}

/// By the library's epilogue where there is one (tanh form, whole rows of 16
/// bytes), by a product and another kernel otherwise.
static void addFusedProducts(std::vector<Case> &cases) {
  for (bool tanh : {true, false})
    for (int64_t n : {16, 12}) {
      auto set = attributes([&](auto &a) { a.approximate_tanh = tanh; });
      auto name = [&](const char *op) {
        return std::string(op) + (tanh ? " tanh " : " erf ") +
               std::to_string(n);
      };
      TensorSpec y{kT, {3, 8, n}};
      cases.push_back({name("matmul gelu bias"),
                       OpKind::MatmulGelu,
                       {{kT, {3, 8, 40}}, {kT, {40, n}}, {kT, {n}}},
                       {y, y},
                       set});
      cases.push_back({name("matmul gelu"),
                       OpKind::MatmulGelu,
                       {{kT, {3, 8, 40}}, {kT, {40, n}}},
                       {y, y},
                       set});
      set.transpose_b = true;
      cases.push_back({name("matmul gelu backward"),
                       OpKind::MatmulGeluBackward,
                       {{kT, {3, 8, 40}}, {kT, {n, 40}}, y},
                       {y},
                       set});
    }
  // Enough rows for several groups of partial sums.
  for (bool sumA : {false, true})
    cases.push_back(
        {sumA ? "matmul bias gradient of a" : "matmul bias gradient of b",
         OpKind::MatmulBiasGradient,
         {{kT, {300, 24}}, {kT, {300, 16}}},
         {{kT, {24, 16}}, {kT, {sumA ? 24 : 16}}},
         attributes([&](auto &a) { a.sum_a = sumA; })});
}

void addProducts(std::vector<Case> &cases) {
  auto transposed = [](bool a, bool b) {
    return attributes([&](auto &set) {
      set.transpose_a = a;
      set.transpose_b = b;
    });
  };
  cases.push_back({"matmul",
                   OpKind::Matmul,
                   {{kT, {24, 40}}, {kT, {40, 16}}},
                   {{kT, {24, 16}}},
                   {}});
  cases.push_back({"matmul a transposed",
                   OpKind::Matmul,
                   {{kT, {40, 24}}, {kT, {40, 16}}},
                   {{kT, {24, 16}}},
                   transposed(true, false)});
  cases.push_back({"matmul b transposed and bias",
                   OpKind::Matmul,
                   {{kT, {3, 8, 40}}, {kT, {16, 40}}, {kT, {16}}},
                   {{kT, {3, 8, 16}}},
                   transposed(false, true)});
  cases.push_back({"matmul batched",
                   OpKind::Matmul,
                   {{kT, {2, 3, 24, 8}}, {kT, {2, 3, 8, 16}}},
                   {{kT, {2, 3, 24, 16}}},
                   {}});
  addFusedProducts(cases);
  for (const AttentionSize &sizes : kAttentionSizes) {
    TensorSpec rows{kT, {2, 1, sizes.seq, sizes.head}};
    TensorSpec keys{kT, {2, 1, sizes.keys, sizes.head}};
    cases.push_back({"attention" + nameOf(sizes),
                     OpKind::Attention,
                     {rows, keys, keys},
                     {rows, {kS, {2, 1, sizes.seq}}},
                     attentionAttributes(sizes)});
  }
}

void addUpdates(std::vector<Case> &cases) {
  TensorSpec p{kT, {41}}, s{kS, {41}}, scalar{kS, {}}, step{kI64, {}};
  cases.push_back({"sgd",
                   OpKind::Sgd,
                   {p, p, scalar},
                   {p},
                   attributes([](auto &a) { a.weight_decay = 0.1; }),
                   2,
                   {0}});
  cases.push_back({"momentum",
                   OpKind::Momentum,
                   {p, p, s, scalar},
                   {p, s},
                   attributes([](auto &a) {
                     a.momentum = 0.9;
                     a.nesterov = true;
                   }),
                   2,
                   {0, 2}});
}

} // namespace ringi::cuda::test
