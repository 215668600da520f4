//===- MinCut.cpp - Minimum cut with capacities that grow -------*- C++ -*-===//
//
// Part of Ringi. Dinic's algorithm (1970): blocking flows along shortest paths.
// Arcs lie grouped by tail, and nothing recurses, so that a step of a million
// ops stays within a few sweeps over memory.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/MinCut.h"

#include <algorithm>
#include <cassert>

using namespace ringi::planner;

MinCut::Arc MinCut::addArc(Node from, Node to, int64_t capacity) {
  assert(!built && "arcs are added before the first solve");
  tails.push_back(from);
  heads.push_back(to);
  capacities.push_back(capacity);
  return Arc(tails.size() - 1);
}

void MinCut::build() {
  built = true;
  int32_t numArcs = int32_t(tails.size());
  begin.assign(numNodes + 1, 0);
  for (int32_t arc = 0; arc < numArcs; ++arc) {
    ++begin[tails[arc] + 1];
    ++begin[heads[arc] + 1];
  }
  for (int32_t node = 0; node < numNodes; ++node)
    begin[node + 1] += begin[node];
  std::vector<int32_t> fill(begin.begin(), begin.end() - 1);
  target.resize(2 * numArcs);
  twin.resize(2 * numArcs);
  residual.assign(2 * numArcs, 0);
  position.resize(numArcs);
  for (int32_t arc = 0; arc < numArcs; ++arc) {
    int32_t forward = fill[tails[arc]]++, backward = fill[heads[arc]]++;
    target[forward] = heads[arc];
    target[backward] = tails[arc];
    twin[forward] = backward;
    twin[backward] = forward;
    residual[forward] = capacities[arc];
    position[arc] = forward;
  }
  std::vector<Node>().swap(tails);
  std::vector<Node>().swap(heads);
  level.resize(numNodes);
  current.resize(numNodes);
  reached.resize(numNodes);
}

void MinCut::setCapacity(Arc arc, int64_t capacity) {
  int64_t change = capacity - capacities[arc];
  capacities[arc] = capacity;
  if (!built || change == 0)
    return;
  int32_t at = position[arc];
  residual[at] += change;
  if (residual[at] >= 0)
    return;
  // The flow no longer fits: forget all of it.
  value = 0;
  for (int32_t other = 0; other < int32_t(position.size()); ++other) {
    residual[position[other]] = capacities[other];
    residual[twin[position[other]]] = 0;
  }
}

void MinCut::restoreFlow(const Flow &flow) {
  residual = flow.residual;
  capacities = flow.capacities;
  value = flow.value;
}

bool MinCut::computeLevels(Node source, Node sink) {
  std::fill(level.begin(), level.end(), -1);
  queue.clear();
  queue.push_back(sink);
  level[sink] = 0;
  for (size_t next = 0; next < queue.size(); ++next) {
    Node node = queue[next];
    // Nodes beyond the source's level lie on no shortest path.
    if (level[source] >= 0 && level[node] >= level[source])
      break;
    for (int32_t at = begin[node]; at < begin[node + 1]; ++at) {
      Node from = target[at];
      if (level[from] < 0 && residual[twin[at]] > 0) {
        level[from] = level[node] + 1;
        queue.push_back(from);
      }
    }
  }
  return level[source] >= 0;
}

int64_t MinCut::blockingFlow(Node source, Node sink) {
  std::copy(begin.begin(), begin.end() - 1, current.begin());
  std::vector<int32_t> path;
  int64_t total = 0;
  Node node = source;
  while (true) {
    if (node == sink) {
      int64_t least = kUnlimited * 2;
      size_t cut = 0;
      for (size_t i = 0; i < path.size(); ++i)
        if (residual[path[i]] < least) {
          least = residual[path[i]];
          cut = i;
        }
      for (int32_t at : path) {
        residual[at] -= least;
        residual[twin[at]] += least;
      }
      total += least;
      if (total >= kUnlimited)
        return total;
      // Go on from the tail of the first arc that is full.
      node = target[twin[path[cut]]];
      path.resize(cut);
      continue;
    }
    int32_t &at = current[node];
    for (; at < begin[node + 1]; ++at)
      if (residual[at] > 0 && level[target[at]] == level[node] - 1)
        break;
    if (at < begin[node + 1]) {
      path.push_back(at);
      node = target[at];
      continue;
    }
    if (path.empty())
      return total;
    level[node] = -1;
    node = target[twin[path.back()]];
    path.pop_back();
  }
}

void MinCut::markReached(Node source) {
  std::fill(reached.begin(), reached.end(), uint8_t(0));
  queue.clear();
  queue.push_back(source);
  reached[source] = 1;
  for (size_t next = 0; next < queue.size(); ++next)
    for (int32_t at = begin[queue[next]]; at < begin[queue[next] + 1]; ++at)
      if (residual[at] > 0 && !reached[target[at]]) {
        reached[target[at]] = 1;
        queue.push_back(target[at]);
      }
}

int64_t MinCut::solve(Node source, Node sink) {
  if (!built)
    build();
  while (value < kUnlimited && computeLevels(source, sink))
    value += blockingFlow(source, sink);
  markReached(source);
  return value;
}
