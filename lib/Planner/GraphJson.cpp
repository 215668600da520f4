//===- GraphJson.cpp - Ringi's own graph files ----------------------------===//
//
// Part of Ringi. A streaming reader: the lexer's events fill a draft in which
// values are numbers; then views are folded, ops put in order and the problem
// is checked. A million ops need no document tree.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/GraphJson.h"

#include "JsonSupport.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>

namespace ringi::planner {

namespace {

using nlohmann::json;
using ValueId = int32_t;

/// What the file says about one value: an input of the step or a result.
struct DraftValue {
  std::string name;
  int64_t bytes = 0;
  bool hasBytes = false, defined = false, persistent = true, output = false;
  /// Category::Activation stands for "not given".
  Category category = Category::Activation;
  Mark mark = Mark::None;
  ValueId viewOf = kNone;
  std::string location;
};

struct DraftPair {
  ValueId input = kNone, output = kNone;
  bool required = false;
};

struct DraftOp {
  Op op;
  std::vector<ValueId> inputs, results;
  std::vector<DraftPair> pairs;
};

struct Draft {
  std::string name;
  /// A deque, so that the name table may point at the names.
  std::deque<DraftValue> values;
  std::vector<ValueId> inputs;
  std::vector<DraftOp> ops;
  std::vector<std::string> blocks, order;
  bool hasOrder = false, hasFormat = false, hasOps = false;
};

/// Every field a graph file may have.
enum class Field : uint8_t {
  Format,
  Version,
  Name,
  Inputs,
  Ops,
  Order,
  Bytes,
  Category,
  Persistent,
  Output,
  Mark,
  Location,
  ViewOf,
  Kind,
  Cost,
  Flops,
  Results,
  InPlace,
  Workspace,
  Class,
  Phase,
  Block,
  Recomputable,
  Ordered,
  Input,
  Required,
  Unknown
};

constexpr std::array kFieldNames = {
    "format",    "version",  "name",       "inputs", "ops",          "order",
    "bytes",     "category", "persistent", "output", "mark",         "location",
    "view_of",   "kind",     "cost",       "flops",  "results",      "in_place",
    "workspace", "class",    "phase",      "block",  "recomputable", "ordered",
    "input",     "required"};

Field findField(std::string_view text) {
  static const std::unordered_map<std::string_view, Field> fields = [] {
    std::unordered_map<std::string_view, Field> map;
    for (size_t i = 0; i < kFieldNames.size(); ++i)
      map.emplace(kFieldNames[i], Field(i));
    return map;
  }();
  auto entry = fields.find(text);
  return entry == fields.end() ? Field::Unknown : entry->second;
}

/// Receives the lexer's events.
class Handler : public nlohmann::json_sax<json> {
public:
  Draft draft;
  std::string failure;

  /// About one value per 120 bytes of text; saves the table's regrowth.
  explicit Handler(size_t textBytes) { numbers.reserve(textBytes / 120); }

  bool null() override { return fail(fieldName() + " must not be null"); }
  bool boolean(bool value) override {
    bool *target = nullptr;
    switch (where()) {
    case Place::Input:
    case Place::Result:
      target = is(Field::Output) ? &pending.output
               : is(Field::Persistent) && where() == Place::Input
                   ? &pending.persistent
                   : nullptr;
      break;
    case Place::Op:
      target = is(Field::Recomputable) ? &op().op.recomputable
               : is(Field::Ordered)    ? &op().op.ordered
                                       : nullptr;
      break;
    case Place::Pair:
      target = is(Field::Required) ? &op().pairs.back().required : nullptr;
      break;
    default:
      break;
    }
    if (!target)
      return wrongType();
    *target = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return integer(value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > uint64_t(INT64_MAX))
      return fail(fieldName() + " is " + std::to_string(value) +
                  "; numbers must be below 2^63");
    return integer(int64_t(value));
  }
  bool number_float(number_float_t value, const string_t &text) override {
    if (where() == Place::Op && (is(Field::Cost) || is(Field::Flops))) {
      (is(Field::Cost) ? op().op.cost : op().op.flops) = value;
      return true;
    }
    if (isIntegerField())
      return fail(fieldName() + " is " + text +
                  "; it must be a whole number below 2^63");
    return wrongType();
  }
  bool string(string_t &text) override;
  bool binary(binary_t &) override { return wrongType(); }
  bool start_object(size_t) override;
  bool end_object() override {
    Place place = where();
    places.pop_back();
    return leave(place);
  }
  bool start_array(size_t) override;
  bool end_array() override {
    places.pop_back();
    return true;
  }
  bool key(string_t &text) override {
    field = findField(text);
    return isKnown() || fail("unknown field '" + text + "' in " + placeName());
  }
  bool parse_error(size_t, const std::string &,
                   const json::exception &error) override {
    return fail("not valid JSON: " + jsonErrorText(error));
  }

private:
  enum class Place {
    Root,
    Inputs,
    Input,
    Ops,
    Op,
    OpInputs,
    Results,
    Result,
    Pairs,
    Pair,
    Order
  };

  Place where() const { return places.back(); }
  bool is(Field other) const { return field == other; }
  bool isOneOf(std::initializer_list<Field> fields) const {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  }
  bool fail(std::string message) {
    if (failure.empty())
      failure = std::move(message);
    return false;
  }
  DraftOp &op() { return draft.ops.back(); }

  bool isIntegerField() const {
    return (is(Field::Bytes) &&
            (where() == Place::Input || where() == Place::Result)) ||
           (is(Field::Workspace) && where() == Place::Op) ||
           (is(Field::Version) && where() == Place::Root);
  }
  bool integer(int64_t value) {
    if (places.empty())
      return fail("a graph file must be an object");
    if (where() == Place::Op && (is(Field::Cost) || is(Field::Flops))) {
      (is(Field::Cost) ? op().op.cost : op().op.flops) = double(value);
      return true;
    }
    if (!isIntegerField())
      return wrongType();
    if (is(Field::Version))
      return value == 1 || fail("graph version " + std::to_string(value) +
                                " is not 1; this reader knows version 1");
    if (is(Field::Workspace)) {
      op().op.workspace = value;
      return true;
    }
    pending.bytes = value;
    pending.hasBytes = true;
    return true;
  }

  bool isKnown() const;
  std::string placeName() const;
  std::string fieldName() const {
    return places.empty()
               ? "the document"
               : std::string("field '") + kFieldNames[size_t(field)] + "' of " +
                     placeName();
  }
  bool wrongType() {
    if (places.empty())
      return fail("a graph file must be an object");
    return fail(fieldName() + " has the wrong type; see docs/graph-json.md");
  }
  ValueId valueNamed(const std::string &name) {
    if (auto entry = numbers.find(name); entry != numbers.end())
      return entry->second;
    draft.values.emplace_back();
    draft.values.back().name = name;
    ValueId number = ValueId(draft.values.size()) - 1;
    numbers.emplace(draft.values.back().name, number);
    return number;
  }
  bool leave(Place place);
  bool setBlock(const std::string &text);

  std::vector<Place> places;
  Field field = Field::Unknown;
  std::unordered_map<std::string_view, ValueId> numbers;
  std::unordered_map<std::string, int32_t> blockNumbers;
  /// The value object being read; it gets its number when it is complete.
  DraftValue pending;
};

bool Handler::isKnown() const {
  using enum Field;
  switch (where()) {
  case Place::Root:
    return isOneOf({Format, Version, Name, Inputs, Ops, Order});
  case Place::Input:
    return isOneOf({Name, Bytes, Category, Persistent, Output, Mark, Location});
  case Place::Result:
    return isOneOf({Name, Bytes, Category, Output, Mark, Location, ViewOf});
  case Place::Op:
    return isOneOf({Name, Kind, Cost, Flops, Inputs, Results, InPlace,
                    Workspace, Class, Phase, Block, Recomputable, Ordered,
                    Location});
  case Place::Pair:
    return isOneOf({Input, Output, Required});
  default:
    return true;
  }
}

std::string Handler::placeName() const {
  switch (where()) {
  case Place::Root:
  case Place::Inputs:
  case Place::Ops:
  case Place::Order:
    return "the graph";
  case Place::Input:
    return "input " + (pending.name.empty()
                           ? "#" + std::to_string(draft.inputs.size())
                           : "'" + pending.name + "'");
  case Place::Op:
  case Place::OpInputs:
  case Place::Results:
  case Place::Pairs:
  case Place::Pair:
    break;
  case Place::Result:
    if (!pending.name.empty())
      return "result '" + pending.name + "'";
    break;
  }
  const Op &op = draft.ops.back().op;
  return "op " + (op.name.empty() ? "#" + std::to_string(draft.ops.size() - 1)
                                  : "'" + op.name + "'");
}

bool Handler::string(string_t &text) {
  if (places.empty())
    return fail("a graph file must be an object");
  auto parsed = [&](auto result, auto &target) {
    if (!result)
      return fail(result.error().message + " (" + fieldName() + ")");
    target = *result;
    return true;
  };
  switch (where()) {
  case Place::Root:
    if (is(Field::Format)) {
      draft.hasFormat = true;
      return text == "ringi.graph" ||
             fail("format '" + text + "' is not 'ringi.graph'");
    }
    if (is(Field::Name)) {
      draft.name = text;
      return true;
    }
    break;
  case Place::OpInputs: {
    ValueId value = valueNamed(text);
    op().inputs.push_back(value);
    return true;
  }
  case Place::Order:
    draft.order.push_back(text);
    return true;
  case Place::Input:
  case Place::Result:
    if (is(Field::Name))
      pending.name = text;
    else if (is(Field::Location))
      pending.location = text;
    else if (is(Field::ViewOf))
      pending.viewOf = valueNamed(text);
    else if (is(Field::Category))
      return parsed(parseCategory(text), pending.category);
    else if (is(Field::Mark) && text == "must-keep")
      pending.mark = Mark::MustKeep;
    else if (is(Field::Mark) && text == "must-recompute")
      pending.mark = Mark::MustRecompute;
    else if (is(Field::Mark))
      return fail("unknown mark '" + text +
                  "'; expected one of must-keep, must-recompute (" +
                  fieldName() + ")");
    else
      break;
    return true;
  case Place::Op:
    if (is(Field::Name))
      op().op.name = text;
    else if (is(Field::Kind))
      op().op.kind = text;
    else if (is(Field::Location))
      op().op.location = text;
    else if (is(Field::Class))
      return parsed(parseOpClass(text), op().op.opClass);
    else if (is(Field::Phase))
      return parsed(parsePhase(text), op().op.phase);
    else if (is(Field::Block))
      return setBlock(text);
    else
      break;
    return true;
  case Place::Pair:
    if (is(Field::Input))
      op().pairs.back().input = valueNamed(text);
    else if (is(Field::Output))
      op().pairs.back().output = valueNamed(text);
    else
      break;
    return true;
  default:
    break;
  }
  return wrongType();
}

bool Handler::setBlock(const std::string &text) {
  auto [entry, isNew] =
      blockNumbers.try_emplace(text, int32_t(draft.blocks.size()));
  if (isNew)
    draft.blocks.push_back(text);
  op().op.block = entry->second;
  return true;
}

bool Handler::start_object(size_t) {
  if (places.empty()) {
    places.push_back(Place::Root);
    return true;
  }
  switch (where()) {
  case Place::Inputs:
    pending = {};
    places.push_back(Place::Input);
    return true;
  case Place::Results:
    pending = {};
    places.push_back(Place::Result);
    return true;
  case Place::Ops:
    draft.ops.emplace_back();
    draft.ops.back().op.cost = 1;
    places.push_back(Place::Op);
    return true;
  case Place::Pairs:
    op().pairs.emplace_back();
    places.push_back(Place::Pair);
    return true;
  default:
    return wrongType();
  }
}

bool Handler::start_array(size_t) {
  if (places.empty())
    return fail("a graph file must be an object");
  if (where() == Place::Root) {
    if (is(Field::Inputs)) {
      places.push_back(Place::Inputs);
      return true;
    }
    if (is(Field::Ops)) {
      draft.hasOps = true;
      places.push_back(Place::Ops);
      return true;
    }
    if (is(Field::Order)) {
      draft.hasOrder = true;
      places.push_back(Place::Order);
      return true;
    }
  }
  if (where() == Place::Op) {
    if (is(Field::Inputs)) {
      places.push_back(Place::OpInputs);
      return true;
    }
    if (is(Field::Results)) {
      places.push_back(Place::Results);
      return true;
    }
    if (is(Field::InPlace)) {
      places.push_back(Place::Pairs);
      return true;
    }
  }
  return wrongType();
}

/// Called when an object of `place` ends.
bool Handler::leave(Place place) {
  if (place == Place::Op && draft.ops.back().op.name.empty())
    return fail("op #" + std::to_string(draft.ops.size() - 1) +
                " has no field 'name'");
  if (place == Place::Pair &&
      (op().pairs.back().input == kNone || op().pairs.back().output == kNone))
    return fail("an in_place pair of op '" + op().op.name +
                "' needs the fields 'input' and 'output'");
  if (place != Place::Input && place != Place::Result)
    return true;
  std::string what =
      place == Place::Input
          ? "input #" + std::to_string(draft.inputs.size())
          : "a result of op #" + std::to_string(draft.ops.size() - 1);
  if (pending.name.empty())
    return fail(what + " has no field 'name'");
  if (!pending.hasBytes && pending.viewOf == kNone)
    return fail("value '" + pending.name + "' has no field 'bytes'");
  if (pending.viewOf != kNone && pending.bytes != 0)
    return fail("value '" + pending.name + "' is a view but has " +
                std::to_string(pending.bytes) +
                " bytes of its own; a view has none");
  ValueId number = valueNamed(pending.name);
  DraftValue &value = draft.values[number];
  if (value.defined)
    return fail("two values have the name '" + pending.name +
                "'; names must be unique");
  pending.defined = true;
  // The name table points at the characters of the name that is there.
  std::string name = std::move(value.name);
  value = std::move(pending);
  value.name = std::move(name);
  (place == Place::Input ? draft.inputs : op().results).push_back(number);
  return true;
}

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
  Handler handler(text.size());
  bool parsed = json::sax_parse(text.begin(), text.end(), &handler);
  if (!parsed || !handler.failure.empty())
    return Error::badInput(handler.failure);
  return Assembler(handler.draft).run();
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
