//===- ChainModel.cpp - What a chain's blocks cost and hold ---------------===//
//
// Part of Ringi. Options follow Rockmate's idea (Zhao et al. 2023) of several
// points per block, found here without an integer program: keep what is dear
// per byte, or what the end of the block computes.
//
//===----------------------------------------------------------------------===//

#include "ChainModel.h"

#include <algorithm>

namespace ringi::planner {

namespace {

/// Thresholds tried per block for each family of options.
constexpr size_t kDensities = 6, kPositions = 4;

} // namespace

ChainModel::ChainModel(const Problem &problem, const Chain &chain)
    : problem(problem), chain(chain) {
  blockOf.assign(problem.ops.size(), kNone);
  for (int32_t k = 0; k < numBlocks(); ++k)
    for (OpIndex op : chain.blocks[k].forward)
      blockOf[op] = k;
  for (const Op &op : problem.ops) {
    bool again = op.recomputable;
    for (StorageIndex s : op.outputs)
      again &= problem.storages[s].mark != Mark::MustKeep;
    for (const InPlacePair &pair : op.inPlace)
      again &= !pair.required;
    mayRunAgain.push_back(again);
  }
  stamp.assign(problem.storages.size(), 0);
  lastUse.assign(problem.storages.size(), kNone);
  findAlwaysThere();
  measureRest();
  blockOptions.resize(chain.blocks.size());
  for (int32_t k = 0; k < numBlocks(); ++k) {
    bare.push_back(measure(k, {}));
    makeOptions(k);
  }
}

bool ChainModel::isBoundary(StorageIndex storage, int32_t block) const {
  const std::vector<StorageIndex> &list = chain.blocks[block].boundary;
  return std::binary_search(list.begin(), list.end(), storage);
}

void ChainModel::findAlwaysThere() {
  const size_t m = problem.storages.size();
  lastRestReader.assign(m, kNone);
  lastForwardReader.assign(m, kNone);
  alwaysThere.assign(m, false);
  for (OpIndex op = 0; op < OpIndex(problem.ops.size()); ++op)
    for (StorageIndex s : problem.ops[op].inputs)
      (blockOf[op] == kNone ? lastRestReader : lastForwardReader)[s] = op;
  for (size_t s = 0; s < m; ++s) {
    OpIndex producer = problem.storages[s].producer;
    alwaysThere[s] = producer == kNone || blockOf[producer] == kNone ||
                     !mayRunAgain[producer] || problem.storages[s].output;
  }
  for (int32_t k = 0; k < numBlocks(); ++k)
    for (OpIndex op : chain.blocks[k].backward)
      for (StorageIndex s : problem.ops[op].inputs)
        if (!alwaysThere[s] && blockOf[problem.storages[s].producer] != k &&
            !isBoundary(s, k) &&
            problem.storages[s].mark != Mark::MustRecompute)
          alwaysThere[s] = true;
  boundaries.assign(chain.blocks.size(), 0);
  for (int32_t k = 0; k < numBlocks(); ++k)
    for (StorageIndex s : chain.blocks[k].boundary)
      if (!alwaysThere[s])
        boundaries[k] += problem.storages[s].bytes;
}

/// Walks the rest in order for what is resident at the start of each section.
void ChainModel::measureRest() {
  int64_t level = 0;
  for (size_t s = 0; s < problem.storages.size(); ++s) {
    OpIndex producer = problem.storages[s].producer;
    bool forward = producer != kNone && blockOf[producer] != kNone;
    if (producer == kNone ||
        (forward && alwaysThere[s] &&
         (lastRestReader[s] != kNone || problem.storages[s].output)))
      level += problem.storages[s].bytes;
  }
  held.assign(chain.blocks.size(), 0);
  for (int32_t k = numBlocks(); k-- > 0;) {
    held[k] = level;
    for (OpIndex v : chain.blocks[k].backward) {
      for (StorageIndex s : problem.ops[v].outputs)
        if (lastRestReader[s] != kNone || problem.storages[s].output)
          level += problem.storages[s].bytes;
      for (StorageIndex s : problem.ops[v].inputs) {
        OpIndex producer = problem.storages[s].producer;
        if (producer != kNone && blockOf[producer] == kNone &&
            lastRestReader[s] == v && !problem.storages[s].output)
          level -= problem.storages[s].bytes;
      }
    }
  }
}

void ChainModel::appendForward(int32_t block, const ChainOption &option,
                               bool all, std::vector<OpIndex> &schedule) const {
  const std::vector<OpIndex> &ops = chain.blocks[block].forward;
  if (all) {
    schedule.insert(schedule.end(), ops.begin(), ops.end());
    return;
  }
  std::vector<StorageIndex> wanted = option.kept;
  if (block + 1 < numBlocks())
    for (StorageIndex s : chain.blocks[block + 1].boundary)
      wanted.push_back(s);
  std::sort(wanted.begin(), wanted.end());
  std::vector<OpIndex> chosen;
  for (size_t i = ops.size(); i-- > 0;) {
    const Op &op = problem.ops[ops[i]];
    bool needed = false;
    for (StorageIndex s : op.outputs)
      needed |= !alwaysThere[s] &&
                std::binary_search(wanted.begin(), wanted.end(), s);
    if (!needed || !mayRunAgain[ops[i]])
      continue;
    chosen.push_back(ops[i]);
    size_t before = wanted.size();
    for (StorageIndex s : op.inputs)
      if (!std::binary_search(wanted.begin(), wanted.begin() + before, s))
        wanted.push_back(s);
    std::sort(wanted.begin() + before, wanted.end());
    std::inplace_merge(wanted.begin(), wanted.begin() + before, wanted.end());
  }
  schedule.insert(schedule.end(), chosen.rbegin(), chosen.rend());
}

void ChainModel::appendSection(int32_t block, const ChainOption &option,
                               std::vector<OpIndex> &schedule) {
  ++currentStamp;
  for (const std::vector<StorageIndex> *list :
       {&option.kept, &chain.blocks[block].boundary})
    for (StorageIndex s : *list)
      if (problem.storages[s].mark != Mark::MustRecompute)
        stamp[s] = currentStamp;
  for (OpIndex op : chain.blocks[block].backward) {
    for (StorageIndex s : problem.ops[op].inputs)
      ensure(s, schedule);
    schedule.push_back(op);
  }
}

/// Appends what it takes to have the storage in memory.
void ChainModel::ensure(StorageIndex storage, std::vector<OpIndex> &schedule) {
  auto there = [&](StorageIndex s) {
    return alwaysThere[s] || stamp[s] == currentStamp;
  };
  if (there(storage))
    return;
  struct Frame {
    OpIndex op;
    size_t next;
  };
  std::vector<Frame> stack = {{problem.storages[storage].producer, 0}};
  while (!stack.empty()) {
    Frame &frame = stack.back();
    const Op &op = problem.ops[frame.op];
    if (frame.next < op.inputs.size()) {
      StorageIndex s = op.inputs[frame.next++];
      if (!there(s))
        stack.push_back({problem.storages[s].producer, 0});
      continue;
    }
    schedule.push_back(frame.op);
    for (StorageIndex s : op.outputs)
      stamp[s] = currentStamp;
    stack.pop_back();
  }
}

/// Those of `kept` that the section, given them, reads.
std::vector<StorageIndex>
ChainModel::usefulOf(int32_t block, const std::vector<StorageIndex> &kept) {
  ChainOption option;
  option.kept = kept;
  std::vector<OpIndex> ops;
  appendSection(block, option, ops);
  std::vector<StorageIndex> read;
  for (OpIndex op : ops)
    for (StorageIndex s : problem.ops[op].inputs)
      read.push_back(s);
  std::sort(read.begin(), read.end());
  std::vector<StorageIndex> useful;
  for (StorageIndex s : kept)
    if (std::binary_search(read.begin(), read.end(), s))
      useful.push_back(s);
  return useful;
}

ChainOption ChainModel::measure(int32_t block, std::vector<StorageIndex> kept) {
  std::sort(kept.begin(), kept.end());
  ChainOption option;
  option.kept = std::move(kept);
  for (StorageIndex s : option.kept)
    if (!isBoundary(s, block))
      option.keptBytes += problem.storages[s].bytes;
  if (block + 1 < numBlocks())
    for (StorageIndex s : chain.blocks[block + 1].boundary)
      if (!alwaysThere[s] && !isBoundary(s, block) &&
          !std::binary_search(option.kept.begin(), option.kept.end(), s))
        option.boundaryBytes += problem.storages[s].bytes;
  measureForward(block, option);
  measureSection(block, option);
  return option;
}

void ChainModel::measureForward(int32_t block, ChainOption &option) {
  std::vector<OpIndex> ops;
  appendForward(block, option, false, ops);
  for (size_t i = 0; i < ops.size(); ++i)
    for (StorageIndex s : problem.ops[ops[i]].inputs)
      lastUse[s] = int32_t(i);
  auto stays = [&](StorageIndex s) {
    return alwaysThere[s] ||
           (block + 1 < numBlocks() && isBoundary(s, block + 1)) ||
           std::binary_search(option.kept.begin(), option.kept.end(), s);
  };
  int64_t level = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    const Op &op = problem.ops[ops[i]];
    option.forwardCost += op.cost;
    for (StorageIndex s : op.outputs)
      level += alwaysThere[s] ? 0 : problem.storages[s].bytes;
    option.forwardPeak = std::max(option.forwardPeak, level + op.workspace);
    for (StorageIndex s : op.outputs)
      if (!stays(s) && lastUse[s] == kNone)
        level -= problem.storages[s].bytes;
    for (StorageIndex s : op.inputs)
      if (!stays(s) && lastUse[s] == int32_t(i) &&
          blockOf[problem.storages[s].producer] == block)
        level -= problem.storages[s].bytes;
  }
  for (OpIndex op : ops)
    for (StorageIndex s : problem.ops[op].inputs)
      lastUse[s] = kNone;
}

void ChainModel::measureSection(int32_t block, ChainOption &option) {
  std::vector<OpIndex> ops;
  appendSection(block, option, ops);
  for (size_t i = 0; i < ops.size(); ++i)
    for (StorageIndex s : problem.ops[ops[i]].inputs)
      lastUse[s] = int32_t(i);
  int64_t level = held[block] + option.keptBytes;
  option.sectionPeak = level;
  for (size_t i = 0; i < ops.size(); ++i) {
    const Op &op = problem.ops[ops[i]];
    const bool rest = blockOf[ops[i]] == kNone;
    option.sectionCost += rest ? 0 : op.cost;
    for (StorageIndex s : op.outputs)
      level += rest || !alwaysThere[s] ? problem.storages[s].bytes : 0;
    option.sectionPeak = std::max(option.sectionPeak, level + op.workspace);
    for (StorageIndex s : op.outputs)
      if (rest ? lastRestReader[s] == kNone && !problem.storages[s].output
               : !alwaysThere[s] && lastUse[s] == kNone)
        level -= problem.storages[s].bytes;
    for (StorageIndex s : op.inputs) {
      OpIndex producer = problem.storages[s].producer;
      if (producer == kNone)
        continue;
      bool dies = blockOf[producer] == kNone
                      ? rest && lastRestReader[s] == ops[i] &&
                            !problem.storages[s].output
                      : !alwaysThere[s] && lastUse[s] == int32_t(i) &&
                            !isBoundary(s, block);
      if (dies)
        level -= problem.storages[s].bytes;
    }
  }
  for (OpIndex op : ops)
    for (StorageIndex s : problem.ops[op].inputs)
      lastUse[s] = kNone;
}

void ChainModel::makeOptions(int32_t block) {
  // What the section recomputes when nothing is kept is what may be kept.
  std::vector<OpIndex> ops;
  appendSection(block, bare[block], ops);
  struct Candidate {
    StorageIndex storage;
    double density;
    size_t position;
  };
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < ops.size(); ++i)
    if (blockOf[ops[i]] == block)
      for (StorageIndex s : problem.ops[ops[i]].outputs)
        if (!alwaysThere[s] && problem.storages[s].mark != Mark::MustRecompute)
          candidates.push_back(
              {s,
               problem.ops[ops[i]].cost / double(problem.storages[s].bytes + 1),
               size_t(ops[i])});
  std::vector<ChainOption> found;
  auto add = [&](auto &&keeps) {
    std::vector<StorageIndex> kept;
    for (const Candidate &candidate : candidates)
      if (keeps(candidate))
        kept.push_back(candidate.storage);
    found.push_back(measure(block, usefulOf(block, kept)));
  };
  add([](const Candidate &) { return true; });
  found.push_back(bare[block]);
  std::vector<double> densities;
  std::vector<size_t> positions;
  for (const Candidate &candidate : candidates) {
    densities.push_back(candidate.density);
    positions.push_back(candidate.position);
  }
  auto sample = [](auto &values, size_t limit) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::remove_reference_t<decltype(values)> sampled;
    for (size_t i = 1; i <= limit && !values.empty(); ++i)
      sampled.push_back(values[values.size() * i / (limit + 1)]);
    sampled.erase(std::unique(sampled.begin(), sampled.end()), sampled.end());
    return sampled;
  };
  for (double density : sample(densities, kDensities))
    add([&](const Candidate &c) { return c.density > density; });
  for (size_t position : sample(positions, kPositions))
    add([&](const Candidate &c) { return c.position >= position; });

  // Pareto: an option as good in every figure makes another superfluous.
  std::stable_sort(found.begin(), found.end(),
                   [](const ChainOption &a, const ChainOption &b) {
                     return a.keptBytes + a.boundaryBytes >
                            b.keptBytes + b.boundaryBytes;
                   });
  auto covers = [](const ChainOption &a, const ChainOption &b) {
    return a.keptBytes + a.boundaryBytes <= b.keptBytes + b.boundaryBytes &&
           a.forwardPeak <= b.forwardPeak && a.sectionPeak <= b.sectionPeak &&
           a.forwardCost + a.sectionCost <= b.forwardCost + b.sectionCost;
  };
  for (size_t i = 0; i < found.size(); ++i) {
    bool superfluous = false;
    for (size_t j = 0; j < found.size(); ++j)
      superfluous |= j != i && covers(found[j], found[i]) &&
                     (j > i || !covers(found[i], found[j]));
    if (!superfluous)
      blockOptions[block].push_back(found[i]);
  }
}

} // namespace ringi::planner
