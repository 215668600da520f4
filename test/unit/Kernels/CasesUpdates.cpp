//===- CasesUpdates.cpp - Optimizer updates, naively ----------------------===//
//
// Part of Ringi. The formulas of docs/operations.md in f64.
//
//===----------------------------------------------------------------------===//

#include "CaseFamilies.h"

#include <cmath>

using namespace ringi;
using namespace ringi::test;

namespace {

constexpr int64_t kCount = 2500;

Tensor scalar(ElementType type, double value) {
  return {type, {}, {rounded(type, value)}};
}

Case update(const char *name, OpKind kind, ElementType type) {
  Case c;
  c.name = name;
  c.kind = kind;
  c.attributes.weight_decay = 0.125;
  c.operands = {randomTensor(type, {kCount}, 60),
                randomTensor(type, {kCount}, 61)};
  c.results = {{type, {kCount}}};
  c.inPlace = {{0, 0}};
  return c;
}

} // namespace

void test::addUpdateCases(std::vector<Case> &cases, ElementType type) {
  const ElementType s = statistics(type);
  const double rate = 0.0625;
  Case sgd = update("sgd", OpKind::Sgd, type);
  sgd.operands.push_back(scalar(s, rate));
  sgd.reference = [=](const std::vector<Tensor> &in) {
    Values out(1);
    for (int64_t i = 0; i < kCount; ++i) {
      const double p = in[0].values[i];
      out[0].push_back(p - rate * (in[1].values[i] + 0.125 * p));
    }
    return out;
  };
  cases.push_back(sgd);

  for (bool nesterov : {false, true}) {
    Case c = update(nesterov ? "nesterov" : "momentum", OpKind::Momentum, type);
    c.attributes.momentum = 0.875;
    c.attributes.nesterov = nesterov;
    c.operands.push_back(randomTensor(s, {kCount}, 62));
    c.operands.push_back(scalar(s, rate));
    c.results.push_back({s, {kCount}});
    c.reference = [=](const std::vector<Tensor> &in) {
      Values out(2);
      for (int64_t i = 0; i < kCount; ++i) {
        const double p = in[0].values[i];
        const double g = in[1].values[i] + 0.125 * p;
        const double b = 0.875 * in[2].values[i] + g;
        out[0].push_back(p - rate * (nesterov ? g + 0.875 * b : b));
        out[1].push_back(b);
      }
      return out;
    };
    c.inPlace.push_back({1, 2});
    cases.push_back(c);
  }

  for (bool master : {false, true}) {
    Case c =
        update(master ? "adamw with master" : "adamw", OpKind::AdamW, type);
    c.attributes.beta1 = 0.9;
    c.attributes.beta2 = 0.95;
    c.attributes.epsilon = 1e-6;
    c.operands.push_back(randomTensor(s, {kCount}, 63));
    c.operands.push_back(randomTensor(s, {kCount}, 64));
    for (double &v : c.operands[3].values)
      v = std::fabs(v) + 0.01;
    for (double &v : c.operands[3].values)
      v = rounded(s, v);
    c.operands.push_back({ElementType::I64, {}, {3}});
    c.operands.push_back(scalar(s, rate));
    c.results.push_back({s, {kCount}});
    c.results.push_back({s, {kCount}});
    c.inPlace.push_back({1, 2});
    c.inPlace.push_back({2, 3});
    if (master) {
      c.operands.push_back(randomTensor(s, {kCount}, 65));
      c.results.push_back({s, {kCount}});
      c.inPlace.push_back({3, 6});
    }
    c.reference = [=](const std::vector<Tensor> &in) {
      Values out(master ? 4 : 3);
      for (int64_t i = 0; i < kCount; ++i) {
        double p = in[master ? 6 : 0].values[i];
        const double g = in[1].values[i];
        const double m = 0.9 * in[2].values[i] + 0.1 * g;
        const double v = 0.95 * in[3].values[i] + 0.05 * g * g;
        p -= rate * 0.125 * p;
        p -= rate / (1 - std::pow(0.9, 3)) * m /
             (std::sqrt(v) / std::sqrt(1 - std::pow(0.95, 3)) + 1e-6);
        out[0].push_back(p);
        out[1].push_back(m);
        out[2].push_back(v);
        if (master)
          out[3].push_back(p);
      }
      return out;
    };
    cases.push_back(c);
  }
}

ElementType test::statistics(ElementType type) {
  return type == ElementType::F64 ? ElementType::F64 : ElementType::F32;
}

std::vector<Case> test::allCases(ElementType type) {
  std::vector<Case> cases;
  addElementwiseCases(cases, type);
  addRowCases(cases, type);
  addProductCases(cases, type);
  addMovementCases(cases, type);
  addUpdateCases(cases, type);
  return cases;
}
