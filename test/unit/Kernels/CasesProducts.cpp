//===- CasesProducts.cpp - Matmul and attention, naively ------------------===//
//
// Part of Ringi. Triple loops and the quadratic matrix.
//
//===----------------------------------------------------------------------===//

#include "CaseFamilies.h"

#include <cmath>

using namespace ringi;
using namespace ringi::test;

namespace {

double gelu(double x, bool tanhForm) {
  if (!tanhForm)
    return 0.5 * x * std::erfc(-x / std::sqrt(2));
  const double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

double geluSlope(double x, bool tanhForm) {
  if (!tanhForm)
    return 0.5 * std::erfc(-x / std::sqrt(2)) +
           x * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
  const double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  const double t = std::tanh(inner);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * std::sqrt(2 / M_PI) *
                             (1 + 3 * 0.044715 * x * x);
}

struct MatmulShape {
  const char *name;
  /// Leading dimensions of a and b, then m, n, k.
  std::vector<int64_t> aBatch, bBatch;
  int64_t m, n, k;
  bool transposeA, transposeB, bias;
};

void addMatmul(std::vector<Case> &cases, ElementType type,
               const MatmulShape &s) {
  const auto matrix = [](std::vector<int64_t> batch, int64_t rows,
                         int64_t columns, bool transposed) {
    batch.push_back(transposed ? columns : rows);
    batch.push_back(transposed ? rows : columns);
    return batch;
  };
  Case c;
  c.name = std::string("matmul ") + s.name;
  c.kind = OpKind::Matmul;
  c.attributes.transpose_a = s.transposeA;
  c.attributes.transpose_b = s.transposeB;
  c.operands = {
      randomTensor(type, matrix(s.aBatch, s.m, s.k, s.transposeA), 20),
      randomTensor(type, matrix(s.bBatch, s.k, s.n, s.transposeB), 21)};
  if (s.bias)
    c.operands.push_back(randomTensor(type, {s.n}, 22));
  c.results = {{type, matrix(s.aBatch, s.m, s.n, false)}};
  c.reference = [s](const std::vector<Tensor> &in) {
    const int64_t batch = elementCount(s.aBatch);
    Values out(1);
    for (int64_t i = 0; i < batch; ++i) {
      const double *a = in[0].values.data() + i * s.m * s.k;
      const double *b =
          in[1].values.data() + (s.bBatch.empty() ? 0 : i * s.k * s.n);
      for (int64_t r = 0; r < s.m; ++r)
        for (int64_t c = 0; c < s.n; ++c) {
          double sum = s.bias ? in[2].values[c] : 0;
          for (int64_t p = 0; p < s.k; ++p)
            sum += a[s.transposeA ? p * s.m + r : r * s.k + p] *
                   b[s.transposeB ? c * s.k + p : p * s.n + c];
          out[0].push_back(sum);
        }
    }
    return out;
  };
  cases.push_back(c);
}

/// The fused products, each as its reference's product and a loop.
void addFused(std::vector<Case> &cases, ElementType type, bool tanhForm) {
  const size_t first = cases.size();
  addMatmul(cases, type, {"gelu", {3}, {}, 11, 40, 21, false, false, true});
  addMatmul(cases, type,
            {"gelu backward", {3}, {}, 11, 40, 21, false, true, false});
  Case &forward = cases[first], &backward = cases[first + 1];
  forward.kind = OpKind::MatmulGelu;
  backward.kind = OpKind::MatmulGeluBackward;
  forward.results.push_back(forward.results[0]);
  backward.operands.push_back(
      randomTensor(type, backward.results[0].shape, 40));
  for (Case *c : {&forward, &backward}) {
    c->name += tanhForm ? " tanh" : " erf";
    c->attributes.approximate_tanh = tanhForm;
  }
  forward.reference =
      [=, product = forward.reference](const std::vector<Tensor> &in) {
        Values out = product(in);
        out.insert(out.begin(), out[0]);
        for (double &x : out[0])
          x = gelu(rounded(type, x), tanhForm);
        return out;
      };
  backward.reference =
      [=, product = backward.reference](const std::vector<Tensor> &in) {
        Values out = product(in);
        for (size_t i = 0; i < out[0].size(); ++i)
          out[0][i] =
              rounded(type, out[0][i]) * geluSlope(in[2].values[i], tanhForm);
        return out;
      };
}

void addBiasGradient(std::vector<Case> &cases, ElementType type, bool sumA) {
  addMatmul(cases, type,
            {"bias gradient", {}, {}, 24, 19, 300, true, false, false});
  Case &c = cases.back();
  c.name += sumA ? " of a" : " of b";
  c.kind = OpKind::MatmulBiasGradient;
  c.attributes = {};
  c.attributes.sum_a = sumA;
  const int64_t columns = sumA ? 24 : 19;
  c.results.push_back({type, {columns}});
  c.reference = [=, product = c.reference](const std::vector<Tensor> &in) {
    Values out = product(in);
    out.emplace_back(columns);
    const std::vector<double> &rows = in[sumA ? 0 : 1].values;
    for (size_t i = 0; i < rows.size(); ++i)
      out[1][i % columns] += rows[i];
    return out;
  };
}

struct AttentionShape {
  int64_t matrices, queries, keys, width;
  bool causal;
};

/// Probabilities [matrices][queries][keys] and the log-sum-exp of each row.
std::pair<std::vector<double>, std::vector<double>>
scores(const AttentionShape &s, double factor, const Tensor &q,
       const Tensor &k) {
  std::vector<double> p(s.matrices * s.queries * s.keys), lse;
  for (int64_t row = 0; row < s.matrices * s.queries; ++row) {
    const int64_t matrix = row / s.queries, i = row % s.queries;
    const int64_t end = s.causal ? i + s.keys - s.queries + 1 : s.keys;
    double sum = 0;
    for (int64_t j = 0; j < end; ++j) {
      double dot = 0;
      for (int64_t d = 0; d < s.width; ++d)
        dot += q.values[row * s.width + d] *
               k.values[(matrix * s.keys + j) * s.width + d];
      p[row * s.keys + j] = std::exp(factor * dot);
      sum += p[row * s.keys + j];
    }
    for (int64_t j = 0; j < end; ++j)
      p[row * s.keys + j] /= sum;
    lse.push_back(std::log(sum));
  }
  return {p, lse};
}

void addAttention(std::vector<Case> &cases, ElementType type,
                  const AttentionShape &s) {
  const double factor = 0.3125;
  const std::vector<int64_t> query = {1, s.matrices, s.queries, s.width};
  const std::vector<int64_t> key = {1, s.matrices, s.keys, s.width};
  const std::vector<int64_t> row = {1, s.matrices, s.queries};
  Case c;
  c.name = s.causal ? "causal attention " : "attention ";
  c.name += std::to_string(s.queries) + "x" + std::to_string(s.keys);
  c.kind = OpKind::Attention;
  c.attributes.causal = s.causal;
  c.attributes.factor = factor;
  c.operands = {randomTensor(type, query, 30), randomTensor(type, key, 31),
                randomTensor(type, key, 32)};
  c.results = {{type, query}, {statistics(type), row}};
  c.reference = [=](const std::vector<Tensor> &in) {
    const auto [p, lse] = scores(s, factor, in[0], in[1]);
    Values out = {std::vector<double>(in[0].values.size()), lse};
    for (int64_t r = 0; r < s.matrices * s.queries; ++r)
      for (int64_t j = 0; j < s.keys; ++j)
        for (int64_t d = 0; d < s.width; ++d)
          out[0][r * s.width + d] +=
              p[r * s.keys + j] *
              in[2].values[(r / s.queries * s.keys + j) * s.width + d];
    return out;
  };
  Case b = c;
  b.name += " backward";
  b.kind = OpKind::AttentionBackward;
  const Values saved = c.reference(c.operands);
  b.operands.insert(b.operands.begin(), randomTensor(type, query, 33));
  b.operands.push_back({type, query, saved[0]});
  b.operands.push_back({statistics(type), row, saved[1]});
  for (Tensor &operand : b.operands)
    for (double &value : operand.values)
      value = rounded(operand.type, value);
  b.results = {{type, query}, {type, key}, {type, key}};
  b.reference = [=](const std::vector<Tensor> &in) {
    const Tensor &dout = in[0], &q = in[1], &k = in[2], &v = in[3], &o = in[4];
    const auto [p, lse] = scores(s, factor, q, k);
    Values out = {std::vector<double>(q.values.size()),
                  std::vector<double>(k.values.size()),
                  std::vector<double>(k.values.size())};
    for (int64_t r = 0; r < s.matrices * s.queries; ++r) {
      double delta = 0;
      for (int64_t d = 0; d < s.width; ++d)
        delta += dout.values[r * s.width + d] * o.values[r * s.width + d];
      for (int64_t j = 0; j < s.keys; ++j) {
        const int64_t at = (r / s.queries * s.keys + j) * s.width;
        const double weight = p[r * s.keys + j];
        double dp = 0;
        for (int64_t d = 0; d < s.width; ++d)
          dp += dout.values[r * s.width + d] * v.values[at + d];
        const double ds = weight * (dp - delta) * factor;
        for (int64_t d = 0; d < s.width; ++d) {
          out[0][r * s.width + d] += ds * k.values[at + d];
          out[1][at + d] += ds * q.values[r * s.width + d];
          out[2][at + d] += weight * dout.values[r * s.width + d];
        }
      }
    }
    return out;
  };
  cases.push_back(c);
  cases.push_back(b);
}

} // namespace

void test::addProductCases(std::vector<Case> &cases, ElementType type) {
  for (const MatmulShape &shape : {
           MatmulShape{"plain", {}, {}, 7, 9, 13, false, false, false},
           MatmulShape{"one", {}, {}, 1, 1, 1, false, false, true},
           MatmulShape{"two depths", {}, {}, 37, 33, 300, false, false, true},
           MatmulShape{"at b", {}, {}, 45, 50, 70, true, false, false},
           MatmulShape{"a bt", {}, {}, 45, 50, 70, false, true, true},
           MatmulShape{"at bt", {}, {}, 19, 23, 31, true, true, false},
           MatmulShape{"rows", {3, 5}, {}, 11, 40, 21, false, false, true},
           MatmulShape{"rows bt", {2, 5}, {}, 11, 40, 21, false, true, false},
           MatmulShape{"batch", {2, 3}, {2, 3}, 5, 19, 70, false, false, false},
           MatmulShape{"batch at", {6}, {6}, 25, 19, 40, true, false, false},
           MatmulShape{"batch bt", {6}, {6}, 25, 19, 40, false, true, true},
           MatmulShape{
               "packed twice", {}, {}, 301, 70, 20, false, false, false},
           MatmulShape{"wide", {}, {}, 13, 1100, 20, false, true, true},
       })
    addMatmul(cases, type, shape);
  for (bool flag : {false, true}) {
    addFused(cases, type, flag);
    addBiasGradient(cases, type, flag);
  }
  addAttention(cases, type, {2, 21, 21, 8, true});
  addAttention(cases, type, {3, 7, 12, 5, false});
  addAttention(cases, type, {2, 9, 30, 16, true});
  // More than one block of queries and of keys.
  addAttention(cases, type, {2, 290, 290, 4, true});
}
