//===- GraphAssembler.cpp - From a draft to a checked problem -------------===//
//
// Part of Ringi. Views are folded into the storage that they look at, ops are
// put in order (a cycle is told from a mere disorder), and the problem is
// checked.
//
//===----------------------------------------------------------------------===//

#include "GraphDraft.h"

#include <algorithm>
#include <unordered_map>

namespace ringi::planner {

namespace {

/// From a draft to a checked problem.
class Assembler {
public:
  explicit Assembler(Draft &draft) : draft(draft) {}

  Expected<Problem> run() {
    if (!draft.hasFormat)
      return Error::badInput("the graph has no field 'format'; it must be "
                             "'ringi.graph'");
    if (!draft.hasOps)
      return Error::badInput("the graph has no field 'ops'");
    for (auto step :
         {&Assembler::checkDefined, &Assembler::findBases,
          &Assembler::findOrder, &Assembler::makeStorages, &Assembler::makeOps})
      if (Status status = (this->*step)(); !status)
        return status.error();
    problem.name = std::move(draft.name);
    problem.blocks = std::move(draft.blocks);
    if (Status status = problem.check(); !status)
      return status.error();
    return std::move(problem);
  }

private:
  static Status bad(std::string message) {
    return Error::badInput(std::move(message));
  }

  Status checkDefined() {
    for (size_t v = 0; v < draft.ops.size(); ++v)
      for (ValueId value : draft.ops[v].inputs)
        if (!draft.values[value].defined)
          return bad("op '" + draft.ops[v].op.name + "' reads '" +
                     draft.values[value].name +
                     "', which no op makes and no input provides");
    for (const DraftOp &op : draft.ops)
      for (const DraftPair &pair : op.pairs)
        for (ValueId value : {pair.input, pair.output})
          if (!draft.values[value].defined)
            return bad("an in_place pair of op '" + op.op.name + "' names '" +
                       draft.values[value].name + "', which does not exist");
    return Status::success();
  }

  /// The storage behind every value; outputs and marks of views go to it.
  Status findBases() {
    base.resize(draft.values.size());
    for (ValueId v = 0; v < ValueId(base.size()); ++v) {
      ValueId at = v;
      size_t steps = 0;
      while (draft.values[at].viewOf != kNone) {
        at = draft.values[at].viewOf;
        if (!draft.values[at].defined)
          return bad("value '" + draft.values[v].name + "' is a view of '" +
                     draft.values[at].name + "', which does not exist");
        if (++steps > base.size())
          return bad("value '" + draft.values[v].name +
                     "' is a view of itself");
      }
      base[v] = at;
      if (at == v)
        continue;
      // Shortens later walks over long chains of views.
      draft.values[v].viewOf = at;
      DraftValue &owner = draft.values[at];
      const DraftValue &view = draft.values[v];
      owner.output |= view.output;
      if (view.mark == Mark::None)
        continue;
      if (owner.mark != Mark::None && owner.mark != view.mark)
        return bad("marks contradict: '" + owner.name + "' and its view '" +
                   view.name + "' are marked must-keep and must-recompute");
      owner.mark = view.mark;
    }
    return Status::success();
  }

  Status findOrder() {
    order.resize(draft.ops.size());
    for (OpIndex v = 0; v < OpIndex(order.size()); ++v)
      order[v] = v;
    std::unordered_map<std::string_view, OpIndex> byName;
    byName.reserve(draft.ops.size());
    for (OpIndex v = 0; v < OpIndex(order.size()); ++v)
      if (!byName.emplace(draft.ops[v].op.name, v).second)
        return bad("two ops have the name '" + draft.ops[v].op.name +
                   "'; names must be unique");
    if (draft.hasOrder) {
      if (draft.order.size() != order.size())
        return bad("order names " + std::to_string(draft.order.size()) +
                   " ops but the graph has " + std::to_string(order.size()));
      std::vector<bool> seen(order.size(), false);
      for (size_t i = 0; i < order.size(); ++i) {
        auto entry = byName.find(draft.order[i]);
        if (entry == byName.end())
          return bad("order names op '" + draft.order[i] +
                     "', which does not exist");
        if (seen[entry->second])
          return bad("order names op '" + draft.order[i] + "' twice");
        seen[entry->second] = true;
        order[i] = entry->second;
      }
    }
    return checkOrder();
  }

  /// Tells a cycle from ops that merely stand in the wrong order.
  Status checkOrder() {
    std::vector<OpIndex> maker(draft.values.size(), kNone);
    for (OpIndex v = 0; v < OpIndex(draft.ops.size()); ++v)
      for (ValueId value : draft.ops[v].results)
        maker[value] = v;
    std::vector<int32_t> position(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      position[order[i]] = int32_t(i);
    OpIndex early = kNone;
    ValueId late = kNone;
    for (OpIndex v : order)
      for (ValueId value : draft.ops[v].inputs)
        if (early == kNone && maker[value] != kNone &&
            position[maker[value]] >= position[v]) {
          early = v;
          late = value;
        }
    if (early == kNone)
      return Status::success();
    // Kahn: what never gets free of predecessors lies on or behind a cycle.
    std::vector<int32_t> waiting(order.size(), 0);
    std::vector<std::vector<OpIndex>> readers(order.size());
    for (OpIndex v = 0; v < OpIndex(order.size()); ++v)
      for (ValueId value : draft.ops[v].inputs)
        if (maker[value] != kNone) {
          ++waiting[v];
          readers[maker[value]].push_back(v);
        }
    std::vector<OpIndex> free;
    for (OpIndex v = 0; v < OpIndex(order.size()); ++v)
      if (waiting[v] == 0)
        free.push_back(v);
    size_t done = 0;
    for (; !free.empty(); ++done) {
      OpIndex v = free.back();
      free.pop_back();
      for (OpIndex reader : readers[v])
        if (--waiting[reader] == 0)
          free.push_back(reader);
    }
    if (done == order.size())
      return bad("op '" + draft.ops[early].op.name + "' reads '" +
                 draft.values[late].name + "' before op '" +
                 draft.ops[maker[late]].op.name +
                 "' makes it; list the ops in execution order or give 'order'");
    // Walking back from any op that waits ends in the cycle.
    OpIndex at = 0;
    while (waiting[at] == 0)
      ++at;
    std::vector<bool> seen(order.size(), false);
    OpIndex before = at;
    while (!seen[at]) {
      seen[at] = true;
      before = at;
      for (ValueId value : draft.ops[at].inputs)
        if (maker[value] != kNone && waiting[maker[value]] > 0) {
          at = maker[value];
          break;
        }
    }
    return bad("the graph has a cycle through op '" + draft.ops[at].op.name +
               "' and op '" + draft.ops[before].op.name +
               "'; ops must not wait for their own results");
  }

  Status makeStorages() {
    storageOf.assign(draft.values.size(), kNone);
    for (ValueId value : draft.inputs)
      addStorage(value, kNone);
    return Status::success();
  }

  StorageIndex addStorage(ValueId number, OpIndex producer) {
    DraftValue &value = draft.values[number];
    Storage storage;
    storage.name = std::move(value.name);
    storage.bytes = value.bytes;
    storage.producer = producer;
    storage.persistent = producer == kNone && value.persistent;
    storage.output = value.output;
    storage.category = value.category;
    if (producer == kNone && value.category == Category::Activation)
      storage.category = Category::Input;
    storage.mark = value.mark;
    storage.location = std::move(value.location);
    storageOf[number] = StorageIndex(problem.storages.size());
    problem.storages.push_back(std::move(storage));
    return storageOf[number];
  }

  Status makeOps() {
    problem.ops.reserve(draft.ops.size());
    for (OpIndex v : order) {
      DraftOp &source = draft.ops[v];
      bool onlyViews = !source.results.empty();
      for (ValueId value : source.results)
        onlyViews &= draft.values[value].viewOf != kNone;
      if (onlyViews && source.op.opClass == OpClass::View && !source.op.ordered)
        continue;
      Op op = std::move(source.op);
      for (ValueId value : source.inputs) {
        StorageIndex s = storageOf[base[value]];
        if (std::find(op.inputs.begin(), op.inputs.end(), s) == op.inputs.end())
          op.inputs.push_back(s);
      }
      OpIndex index = OpIndex(problem.ops.size());
      for (ValueId value : source.results)
        if (draft.values[value].viewOf == kNone)
          op.outputs.push_back(addStorage(value, index));
      for (const DraftPair &pair : source.pairs)
        op.inPlace.push_back({storageOf[base[pair.input]],
                              storageOf[base[pair.output]], pair.required});
      problem.ops.push_back(std::move(op));
    }
    return Status::success();
  }

  Draft &draft;
  Problem problem;
  std::vector<ValueId> base;
  std::vector<OpIndex> order;
  std::vector<StorageIndex> storageOf;
};

} // namespace

Expected<Problem> assembleGraph(Draft &draft) { return Assembler(draft).run(); }

} // namespace ringi::planner
