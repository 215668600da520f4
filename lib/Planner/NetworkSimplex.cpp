//===- NetworkSimplex.cpp - Minimum-cost flow on small networks -*- C++ -*-===//
//
// Part of Ringi. The tree is kept by parents and sibling lists; a pivot turns
// one path around and updates the prices of one subtree.
//
//===----------------------------------------------------------------------===//

#include "NetworkSimplex.h"

#include <algorithm>
#include <cmath>

using namespace ringi::planner;

NetworkSimplex::NetworkSimplex(std::vector<int64_t> supplies)
    : numNodes(int32_t(supplies.size())), supply(std::move(supplies)) {}

void NetworkSimplex::addArc(int32_t tail, int32_t head, int64_t limit,
                            double unitCost) {
  from.push_back(tail);
  to.push_back(head);
  capacity.push_back(limit);
  cost.push_back(unitCost);
}

void NetworkSimplex::attach(int32_t child, int32_t newParent) {
  parent[child] = newParent;
  nextSibling[child] = firstChild[newParent];
  previousSibling[child] = -1;
  if (firstChild[newParent] >= 0)
    previousSibling[firstChild[newParent]] = child;
  firstChild[newParent] = child;
}

void NetworkSimplex::detach(int32_t child) {
  if (previousSibling[child] >= 0)
    nextSibling[previousSibling[child]] = nextSibling[child];
  else
    firstChild[parent[child]] = nextSibling[child];
  if (nextSibling[child] >= 0)
    previousSibling[nextSibling[child]] = previousSibling[child];
}

int32_t NetworkSimplex::findEntering() {
  // Block pricing: the best of one block of arcs, blocks taken in turn.
  int32_t numArcs = int32_t(from.size());
  int32_t block = std::max<int32_t>(64, int32_t(std::sqrt(double(numArcs))));
  int32_t best = -1;
  double least = -tolerance;
  int32_t scanned = 0;
  for (int32_t count = 0; count < numArcs; ++count) {
    int32_t arc = searchFrom;
    if (++searchFrom == numArcs)
      searchFrom = 0;
    if (!inTree[arc] && capacity[arc] > 0) {
      double gain = flows[arc] == 0 ? reducedCost(arc) : -reducedCost(arc);
      if (gain < least) {
        least = gain;
        best = arc;
      }
    }
    if (++scanned == block) {
      if (best >= 0)
        return best;
      scanned = 0;
    }
  }
  return best;
}

void NetworkSimplex::pivot(int32_t entering) {
  // Flow is pushed around the cycle from `start` over the arc to `end`.
  bool grows = flows[entering] == 0;
  int32_t start = grows ? from[entering] : to[entering];
  int32_t end = grows ? to[entering] : from[entering];

  int32_t u = start, w = end;
  while (u != w)
    if (depth[u] >= depth[w])
      u = parent[u];
    else
      w = parent[w];
  int32_t join = u;

  // Strongly feasible bases: of the blocking arcs take the last one on the
  // cycle, beginning at the join and following the flow.
  int64_t least = capacity[entering];
  int32_t leaving = -1; // the node below the leaving arc
  bool onStartSide = false;
  for (u = start; u != join; u = parent[u]) {
    int32_t arc = parentArc[u];
    // Here the flow runs downwards, from parent to u.
    int64_t room = to[arc] == u ? capacity[arc] - flows[arc] : flows[arc];
    if (room < least) {
      least = room;
      leaving = u;
      onStartSide = true;
    }
  }
  for (u = end; u != join; u = parent[u]) {
    int32_t arc = parentArc[u];
    int64_t room = from[arc] == u ? capacity[arc] - flows[arc] : flows[arc];
    if (room <= least) {
      least = room;
      leaving = u;
      onStartSide = false;
    }
  }

  if (least > 0) {
    flows[entering] += grows ? least : -least;
    for (u = start; u != join; u = parent[u])
      flows[parentArc[u]] += to[parentArc[u]] == u ? least : -least;
    for (u = end; u != join; u = parent[u])
      flows[parentArc[u]] += from[parentArc[u]] == u ? least : -least;
  }
  if (leaving < 0)
    return; // the entering arc went from one of its limits to the other

  // Turn the path from the entering arc down to the leaving one around.
  int32_t child = onStartSide ? start : end;
  int32_t above = onStartSide ? end : start;
  int32_t root = child;
  inTree[entering] = 1;
  int32_t arc = entering;
  while (true) {
    int32_t oldParent = parent[child], oldArc = parentArc[child];
    detach(child);
    attach(child, above);
    parentArc[child] = arc;
    if (child == leaving) {
      inTree[oldArc] = 0;
      break;
    }
    above = child;
    arc = oldArc;
    child = oldParent;
  }
  // Depths and prices of what hangs below.
  stack.assign(1, root);
  while (!stack.empty()) {
    int32_t node = stack.back();
    stack.pop_back();
    int32_t up = parentArc[node];
    depth[node] = depth[parent[node]] + 1;
    price[node] =
        to[up] == node ? price[from[up]] + cost[up] : price[to[up]] - cost[up];
    for (int32_t next = firstChild[node]; next >= 0; next = nextSibling[next])
      stack.push_back(next);
  }
}

bool NetworkSimplex::solve(int64_t maxPivots) {
  int32_t root = numNodes, realArcs = int32_t(from.size());
  double most = 1;
  for (double c : cost)
    most = std::max(most, std::fabs(c));
  // A path of arcs never costs more than this.
  double penalty = most * double(numNodes + 1);
  tolerance = most * 1e-12;
  parent.assign(numNodes + 1, -1);
  parentArc.assign(numNodes + 1, -1);
  depth.assign(numNodes + 1, 0);
  firstChild.assign(numNodes + 1, -1);
  nextSibling.assign(numNodes + 1, -1);
  previousSibling.assign(numNodes + 1, -1);
  price.assign(numNodes + 1, 0);
  flows.assign(realArcs, 0);
  inTree.assign(realArcs, 0);
  for (int32_t node = 0; node < numNodes; ++node) {
    bool out = supply[node] >= 0;
    addArc(out ? node : root, out ? root : node, kUnlimited, penalty);
    flows.push_back(out ? supply[node] : -supply[node]);
    inTree.push_back(1);
    parentArc[node] = int32_t(from.size()) - 1;
    depth[node] = 1;
    price[node] = out ? -penalty : penalty;
    attach(node, root);
  }
  for (int64_t i = 0; i < maxPivots; ++i) {
    int32_t entering = findEntering();
    if (entering < 0)
      break;
    pivot(entering);
  }
  for (int32_t node = 0; node < numNodes; ++node)
    if (flows[realArcs + node] > 0)
      return false;
  return true;
}
