//===- MapCases.cpp - Calls of elementwise and moving kernels -------------===//
//
// Part of Ringi. Ragged sizes, so that vector and scalar paths both run.
//
//===----------------------------------------------------------------------===//

#include "KernelCases.h"

namespace ringi::cuda::test {

Case pairwise(const char *name, OpKind kind, AttributesT a) {
  return {name,
          kind,
          {{kT, {4, 40}}, {kT, {4, 40}}},
          {{kT, {4, 40}}},
          std::move(a)};
}

Case inPlace(Case c, std::vector<int> overwrites) {
  c.name += " in place";
  c.overwrites = std::move(overwrites);
  return c;
}

static Case unary(const char *name, OpKind kind, AttributesT a = {}) {
  return {name, kind, {{kT, {5, 33}}}, {{kT, {5, 33}}}, std::move(a)};
}

void addElementwise(std::vector<Case> &cases) {
  AttributesT tanh = attributes([](auto &a) { a.approximate_tanh = true; });
  cases.push_back(pairwise("add", OpKind::Add));
  cases.push_back(
      {"add bias", OpKind::Add, {{kT, {6, 7}}, {kT, {7}}}, {{kT, {6, 7}}}, {}});
  cases.push_back({"mul suffix",
                   OpKind::Mul,
                   {{kT, {3, 4, 16}}, {kT, {4, 16}}},
                   {{kT, {3, 4, 16}}},
                   {}});
  cases.push_back(inPlace(pairwise("add", OpKind::Add), {0}));
  cases.push_back(unary("scale", OpKind::Scale,
                        attributes([](auto &a) { a.factor = 0.3; })));
  cases.push_back(unary("relu", OpKind::Relu));
  cases.push_back(pairwise("relu backward", OpKind::ReluBackward));
  cases.push_back(unary("gelu", OpKind::Gelu));
  cases.push_back(pairwise("gelu backward", OpKind::GeluBackward));
  cases.push_back(unary("gelu tanh", OpKind::Gelu, tanh));
  cases.push_back(pairwise("gelu tanh backward", OpKind::GeluBackward, tanh));
  cases.push_back(unary("silu", OpKind::Silu));
  cases.push_back(pairwise("silu backward", OpKind::SiluBackward));
  cases.push_back(unary("tanh", OpKind::Tanh));
  cases.push_back(pairwise("tanh backward", OpKind::TanhBackward));
  cases.push_back(unary("sigmoid", OpKind::Sigmoid));
  cases.push_back(pairwise("sigmoid backward", OpKind::SigmoidBackward));
  cases.push_back(unary("exp", OpKind::Exp));
  cases.push_back({"cast down", OpKind::Cast, {{kS, {9}}}, {{kT, {9}}}, {}});
  cases.push_back({"cast up", OpKind::Cast, {{kT, {9}}}, {{kS, {9}}}, {}});
  cases.push_back(
      {"fill", OpKind::Fill, {}, {{kT, {9}}}, attributes([](auto &a) {
         a.factor = 1.5;
       })});
}

void addTokensAndRandom(std::vector<Case> &cases) {
  AttributesT random = attributes([](auto &a) {
    a.probability = 0.3;
    a.random_id = 5;
  });
  cases.push_back({"embedding",
                   OpKind::Embedding,
                   {{kI32, {3, 5}}, {kT, {11, 12}}},
                   {{kT, {3, 5, 12}}},
                   {},
                   11,
                   {},
                   true});
  cases.push_back({"embedding backward",
                   OpKind::EmbeddingBackward,
                   {{kT, {600, 12}}, {kI64, {600}}},
                   {{kT, {30, 12}}},
                   {},
                   30});
  Case dropout{"dropout",
               OpKind::Dropout,
               {{kT, {7, 11}}, {kI64, {}}, {kI64, {}}},
               {{kT, {7, 11}}},
               random,
               1000,
               {},
               true};
  cases.push_back(dropout);
  cases.push_back(inPlace(dropout, {0}));
  dropout.kind = OpKind::DropoutBackward;
  dropout.name = "dropout backward";
  cases.push_back(dropout);
  cases.push_back({"dropout mask",
                   OpKind::DropoutMask,
                   {{kI64, {}}, {kI64, {}}},
                   {{kI8, {7, 11}}},
                   random,
                   1000,
                   {},
                   true});
  cases.push_back({"dropout apply",
                   OpKind::DropoutApply,
                   {{kT, {7, 11}}, {kI8, {7, 11}}},
                   {{kT, {7, 11}}},
                   random,
                   2,
                   {},
                   true});
}

void addMovement(std::vector<Case> &cases) {
  auto dims = [](std::vector<int64_t> d) {
    return attributes([&](auto &a) { a.dims = d; });
  };
  auto along = [](int64_t axis, int64_t start) {
    return attributes([&](auto &a) {
      a.axis = axis;
      a.start = start;
    });
  };
  cases.push_back({"transpose",
                   OpKind::Transpose,
                   {{kT, {2, 3, 4, 5}}},
                   {{kT, {4, 2, 5, 3}}},
                   dims({2, 0, 3, 1}),
                   2,
                   {},
                   true});
  cases.push_back({"slice",
                   OpKind::Slice,
                   {{kT, {3, 8, 2}}},
                   {{kT, {3, 4, 2}}},
                   along(1, 3),
                   2,
                   {},
                   true});
  cases.push_back({"pad slice",
                   OpKind::PadSlice,
                   {{kT, {3, 4, 2}}},
                   {{kT, {3, 8, 2}}},
                   along(1, 3),
                   2,
                   {},
                   true});
  cases.push_back({"concat",
                   OpKind::Concat,
                   {{kT, {2, 3, 2}}, {kT, {2, 1, 2}}, {kT, {2, 4, 2}}},
                   {{kT, {2, 8, 2}}},
                   along(1, 0),
                   2,
                   {},
                   true});
  cases.push_back({"broadcast",
                   OpKind::Broadcast,
                   {{kT, {3, 5}}},
                   {{kT, {3, 4, 5}}},
                   dims({1}),
                   2,
                   {},
                   true});
  // Runs of 16 elements: 16 bytes move at once.
  auto exact = [&](const char *name, OpKind kind,
                   std::vector<TensorSpec> operands, TensorSpec result,
                   const AttributesT &a) {
    cases.push_back({std::string(name) + " in runs",
                     kind,
                     std::move(operands),
                     {std::move(result)},
                     a,
                     2,
                     {},
                     true});
  };
  exact("transpose", OpKind::Transpose, {{kT, {2, 3, 4, 16}}},
        {kT, {4, 2, 3, 16}}, dims({2, 0, 1, 3}));
  exact("transpose last moved", OpKind::Transpose, {{kT, {16, 3, 16}}},
        {kT, {3, 16, 16}}, dims({1, 2, 0}));
  exact("slice", OpKind::Slice, {{kT, {3, 8, 16}}}, {kT, {3, 4, 16}},
        along(1, 3));
  exact("slice last", OpKind::Slice, {{kT, {3, 40}}}, {kT, {3, 16}},
        along(1, 3));
  exact("pad slice", OpKind::PadSlice, {{kT, {3, 4, 16}}}, {kT, {3, 8, 16}},
        along(1, 3));
  exact("concat", OpKind::Concat, {{kT, {2, 3, 16}}, {kT, {2, 1, 16}}},
        {kT, {2, 4, 16}}, along(1, 0));
  exact("broadcast", OpKind::Broadcast, {{kT, {3, 16}}}, {kT, {3, 4, 16}},
        dims({1}));
  cases.push_back({"sum rows",
                   OpKind::ReduceSum,
                   {{kT, {400, 6}}},
                   {{kT, {6}}},
                   dims({0})});
  cases.push_back({"sum middle",
                   OpKind::ReduceSum,
                   {{kT, {3, 7, 5}}},
                   {{kT, {3, 5}}},
                   dims({1})});
  cases.push_back({"sum outer and last",
                   OpKind::ReduceSum,
                   {{kT, {3, 7, 5}}},
                   {{kT, {7}}},
                   dims({0, 2})});
  cases.push_back({"sum all",
                   OpKind::ReduceSum,
                   {{kT, {30, 50}}},
                   {{kT, {}}},
                   dims({0, 1})});
}

} // namespace ringi::cuda::test
