//===- GapBound.cpp - A lower bound from gaps between uses ------*- C++ -*-===//
//
// Part of Ringi. With f = bytes x dropped the covering rows have consecutive
// ones, so subtracting neighbours leaves a network: one node per row, an arc
// per gap, an arc back per row for what is dropped beyond need. Any prices of
// the rows give a valid bound, so the simplex may stop early and its
// arithmetic need not be exact.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/GapBound.h"

#include "FlatProblem.h"
#include "NetworkSimplex.h"

#include <algorithm>
#include <cmath>

namespace ringi::planner {

namespace {

/// Larger graphs get one row only: there the snapshot bound is as good in a
/// tenth of the time.
constexpr int32_t kMaxGaps = 20'000, kMaxOps = 5'000;

/// A value that may be absent at ops [first, last] for a recompute of `cost`.
struct Gap {
  OpIndex first, last;
  int64_t bytes;
  double cost;
};

struct GapModel {
  std::vector<Gap> gaps;
  /// Bytes above the budget at each op when nothing is dropped.
  std::vector<int64_t> excess;
  /// Of the bytes at each op those that cannot be dropped.
  std::vector<int64_t> forced;
};

GapModel buildModel(const FlatProblem &flat, int64_t budget) {
  GapModel model;
  std::vector<int64_t> all(flat.numOps + 1, 0), fixed(flat.numOps + 1, 0);
  for (StorageIndex s = 0; s < flat.numStorages; ++s) {
    if (flat.persistent[s] || flat.bytes[s] == 0)
      continue;
    OpIndex producer = flat.producer[s];
    bool droppable = producer != kNone && flat.rerunnable[producer];
    double share = 0;
    if (droppable) {
      // Results of one op may come back together: they share its cost.
      double sum = 0;
      for (StorageIndex other : flat.outputs(producer))
        sum += double(flat.bytes[other]);
      share = flat.cost[producer] * (double(flat.bytes[s]) / sum);
    }
    IndexRange readers = flat.readers(s);
    for (int32_t i = 0; i <= readers.size(); ++i) {
      if (i == readers.size() && !flat.output[s])
        break;
      OpIndex from = i == 0 ? producer : readers[i - 1];
      OpIndex to = i < readers.size() ? readers[i] : flat.numOps;
      // An op that may overwrite the value does not count it among its own.
      OpIndex first = from != kNone && i > 0 && flat.mayOverwrite(from, s)
                          ? from
                          : from + 1;
      OpIndex last = to - 1;
      if (first > last)
        continue;
      all[first] += flat.bytes[s];
      all[last + 1] -= flat.bytes[s];
      if (droppable) {
        model.gaps.push_back({first, last, flat.bytes[s], share});
      } else {
        fixed[first] += flat.bytes[s];
        fixed[last + 1] -= flat.bytes[s];
      }
    }
  }
  model.excess.resize(flat.numOps);
  model.forced.resize(flat.numOps);
  int64_t now = 0, nowFixed = 0;
  for (OpIndex op = 0; op < flat.numOps; ++op) {
    now += all[op];
    nowFixed += fixed[op];
    int64_t own = flat.persistentBytes + flat.runBytes(op);
    model.excess[op] = own + now - budget;
    model.forced[op] = own + nowFixed;
  }
  return model;
}

/// sum of prices x excess - sum over gaps of max(0, price of the gap x bytes -
/// cost), rounded down.
double evaluatePrices(const GapModel &model, const std::vector<OpIndex> &rows,
                      const std::vector<double> &prices,
                      const std::vector<int32_t> &rowsBefore) {
  std::vector<long double> sum(rows.size() + 1, 0);
  long double value = 0, size = 0;
  for (size_t k = 0; k < rows.size(); ++k) {
    sum[k + 1] = sum[k] + prices[k];
    long double term = (long double)(prices[k]) * model.excess[rows[k]];
    value += term;
    size += std::fabs(term);
  }
  for (const Gap &gap : model.gaps) {
    int32_t from = rowsBefore[gap.first], to = rowsBefore[gap.last + 1];
    long double price = sum[to] - sum[from];
    long double over = price * gap.bytes - gap.cost;
    size += (sum[to] + sum[from]) * 1e-6L * gap.bytes;
    if (over > 0) {
      value -= over;
      size += price * gap.bytes;
    }
  }
  return double(value - size * 1e-13L);
}

CostBound solveLinear(const GapModel &model) {
  CostBound bound;
  int32_t numOps = int32_t(model.excess.size());
  std::vector<OpIndex> rows;
  std::vector<int32_t> rowsBefore(numOps + 1, 0);
  OpIndex worst = kNone;
  for (OpIndex op = 0; op < numOps; ++op) {
    rowsBefore[op] = int32_t(rows.size());
    if (model.excess[op] > 0) {
      rows.push_back(op);
      if (worst == kNone || model.excess[op] > model.excess[worst])
        worst = op;
    }
  }
  rowsBefore[numOps] = int32_t(rows.size());
  if (rows.empty())
    return bound;
  bound.stage = worst;
  std::vector<int64_t> supply(rows.size() + 1, 0);
  for (size_t k = 0; k < rows.size(); ++k) {
    supply[k] += model.excess[rows[k]];
    supply[k + 1] -= model.excess[rows[k]];
  }
  NetworkSimplex simplex(supply);
  for (const Gap &gap : model.gaps) {
    int32_t from = rowsBefore[gap.first], to = rowsBefore[gap.last + 1];
    if (from < to)
      simplex.addArc(from, to, gap.bytes, gap.cost / double(gap.bytes));
  }
  for (size_t k = 0; k < rows.size(); ++k)
    simplex.addArc(int32_t(k) + 1, int32_t(k), NetworkSimplex::kUnlimited, 0);
  if (!simplex.solve(int64_t(rows.size() + model.gaps.size()) * 50))
    return bound;
  std::vector<double> prices(rows.size());
  for (size_t k = 0; k < rows.size(); ++k)
    prices[k] = std::max(0.0, simplex.potential(int32_t(k) + 1) -
                                  simplex.potential(int32_t(k)));
  bound.cost = std::max(0.0, evaluatePrices(model, rows, prices, rowsBefore));
  return bound;
}

/// The least cost of dropping at least `need` bytes out of some values.
class Covering {
public:
  Covering(std::vector<std::pair<double, int64_t>> values)
      : items(std::move(values)) {
    std::sort(items.begin(), items.end(), [](const auto &a, const auto &b) {
      double left = a.first * double(b.second);
      double right = b.first * double(a.second);
      return left != right ? left < right : a.second > b.second;
    });
    bytes.assign(1, 0);
    costs.assign(1, 0);
    for (const auto &[cost, size] : items) {
      bytes.push_back(bytes.back() + size);
      costs.push_back(costs.back() + cost);
    }
  }

  /// The linear relaxation over items [from, end); infinite when too few.
  double relax(size_t from, int64_t need) const {
    if (need <= 0)
      return 0;
    auto at =
        std::lower_bound(bytes.begin() + from, bytes.end(), bytes[from] + need);
    if (at == bytes.end())
      return HUGE_VAL;
    size_t last = size_t(at - bytes.begin()) - 1;
    int64_t rest = bytes[from] + need - bytes[last];
    return costs[last] - costs[from] +
           items[last].first * (double(rest) / double(items[last].second));
  }

  /// The optimum, or the relaxation when `nodes` run out on the way. Stops
  /// early when a solution no dearer than `enough` exists, which it returns.
  double solve(int64_t need, double enough, int64_t &nodes) const {
    double best = HUGE_VAL;
    struct Frame {
      size_t next;
      double cost;
      int64_t need;
    };
    std::vector<Frame> stack = {{0, 0, need}};
    while (!stack.empty()) {
      Frame frame = stack.back();
      stack.pop_back();
      if (frame.need <= 0) {
        best = std::min(best, frame.cost);
        if (best <= enough)
          return best;
        continue;
      }
      if (frame.next == items.size() ||
          !(frame.cost + relax(frame.next, frame.need) < best * (1 - 1e-12)))
        continue;
      if (--nodes < 0)
        return relax(0, need);
      stack.push_back({frame.next + 1, frame.cost, frame.need});
      stack.push_back({frame.next + 1, frame.cost + items[frame.next].first,
                       frame.need - items[frame.next].second});
    }
    return best;
  }

private:
  std::vector<std::pair<double, int64_t>> items;
  std::vector<int64_t> bytes;
  std::vector<double> costs;
};

Covering coveringAt(const GapModel &model, OpIndex op) {
  std::vector<std::pair<double, int64_t>> items;
  for (const Gap &gap : model.gaps)
    if (gap.first <= op && op <= gap.last)
      items.push_back({gap.cost, gap.bytes});
  return Covering(std::move(items));
}

} // namespace

CostBound computeGapBound(const Problem &problem, int64_t budget,
                          int64_t nodeLimit) {
  FlatProblem flat(problem);
  GapModel model = buildModel(flat, budget);
  CostBound bound;
  bool small = int32_t(model.gaps.size()) <= kMaxGaps && flat.numOps <= kMaxOps;
  std::vector<std::pair<int64_t, OpIndex>> worst;
  for (OpIndex op = 0; op < flat.numOps; ++op) {
    if (model.forced[op] > budget) {
      bound.infeasible = true;
      bound.stage = op;
      bound.boundClass = BoundClass::GapFixed;
      return bound;
    }
    if (model.excess[op] > 0)
      worst.push_back({-model.excess[op], op});
  }
  if (small)
    bound = solveLinear(model);
  bound.boundClass = BoundClass::GapFixed;
  // Single ops, exactly; those with the highest relaxations first.
  std::sort(worst.begin(), worst.end());
  if (worst.size() > (small ? 400u : 1u))
    worst.resize(small ? 400 : 1);
  std::vector<std::pair<double, OpIndex>> rows;
  for (auto [excess, op] : worst)
    rows.push_back({-coveringAt(model, op).relax(0, -excess), op});
  std::sort(rows.begin(), rows.end());
  if (rows.size() > 40)
    rows.resize(40);
  for (auto [relaxed, op] : rows) {
    if (nodeLimit <= 0 && -relaxed <= bound.cost)
      break;
    double value =
        coveringAt(model, op).solve(model.excess[op], bound.cost, nodeLimit);
    if (value == HUGE_VAL)
      continue;
    value *= 1 - 1e-12;
    if (value > bound.cost) {
      bound.cost = value;
      bound.stage = op;
    }
  }
  if (bound.cost == 0)
    bound.stage = kNone;
  return bound;
}

} // namespace ringi::planner
