//===- CasesMovement.cpp - Data movement and sums, naively ----------------===//
//
// Part of Ringi. Index arithmetic one element at a time.
//
//===----------------------------------------------------------------------===//

#include "CaseFamilies.h"

#include <algorithm>

using namespace ringi;
using namespace ringi::test;

namespace {

/// Index of element `at` of a dense tensor.
std::vector<int64_t> indexOf(int64_t at, const std::vector<int64_t> &shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; at /= shape[d])
    index[d] = at % shape[d];
  return index;
}
int64_t placeOf(const std::vector<int64_t> &index,
                const std::vector<int64_t> &shape) {
  int64_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    at = at * shape[d] + index[d];
  return at;
}

Case move(const std::string &name, OpKind kind, ElementType type,
          std::vector<int64_t> from, std::vector<int64_t> to,
          std::function<void(Case &)> change) {
  Case c;
  c.name = name;
  c.kind = kind;
  c.operands = {randomTensor(type, std::move(from), 40)};
  c.results = {{type, std::move(to)}};
  change(c);
  return c;
}

void addTranspose(std::vector<Case> &cases, ElementType type,
                  std::vector<int64_t> shape, std::vector<int64_t> dims) {
  std::vector<int64_t> to;
  for (int64_t dim : dims)
    to.push_back(shape[dim]);
  cases.push_back(move("transpose", OpKind::Transpose, type, shape, to,
                       [&](Case &c) { c.attributes.dims = dims; }));
  cases.back().reference = [=](const std::vector<Tensor> &in) {
    Values out(1);
    for (int64_t at = 0; at < elementCount(to); ++at) {
      const std::vector<int64_t> index = indexOf(at, to);
      std::vector<int64_t> source(index.size());
      for (size_t d = 0; d < dims.size(); ++d)
        source[dims[d]] = index[d];
      out[0].push_back(in[0].values[placeOf(source, shape)]);
    }
    return out;
  };
}

void addSlices(std::vector<Case> &cases, ElementType type,
               std::vector<int64_t> whole, int64_t axis, int64_t start,
               int64_t size) {
  std::vector<int64_t> part = whole;
  part[axis] = size;
  const auto attributes = [&](Case &c) {
    c.attributes.axis = axis;
    c.attributes.start = start;
  };
  cases.push_back(move("slice", OpKind::Slice, type, whole, part, attributes));
  cases.back().reference = [=](const std::vector<Tensor> &in) {
    Values out(1);
    for (int64_t at = 0; at < elementCount(part); ++at) {
      std::vector<int64_t> index = indexOf(at, part);
      index[axis] += start;
      out[0].push_back(in[0].values[placeOf(index, whole)]);
    }
    return out;
  };
  cases.push_back(
      move("pad slice", OpKind::PadSlice, type, part, whole, attributes));
  cases.back().reference = [=](const std::vector<Tensor> &in) {
    Values out(1, std::vector<double>(elementCount(whole), 0.0));
    for (int64_t at = 0; at < elementCount(part); ++at) {
      std::vector<int64_t> index = indexOf(at, part);
      index[axis] += start;
      out[0][placeOf(index, whole)] = in[0].values[at];
    }
    return out;
  };
}

void addConcat(std::vector<Case> &cases, ElementType type,
               std::vector<int64_t> shape, int64_t axis,
               std::vector<int64_t> sizes) {
  Case c;
  c.name = "concat";
  c.kind = OpKind::Concat;
  c.attributes.axis = axis;
  shape[axis] = 0;
  for (int64_t size : sizes) {
    std::vector<int64_t> part = shape;
    part[axis] = size;
    c.operands.push_back(
        randomTensor(type, part, 50 + static_cast<unsigned>(size)));
  }
  for (int64_t size : sizes)
    shape[axis] += size;
  c.results = {{type, shape}};
  c.reference = [=](const std::vector<Tensor> &in) {
    Values out(1, std::vector<double>(elementCount(shape)));
    int64_t start = 0;
    for (const Tensor &part : in) {
      for (int64_t at = 0; at < elementCount(part.shape); ++at) {
        std::vector<int64_t> index = indexOf(at, part.shape);
        index[axis] += start;
        out[0][placeOf(index, shape)] = part.values[at];
      }
      start += part.shape[axis];
    }
    return out;
  };
  cases.push_back(c);
}

/// broadcast over `dims` of `full`, and its backward reduce_sum.
void addBroadcast(std::vector<Case> &cases, ElementType type,
                  std::vector<int64_t> full, std::vector<int64_t> dims) {
  std::vector<int64_t> kept, keptDims;
  for (int64_t d = 0; d < static_cast<int64_t>(full.size()); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) {
      kept.push_back(full[d]);
      keptDims.push_back(d);
    }
  const auto reducedPlace = [=](int64_t at) {
    const std::vector<int64_t> index = indexOf(at, full);
    std::vector<int64_t> small;
    for (int64_t d : keptDims)
      small.push_back(index[d]);
    return placeOf(small, kept);
  };
  const auto attributes = [&](Case &c) { c.attributes.dims = dims; };
  cases.push_back(
      move("broadcast", OpKind::Broadcast, type, kept, full, attributes));
  cases.back().reference = [=](const std::vector<Tensor> &in) {
    Values out(1);
    for (int64_t at = 0; at < elementCount(full); ++at)
      out[0].push_back(in[0].values[reducedPlace(at)]);
    return out;
  };
  cases.push_back(
      move("reduce sum", OpKind::ReduceSum, type, full, kept, attributes));
  cases.back().reference = [=](const std::vector<Tensor> &in) {
    Values out(1, std::vector<double>(elementCount(kept), 0.0));
    for (int64_t at = 0; at < elementCount(full); ++at)
      out[0][reducedPlace(at)] += in[0].values[at];
    return out;
  };
}

void addEmbedding(std::vector<Case> &cases, ElementType type,
                  ElementType idType) {
  const int64_t vocabulary = 61, columns = 70;
  const std::vector<int64_t> places = {5, 29};
  Tensor ids{idType, places, {}};
  for (int64_t p = 0; p < elementCount(places); ++p)
    ids.values.push_back(p * p % vocabulary / 2);
  Case c;
  c.name = "embedding";
  c.kind = OpKind::Embedding;
  c.operands = {ids, randomTensor(type, {vocabulary, columns}, 41)};
  c.results = {{type, {5, 29, columns}}};
  c.reference = [=](const std::vector<Tensor> &in) {
    Values out(1);
    for (double id : in[0].values)
      for (int64_t i = 0; i < columns; ++i)
        out[0].push_back(in[1].values[static_cast<int64_t>(id) * columns + i]);
    return out;
  };
  Case b;
  b.name = "embedding backward";
  b.kind = OpKind::EmbeddingBackward;
  b.operands = {randomTensor(type, {5, 29, columns}, 42), ids};
  b.results = {{type, {vocabulary, columns}}};
  b.reference = [=](const std::vector<Tensor> &in) {
    Values out(1, std::vector<double>(vocabulary * columns, 0.0));
    for (size_t p = 0; p < in[1].values.size(); ++p)
      for (int64_t i = 0; i < columns; ++i)
        out[0][static_cast<int64_t>(in[1].values[p]) * columns + i] +=
            in[0].values[p * columns + i];
    return out;
  };
  cases.push_back(c);
  cases.push_back(b);
}

} // namespace

void test::addMovementCases(std::vector<Case> &cases, ElementType type) {
  addTranspose(cases, type, {37, 53}, {1, 0});
  addTranspose(cases, type, {3, 35, 4, 16}, {0, 2, 1, 3});
  addTranspose(cases, type, {4, 19, 21}, {0, 2, 1});
  addTranspose(cases, type, {5, 6, 7}, {2, 1, 0});
  addTranspose(cases, type, {2, 3}, {0, 1});
  addTranspose(cases, type, {}, {});
  addSlices(cases, type, {7, 40, 3}, 1, 9, 17);
  addSlices(cases, type, {9, 300}, 0, 8, 1);
  addSlices(cases, type, {90, 301}, 1, 0, 100);
  addConcat(cases, type, {4, 0, 7}, 1, {3, 1, 9});
  addConcat(cases, type, {0, 7}, 0, {2, 5});
  addConcat(cases, type, {300, 0}, 1, {64, 64, 64});
  addBroadcast(cases, type, {150, 70}, {0});
  addBroadcast(cases, type, {15, 700}, {1});
  addBroadcast(cases, type, {6, 40, 33}, {0, 1});
  addBroadcast(cases, type, {6, 40, 33}, {1});
  addBroadcast(cases, type, {6, 4, 5, 3}, {0, 2});
  addBroadcast(cases, type, {130, 37, 2}, {0, 1, 2});
  addBroadcast(cases, type, {3, 2500}, {0});
  addBroadcast(cases, type, {8}, {});
  addEmbedding(cases, type, ElementType::I32);
  addEmbedding(cases, type, ElementType::I64);
}
