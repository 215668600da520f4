//===- BlockDetection.cpp - The forward phase as a chain of blocks --------===//
//
// Part of Ringi. One sweep finds what crosses each position; blocks are then
// compared by a hash over their ops with operands named relative to the block.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/BlockDetection.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace ringi::planner {

namespace {

class Detection {
public:
  explicit Detection(const Problem &problem) : problem(problem) {
    const OpIndex n = OpIndex(problem.ops.size());
    while (forwardEnd < n && problem.ops[forwardEnd].phase == Phase::Forward)
      ++forwardEnd;
    lastForwardReader.assign(problem.storages.size(), kNone);
    for (OpIndex op = 0; op < forwardEnd; ++op)
      for (StorageIndex s : problem.ops[op].inputs)
        lastForwardReader[s] = op;
  }

  Chain run(int32_t maxBlocks) {
    Chain chain;
    if (problem.ops.empty())
      return chain;
    measureCrossings();
    std::vector<OpIndex> cuts = singleValueCuts();
    if (tooCoarse(cuts))
      cuts = lightCuts(cuts);
    if (maxBlocks > 0)
      thinOut(cuts, maxBlocks);
    makeBlocks(chain, cuts);
    assignSections(chain);
    nameKinds(chain);
    return chain;
  }

private:
  /// Per position p the number and bytes of storages computed before p and read
  /// by forward ops at or after p.
  void measureCrossings() {
    count.assign(size_t(forwardEnd) + 1, 0);
    bytes.assign(size_t(forwardEnd) + 1, 0);
    made.assign(size_t(forwardEnd) + 1, 0);
    for (size_t s = 0; s < problem.storages.size(); ++s) {
      const Storage &storage = problem.storages[s];
      OpIndex from = storage.producer, to = lastForwardReader[s];
      if (from == kNone || from >= forwardEnd)
        continue;
      made[from + 1] += storage.bytes;
      if (to <= from)
        continue;
      count[from + 1] += 1;
      count[to + 1] -= 1;
      // What must be recomputed cannot be kept over a boundary.
      if (storage.mark == Mark::MustRecompute) {
        count[from + 1] += kForbidden;
        count[to + 1] -= kForbidden;
      }
      bytes[from + 1] += storage.bytes;
      bytes[to + 1] -= storage.bytes;
    }
    for (size_t p = 1; p < count.size(); ++p) {
      count[p] += count[p - 1];
      bytes[p] += bytes[p - 1];
      made[p] += made[p - 1];
    }
  }

  std::vector<OpIndex> singleValueCuts() const {
    std::vector<OpIndex> cuts;
    for (OpIndex p = 1; p < forwardEnd; ++p)
      if (count[p] <= 1)
        cuts.push_back(p);
    return cuts;
  }

  /// Fewer than four blocks, or one of them makes half of all bytes.
  bool tooCoarse(const std::vector<OpIndex> &cuts) const {
    if (cuts.size() < 3)
      return true;
    int64_t largest = 0;
    for (size_t i = 0; i <= cuts.size(); ++i)
      largest = std::max(largest, made[i < cuts.size() ? cuts[i] : forwardEnd] -
                                      (i > 0 ? made[cuts[i - 1]] : 0));
    return largest > made[forwardEnd] / 2;
  }

  /// The given cuts and every other position at which fewer bytes cross than at
  /// its neighbours.
  std::vector<OpIndex> lightCuts(const std::vector<OpIndex> &given) const {
    std::vector<OpIndex> cuts = given;
    int64_t before = bytes[0];
    for (OpIndex p = 1; p < forwardEnd; ++p) {
      bool light = bytes[p] <= before && bytes[p] < bytes[p + 1];
      if (light && count[p] > 1 && count[p] < kForbidden)
        cuts.push_back(p);
      before = bytes[p];
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  }

  /// Keeps the lightest cut of each of `maxBlocks` - 1 equal stretches of
  /// bytes.
  void thinOut(std::vector<OpIndex> &cuts, int32_t maxBlocks) const {
    if (int64_t(cuts.size()) < maxBlocks)
      return;
    std::vector<OpIndex> kept;
    for (int32_t k = 1; k < maxBlocks; ++k) {
      auto bound = [&](int32_t part) {
        size_t i = size_t((__int128)part * cuts.size() / (maxBlocks - 1));
        return cuts.begin() + std::min(i, cuts.size());
      };
      auto best =
          std::min_element(bound(k - 1), bound(k), [&](OpIndex a, OpIndex b) {
            return bytes[a] < bytes[b];
          });
      if (best != bound(k))
        kept.push_back(*best);
    }
    cuts = kept;
  }

  void makeBlocks(Chain &chain, const std::vector<OpIndex> &cuts) {
    chain.blocks.resize(cuts.size() + 1);
    blockOf.assign(problem.ops.size(), kNone);
    OpIndex op = 0;
    for (size_t k = 0; k <= cuts.size(); ++k)
      for (OpIndex end = k < cuts.size() ? cuts[k] : forwardEnd; op < end;
           ++op) {
        chain.blocks[k].forward.push_back(op);
        blockOf[op] = int32_t(k);
      }
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
      OpIndex from = problem.storages[s].producer, to = lastForwardReader[s];
      if (from == kNone || to == kNone || blockOf[from] == kNone)
        continue;
      for (int32_t k = blockOf[from] + 1; k <= blockOf[to]; ++k)
        chain.blocks[k].boundary.push_back(s);
    }
    for (const ChainBlock &block : chain.blocks)
      chain.singleValue &= block.boundary.size() <= 1;
  }

  void assignSections(Chain &chain) {
    int32_t section = 0;
    for (OpIndex op = OpIndex(problem.ops.size()); op-- > forwardEnd;) {
      for (StorageIndex s : problem.ops[op].inputs) {
        OpIndex producer = problem.storages[s].producer;
        if (producer == kNone || blockOf[producer] == kNone)
          continue;
        // A boundary belongs to the blocks that it enters.
        OpIndex reader = lastForwardReader[s];
        int32_t needed = blockOf[producer];
        if (reader != kNone && blockOf[reader] > needed)
          ++needed;
        section = std::max(section, needed);
      }
      chain.blocks[section].backward.push_back(op);
    }
    for (ChainBlock &block : chain.blocks)
      std::reverse(block.backward.begin(), block.backward.end());
  }

  static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
  }

  /// A block's shape: everything planning looks at, with results numbered in
  /// order of appearance and other operands by their bytes.
  uint64_t shapeOf(const ChainBlock &block) const {
    uint64_t hash = 0;
    std::unordered_map<StorageIndex, uint64_t> local;
    for (StorageIndex s : block.boundary)
      local.emplace(s, local.size());
    for (const std::vector<OpIndex> *ops : {&block.forward, &block.backward})
      for (OpIndex v : *ops) {
        const Op &op = problem.ops[v];
        uint64_t cost;
        std::memcpy(&cost, &op.cost, sizeof(cost));
        hash = mix(hash, cost);
        hash = mix(hash, uint64_t(op.workspace));
        hash = mix(hash, uint64_t(op.opClass) * 2 + op.recomputable);
        for (StorageIndex s : op.inputs) {
          auto found = local.find(s);
          hash = mix(hash, found != local.end() ? found->second : ~0ull);
          hash = mix(hash, uint64_t(problem.storages[s].bytes));
        }
        for (StorageIndex s : op.outputs) {
          local.emplace(s, local.size());
          hash = mix(hash, uint64_t(problem.storages[s].bytes) * 8 +
                               uint64_t(problem.storages[s].mark) * 2 +
                               problem.storages[s].output);
        }
      }
    return hash;
  }

  void nameKinds(Chain &chain) {
    std::unordered_map<uint64_t, int32_t> kinds;
    for (ChainBlock &block : chain.blocks)
      block.kind =
          kinds.emplace(shapeOf(block), int32_t(kinds.size())).first->second;
  }

  static constexpr int64_t kForbidden = int64_t(1) << 40;

  const Problem &problem;
  OpIndex forwardEnd = 0;
  std::vector<OpIndex> lastForwardReader;
  std::vector<int64_t> count, bytes, made;
  std::vector<int32_t> blockOf;
};

} // namespace

Chain detectChain(const Problem &problem, int32_t maxBlocks) {
  return Detection(problem).run(maxBlocks);
}

} // namespace ringi::planner
