//===- FlatProblem.cpp - A problem in flat arrays ---------------*- C++ -*-===//
//
// Part of Ringi. One pass over the ops, one over the storages.
//
//===----------------------------------------------------------------------===//

#include "FlatProblem.h"

#include <algorithm>

using namespace ringi::planner;

FlatProblem::FlatProblem(const Problem &source)
    : problem(&source), numOps(int32_t(source.ops.size())),
      numStorages(int32_t(source.storages.size())) {
  producer.resize(numStorages);
  bytes.resize(numStorages);
  persistent.resize(numStorages);
  output.resize(numStorages);
  std::vector<uint8_t> inPersistent(numStorages, 0);
  for (StorageIndex s = 0; s < numStorages; ++s) {
    const Storage &storage = source.storages[s];
    producer[s] = storage.producer;
    persistent[s] = inPersistent[s] = storage.persistent;
    output[s] = storage.output;
    bytes[s] = storage.persistent ? 0 : storage.bytes;
    if (storage.persistent)
      persistentBytes += storage.bytes;
  }

  cost.resize(numOps);
  workspace.resize(numOps);
  rerunnable.resize(numOps);
  inputBegin.assign(1, 0);
  outputBegin.assign(1, 0);
  pairBegin.assign(1, 0);
  readerBegin.assign(numStorages + 1, 0);
  firstBackward = numOps;
  for (OpIndex v = 0; v < numOps; ++v) {
    const Op &op = source.ops[v];
    cost[v] = op.cost;
    totalCost += op.cost;
    workspace[v] = op.workspace;
    rerunnable[v] = op.recomputable;
    if (op.phase != Phase::Forward)
      firstBackward = std::min(firstBackward, v);
    for (StorageIndex s : op.inputs) {
      inputIndex.push_back(s);
      ++readerBegin[s + 1];
    }
    for (StorageIndex s : op.outputs) {
      outputIndex.push_back(s);
      if (source.storages[s].mark == Mark::MustKeep)
        rerunnable[v] = 0;
    }
    for (const InPlacePair &pair : op.inPlace) {
      pairs.push_back(pair);
      // A result in persistent bytes stays there through further overwrites.
      if (inPersistent[pair.input] &&
          (pair.required || !persistent[pair.input])) {
        inPersistent[pair.output] = 1;
        bytes[pair.output] = 0;
      }
      if (pair.required && inPersistent[pair.input])
        rerunnable[v] = 0;
    }
    inputBegin.push_back(int32_t(inputIndex.size()));
    outputBegin.push_back(int32_t(outputIndex.size()));
    pairBegin.push_back(int32_t(pairs.size()));
  }
  for (StorageIndex s = 0; s < numStorages; ++s)
    readerBegin[s + 1] += readerBegin[s];
  readerIndex.resize(inputIndex.size());
  std::vector<int32_t> fill(readerBegin.begin(), readerBegin.end() - 1);
  for (OpIndex v = 0; v < numOps; ++v)
    for (StorageIndex s : inputs(v))
      readerIndex[fill[s]++] = v;
}

int32_t FlatProblem::readersUpTo(StorageIndex s, OpIndex op) const {
  IndexRange range = readers(s);
  return int32_t(std::upper_bound(range.begin(), range.end(), op) -
                 range.begin());
}

bool FlatProblem::mayOverwrite(OpIndex op, StorageIndex input) const {
  for (int32_t i = pairBegin[op]; i < pairBegin[op + 1]; ++i)
    if (pairs[i].input == input)
      return true;
  return false;
}

int64_t FlatProblem::runBytes(OpIndex op) const {
  int64_t sum = workspace[op];
  for (StorageIndex s : inputs(op))
    if (!mayOverwrite(op, s))
      sum += bytes[s];
  for (StorageIndex s : outputs(op))
    sum += bytes[s];
  return sum;
}
