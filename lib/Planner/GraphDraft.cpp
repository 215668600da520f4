//===- GraphDraft.cpp - A graph file before it is a problem ---------------===//
//
// Part of Ringi. A streaming reader: the lexer's events fill a draft in which
// values are numbers. A million ops need no document tree.
//
//===----------------------------------------------------------------------===//

#include "GraphDraft.h"

#include "JsonLexer.h"
#include "JsonSupport.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ringi::planner {

namespace {

using nlohmann::json;

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
    if (given.size() > places.size())
      given.resize(places.size());
    return leave(place);
  }
  bool start_array(size_t) override;
  bool end_array() override {
    places.pop_back();
    return true;
  }
  bool key(string_t &text) override {
    field = findField(text);
    if (!isKnown())
      return fail("unknown field '" + text + "' in " + placeName());
    given.resize(places.size());
    const uint64_t bit = uint64_t(1) << unsigned(field);
    if (given.back() & bit)
      return fail("field '" + text + "' is given twice in " + placeName());
    given.back() |= bit;
    return true;
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
  /// Per open object the fields that it has had, one bit each.
  std::vector<uint64_t> given;
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

} // namespace

Expected<Draft> readGraphDraft(std::string_view text) {
  Handler handler(text.size());
  if (lexPlainJson(text, handler) == LexOutcome::NotPlain) {
    handler = Handler(text.size());
    json::sax_parse(text.begin(), text.end(), &handler);
  }
  if (!handler.failure.empty())
    return Error::badInput(handler.failure);
  return std::move(handler.draft);
}

} // namespace ringi::planner
