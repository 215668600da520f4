//===- CasesRows.cpp - Elementwise and row ops, naively -------------------===//
//
// Part of Ringi. References in f64, straight from docs/operations.md.
//
//===----------------------------------------------------------------------===//

#include "CaseFamilies.h"

#include <cmath>

using namespace ringi;
using namespace ringi::test;

namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double pdf(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }
double tanhForm(double x) {
  return std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
}

Case unary(const char *name, OpKind kind, ElementType type, Unary function) {
  Case c;
  c.name = name;
  c.kind = kind;
  c.operands = {randomTensor(type, {3, 1025}, 1)};
  for (double &value : c.operands[0].values)
    value = rounded(type, 6 * value);
  c.results = {{type, {3, 1025}}};
  c.reference = [function](const std::vector<Tensor> &in) {
    Values out(1);
    for (double x : in[0].values)
      out[0].push_back(function(x));
    return out;
  };
  c.inPlace = {{0, 0}};
  return c;
}

Case binary(const char *name, OpKind kind, ElementType type,
            std::vector<int64_t> a, std::vector<int64_t> b, Binary function) {
  Case c;
  c.name = name;
  c.kind = kind;
  c.operands = {randomTensor(type, a, 2), randomTensor(type, b, 3)};
  for (double &value : c.operands[1].values)
    value = rounded(type, 3 * value);
  c.results = {{type, a}};
  c.reference = [function](const std::vector<Tensor> &in) {
    Values out(1);
    for (size_t i = 0; i < in[0].values.size(); ++i)
      out[0].push_back(
          function(in[0].values[i], in[1].values[i % in[1].values.size()]));
    return out;
  };
  c.inPlace = {{0, 0}};
  return c;
}

/// Largest column of a row that a causal softmax sees, plus one.
int64_t visible(bool causal, int64_t row, int64_t rows, int64_t columns) {
  return causal ? row + columns - rows + 1 : columns;
}

Values softmaxReference(const Tensor &x, bool causal) {
  const int64_t columns = x.shape.back();
  const int64_t rows = x.shape.size() > 1 ? x.shape[x.shape.size() - 2] : 1;
  Values out(1, std::vector<double>(x.values.size(), 0.0));
  for (int64_t r = 0; r < elementCount(x.shape) / columns; ++r) {
    const int64_t end = visible(causal, r % rows, rows, columns);
    double top = -INFINITY, sum = 0;
    for (int64_t c = 0; c < end; ++c)
      top = std::max(top, x.values[r * columns + c]);
    for (int64_t c = 0; c < end; ++c)
      sum += std::exp(x.values[r * columns + c] - top);
    for (int64_t c = 0; c < end; ++c)
      out[0][r * columns + c] = std::exp(x.values[r * columns + c] - top) / sum;
  }
  return out;
}

Tensor roundedTo(ElementType type, std::vector<int64_t> shape,
                 std::vector<double> values) {
  for (double &value : values)
    value = rounded(type, value);
  return {type, std::move(shape), std::move(values)};
}

void addSoftmax(std::vector<Case> &cases, ElementType type, bool causal,
                std::vector<int64_t> shape) {
  Case c;
  c.name = causal ? "causal softmax" : "softmax";
  c.kind = OpKind::Softmax;
  c.attributes.causal = causal;
  c.operands = {randomTensor(type, shape, 4)};
  for (double &value : c.operands[0].values)
    value = rounded(type, 5 * value);
  c.results = {{type, shape}};
  c.reference = [causal](const std::vector<Tensor> &in) {
    return softmaxReference(in[0], causal);
  };
  c.inPlace = {{0, 0}};
  Case b = c;
  b.name += " backward";
  b.kind = OpKind::SoftmaxBackward;
  b.operands = {
      randomTensor(type, shape, 5),
      roundedTo(type, shape, softmaxReference(c.operands[0], causal)[0])};
  b.reference = [](const std::vector<Tensor> &in) {
    const int64_t columns = in[0].shape.back();
    Values out(1, std::vector<double>(in[0].values.size()));
    for (size_t start = 0; start < in[0].values.size(); start += columns) {
      double dot = 0;
      for (int64_t i = 0; i < columns; ++i)
        dot += in[0].values[start + i] * in[1].values[start + i];
      for (int64_t i = 0; i < columns; ++i)
        out[0][start + i] =
            in[1].values[start + i] * (in[0].values[start + i] - dot);
    }
    return out;
  };
  cases.push_back(c);
  cases.push_back(b);
}

/// Layer norm when `centred`, else root-mean-square norm.
void addNorm(std::vector<Case> &cases, ElementType type, bool centred,
             std::vector<int64_t> shape) {
  const int64_t columns = shape.back();
  const int64_t rows = elementCount(shape) / columns;
  std::vector<int64_t> rowShape(shape.begin(), shape.end() - 1);
  const double epsilon = 1e-5;
  const auto stats = [=](const std::vector<double> &x, int64_t r) {
    double mean = 0, square = 0;
    for (int64_t i = 0; centred && i < columns; ++i)
      mean += x[r * columns + i] / columns;
    for (int64_t i = 0; i < columns; ++i)
      square += std::pow(x[r * columns + i] - mean, 2) / columns;
    return std::pair(mean, 1 / std::sqrt(square + epsilon));
  };
  Case c;
  c.name = centred ? "layer norm" : "rms norm";
  c.kind = centred ? OpKind::LayerNorm : OpKind::RmsNorm;
  c.attributes.epsilon = epsilon;
  c.operands = {randomTensor(type, shape, 6), randomTensor(type, {columns}, 7)};
  c.results = {{type, shape}};
  if (centred) {
    c.operands.push_back(randomTensor(type, {columns}, 8));
    c.results.push_back({statistics(type), rowShape});
  }
  c.results.push_back({statistics(type), rowShape});
  c.reference = [=](const std::vector<Tensor> &in) {
    Values out(centred ? 3 : 2);
    for (int64_t r = 0; r < rows; ++r) {
      const auto [mean, rstd] = stats(in[0].values, r);
      for (int64_t i = 0; i < columns; ++i)
        out[0].push_back((in[0].values[r * columns + i] - mean) * rstd *
                             in[1].values[i] +
                         (centred ? in[2].values[i] : 0));
      if (centred)
        out[1].push_back(mean);
      out.back().push_back(rstd);
    }
    return out;
  };
  c.inPlace = {{0, 0}};

  Case b;
  b.name = c.name + " backward";
  b.kind = centred ? OpKind::LayerNormBackward : OpKind::RmsNormBackward;
  b.attributes.epsilon = epsilon;
  b.operands = {randomTensor(type, shape, 9), c.operands[0], c.operands[1]};
  const Values saved = c.reference(c.operands);
  if (centred)
    b.operands.push_back(roundedTo(statistics(type), rowShape, saved[1]));
  b.operands.push_back(roundedTo(statistics(type), rowShape, saved.back()));
  b.results = {{type, shape}, {type, {columns}}};
  if (centred)
    b.results.push_back({type, {columns}});
  b.reference = [=](const std::vector<Tensor> &in) {
    Values out(centred ? 3 : 2);
    out[0].resize(rows * columns);
    out[1].resize(columns);
    if (centred)
      out[2].resize(columns);
    for (int64_t r = 0; r < rows; ++r) {
      const double mean = centred ? in[3].values[r] : 0;
      const double rstd = in.back().values[r];
      double sum = 0, dot = 0;
      for (int64_t i = 0; i < columns; ++i) {
        const int64_t at = r * columns + i;
        const double dy = in[0].values[at];
        const double hat = (in[1].values[at] - mean) * rstd;
        out[1][i] += dy * hat;
        if (centred) {
          out[2][i] += dy;
          sum += dy * in[2].values[i];
        }
        dot += dy * in[2].values[i] * hat;
      }
      for (int64_t i = 0; i < columns; ++i) {
        const int64_t at = r * columns + i;
        const double hat = (in[1].values[at] - mean) * rstd;
        out[0][at] = rstd * (in[0].values[at] * in[2].values[i] -
                             sum / columns - hat * dot / columns);
      }
    }
    return out;
  };
  b.inPlace = {{0, 0}};
  cases.push_back(c);
  cases.push_back(b);
}

double logSumExp(const Tensor &x, int64_t row) {
  const int64_t columns = x.shape.back();
  double top = -INFINITY, sum = 0;
  for (int64_t i = 0; i < columns; ++i)
    top = std::max(top, x.values[row * columns + i]);
  for (int64_t i = 0; i < columns; ++i)
    sum += std::exp(x.values[row * columns + i] - top);
  return top + std::log(sum);
}

void addLosses(std::vector<Case> &cases, ElementType type) {
  const int64_t rows = 37, columns = 1031;
  const ElementType s = statistics(type);
  Tensor targets{ElementType::I32, {rows}, {}};
  for (int64_t r = 0; r < rows; ++r)
    targets.values.push_back(r * 131 % columns);
  Case c;
  c.name = "cross entropy";
  c.kind = OpKind::CrossEntropy;
  c.operands = {randomTensor(type, {rows, columns}, 10), targets};
  c.results = {{s, {}}, {s, {rows}}};
  c.reference = [=](const std::vector<Tensor> &in) {
    Values out(2);
    double loss = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const double lse = logSumExp(in[0], r);
      out[1].push_back(lse);
      const int64_t target = static_cast<int64_t>(in[1].values[r]);
      loss += (lse - in[0].values[r * columns + target]) / rows;
    }
    out[0] = {loss};
    return out;
  };
  Case b;
  b.name = "cross entropy backward";
  b.kind = OpKind::CrossEntropyBackward;
  b.operands = {roundedTo(s, {}, {0.75}), c.operands[0], targets,
                roundedTo(s, {rows}, c.reference(c.operands)[1])};
  b.operands[2].type = ElementType::I64;
  b.results = {{type, {rows, columns}}};
  b.reference = [=](const std::vector<Tensor> &in) {
    Values out(1);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < columns; ++i)
        out[0].push_back(
            (std::exp(in[1].values[r * columns + i] - in[3].values[r]) -
             (in[2].values[r] == i)) *
            in[0].values[0] / rows);
    return out;
  };
  b.inPlace = {{0, 1}};
  cases.push_back(c);
  cases.push_back(b);

  Case m;
  m.name = "mse";
  m.kind = OpKind::Mse;
  m.operands = {randomTensor(type, {41, 333}, 11),
                randomTensor(type, {41, 333}, 12)};
  m.results = {{s, {}}};
  m.reference = [](const std::vector<Tensor> &in) {
    double sum = 0;
    for (size_t i = 0; i < in[0].values.size(); ++i)
      sum += std::pow(in[0].values[i] - in[1].values[i], 2);
    return Values{{sum / in[0].values.size()}};
  };
  Case d = m;
  d.name = "mse backward";
  d.kind = OpKind::MseBackward;
  d.operands.insert(d.operands.begin(), roundedTo(s, {}, {1.5}));
  d.results = {{type, {41, 333}}};
  d.reference = [](const std::vector<Tensor> &in) {
    Values out(1);
    for (size_t i = 0; i < in[1].values.size(); ++i)
      out[0].push_back(2 * (in[1].values[i] - in[2].values[i]) *
                       in[0].values[0] / in[1].values.size());
    return out;
  };
  d.inPlace = {{0, 1}};
  cases.push_back(m);
  cases.push_back(d);
}

} // namespace

void test::addElementwiseCases(std::vector<Case> &cases, ElementType type) {
  cases.push_back(unary("relu", OpKind::Relu, type,
                        [](double x) { return x > 0 ? x : 0; }));
  cases.push_back(
      unary("gelu", OpKind::Gelu, type, [](double x) { return x * cdf(x); }));
  cases.push_back(unary("gelu tanh", OpKind::Gelu, type, [](double x) {
    return 0.5 * x * (1 + std::tanh(tanhForm(x)));
  }));
  cases.back().attributes.approximate_tanh = true;
  cases.push_back(unary("silu", OpKind::Silu, type,
                        [](double x) { return x * sigmoid(x); }));
  cases.push_back(
      unary("tanh", OpKind::Tanh, type, [](double x) { return std::tanh(x); }));
  cases.push_back(unary("sigmoid", OpKind::Sigmoid, type, sigmoid));
  cases.push_back(
      unary("exp", OpKind::Exp, type, [](double x) { return std::exp(x); }));
  cases.push_back(unary("scale", OpKind::Scale, type,
                        [](double x) { return x * 0.37109375; }));
  cases.back().attributes.factor = 0.37109375;

  const std::vector<int64_t> shape = {2, 3, 701};
  for (auto [name, b] :
       {std::pair("same", shape), std::pair("row", std::vector<int64_t>{701}),
        std::pair("matrix", std::vector<int64_t>{3, 701}),
        std::pair("scalar", std::vector<int64_t>{})}) {
    cases.push_back(binary((std::string("add ") + name).c_str(), OpKind::Add,
                           type, shape, b,
                           [](double a, double b) { return a + b; }));
    cases.push_back(binary((std::string("mul ") + name).c_str(), OpKind::Mul,
                           type, shape, b,
                           [](double a, double b) { return a * b; }));
  }
  cases.push_back(binary("add short rows", OpKind::Add, type, {700, 5}, {5},
                         [](double a, double b) { return a + b; }));
  const auto backward = [&](const char *name, OpKind kind, Binary function) {
    cases.push_back(binary(name, kind, type, shape, shape, function));
    cases.back().inPlace.push_back({0, 1});
  };
  backward("relu backward", OpKind::ReluBackward,
           [](double dy, double y) { return y > 0 ? dy : 0; });
  backward("gelu backward", OpKind::GeluBackward,
           [](double dy, double x) { return dy * (cdf(x) + x * pdf(x)); });
  backward("gelu tanh backward", OpKind::GeluBackward, [](double dy, double x) {
    const double t = std::tanh(tanhForm(x));
    const double slope = std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
    return dy * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope);
  });
  cases.back().attributes.approximate_tanh = true;
  backward("silu backward", OpKind::SiluBackward, [](double dy, double x) {
    return dy * (sigmoid(x) + x * sigmoid(x) * (1 - sigmoid(x)));
  });
  backward("tanh backward", OpKind::TanhBackward,
           [](double dy, double y) { return dy * (1 - y * y); });
  backward("sigmoid backward", OpKind::SigmoidBackward,
           [](double dy, double y) { return dy * y * (1 - y); });

  Case fill;
  fill.name = "fill";
  fill.kind = OpKind::Fill;
  fill.attributes.factor = -1.25;
  fill.results = {{type, {3, 701}}};
  fill.reference = [](const std::vector<Tensor> &) {
    return Values{std::vector<double>(3 * 701, -1.25)};
  };
  cases.push_back(fill);
}

void test::addRowCases(std::vector<Case> &cases, ElementType type) {
  addSoftmax(cases, type, false, {5, 1500});
  addSoftmax(cases, type, false, {3, 7, 33});
  addSoftmax(cases, type, true, {2, 67, 67});
  addSoftmax(cases, type, true, {3, 20, 41});
  addSoftmax(cases, type, false, {9});
  for (bool centred : {true, false}) {
    addNorm(cases, type, centred, {3, 131, 67});
    addNorm(cases, type, centred, {7, 1300});
    addNorm(cases, type, centred, {5});
  }
  addLosses(cases, type);
}
