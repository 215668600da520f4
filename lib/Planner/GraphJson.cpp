//===- GraphJson.cpp - Ringi's own graph files ----------------------------===//
//
// Part of Ringi. The writer, and the reader's two steps put together.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/GraphJson.h"

#include "GraphDraft.h"
#include "JsonSupport.h"

#include <unordered_map>
#include <unordered_set>

namespace ringi::planner {

namespace {

const char *markWord(Mark mark) {
  return mark == Mark::MustKeep ? "must-keep" : "must-recompute";
}

/// Writes `,"key":` before a value.
void appendKey(std::string &out, const char *key) {
  out += ",\"";
  out += key;
  out += "\":";
}

void appendStorage(std::string &out, const Storage &storage) {
  out += "{\"name\":";
  appendString(out, storage.name);
  appendKey(out, "bytes");
  out += std::to_string(storage.bytes);
  bool isInitial = storage.producer == kNone;
  if (storage.category !=
      (isInitial ? Category::Input : Category::Activation)) {
    appendKey(out, "category");
    appendString(out, toString(storage.category));
  }
  if (isInitial && !storage.persistent)
    out += ",\"persistent\":false";
  if (storage.output)
    out += ",\"output\":true";
  if (storage.mark != Mark::None) {
    appendKey(out, "mark");
    appendString(out, markWord(storage.mark));
  }
  if (!storage.location.empty()) {
    appendKey(out, "location");
    appendString(out, storage.location);
  }
  out += '}';
}

void appendOp(std::string &out, const Problem &problem, const Op &op) {
  auto appendNames = [&](const std::vector<StorageIndex> &list) {
    out += '[';
    for (size_t i = 0; i < list.size(); ++i) {
      out += i ? "," : "";
      appendString(out, problem.storages[list[i]].name);
    }
    out += ']';
  };
  auto appendText = [&](const char *key, const std::string &text) {
    if (text.empty())
      return;
    appendKey(out, key);
    appendString(out, text);
  };
  out += "{\"name\":";
  appendString(out, op.name);
  appendText("kind", op.kind);
  appendKey(out, "cost");
  appendNumber(out, op.cost);
  if (op.flops != 0) {
    appendKey(out, "flops");
    appendNumber(out, op.flops);
  }
  appendKey(out, "inputs");
  appendNames(op.inputs);
  appendKey(out, "results");
  out += '[';
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    out += i ? "," : "";
    appendStorage(out, problem.storages[op.outputs[i]]);
  }
  out += ']';
  if (!op.inPlace.empty()) {
    appendKey(out, "in_place");
    out += '[';
    for (size_t i = 0; i < op.inPlace.size(); ++i) {
      const InPlacePair &pair = op.inPlace[i];
      out += i ? ",{\"input\":" : "{\"input\":";
      appendString(out, problem.storages[pair.input].name);
      appendKey(out, "output");
      appendString(out, problem.storages[pair.output].name);
      out += pair.required ? ",\"required\":true}" : "}";
    }
    out += ']';
  }
  if (op.workspace != 0) {
    appendKey(out, "workspace");
    out += std::to_string(op.workspace);
  }
  if (op.opClass != OpClass::Other)
    appendText("class", toString(op.opClass));
  if (op.phase != Phase::Forward)
    appendText("phase", toString(op.phase));
  if (op.block != kNone)
    appendText("block", problem.blocks[op.block]);
  if (!op.recomputable)
    out += ",\"recomputable\":false";
  if (op.ordered)
    out += ",\"ordered\":true";
  appendText("location", op.location);
  out += '}';
}

} // namespace

Expected<Problem> readGraphJson(std::string_view text) {
  Expected<Draft> draft = readGraphDraft(text);
  if (!draft)
    return draft.error();
  return assembleGraph(*draft);
}

namespace {
template <typename Named> void numberEqualNames(std::vector<Named> &all) {
  std::unordered_set<std::string> taken;
  for (const Named &one : all)
    taken.insert(one.name);
  std::unordered_map<std::string, int64_t> seen;
  for (Named &one : all) {
    auto [it, isFirst] = seen.try_emplace(one.name, 0);
    if (isFirst)
      continue;
    std::string numbered;
    do
      numbered = one.name + "." + std::to_string(++it->second);
    while (!taken.insert(numbered).second);
    one.name = std::move(numbered);
  }
}
} // namespace

void makeNamesUnique(Problem &problem) {
  numberEqualNames(problem.ops);
  numberEqualNames(problem.storages);
}

Expected<std::string> writeGraphJson(const Problem &problem) {
  std::unordered_map<std::string_view, int> names;
  for (const Op &op : problem.ops)
    if (++names[op.name] > 1)
      return Error::badInput("two ops have the name '" + op.name +
                             "'; a graph file needs unique names");
  names.clear();
  for (const Storage &storage : problem.storages)
    if (++names[storage.name] > 1)
      return Error::badInput("two values have the name '" + storage.name +
                             "'; a graph file needs unique names");
  std::string out = "{\"format\":\"ringi.graph\",\"version\":1,\"name\":";
  appendString(out, problem.name);
  out += ",\n\"inputs\":[";
  bool first = true;
  for (const Storage &storage : problem.storages) {
    if (storage.producer != kNone)
      continue;
    out += first ? "\n" : ",\n";
    first = false;
    appendStorage(out, storage);
  }
  out += "],\n\"ops\":[";
  for (size_t v = 0; v < problem.ops.size(); ++v) {
    out += v ? ",\n" : "\n";
    appendOp(out, problem, problem.ops[v]);
  }
  out += "]}\n";
  return out;
}

uint64_t graphFingerprint(const Problem &problem) {
  // FNV-1a over names and edges.
  uint64_t hash = 0xcbf29ce484222325ull;
  auto addByte = [&](uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3ull; };
  auto addText = [&](const std::string &text) {
    for (char c : text)
      addByte(uint8_t(c));
    addByte(0);
  };
  for (const Op &op : problem.ops) {
    addText(op.name);
    for (StorageIndex s : op.inputs)
      addText(problem.storages[s].name);
    addByte(1);
    for (StorageIndex s : op.outputs)
      addText(problem.storages[s].name);
    addByte(2);
  }
  return hash;
}

} // namespace ringi::planner
