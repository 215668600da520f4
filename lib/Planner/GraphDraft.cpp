//===- GraphDraft.cpp - A graph file before it is a problem ---------------===//
//
// Part of Ringi. A streaming reader: the lexer's events fill a draft in which
// values are numbers. A million ops need no document tree.
//
//===----------------------------------------------------------------------===//

#include "GraphHandler.h"
#include "JsonLexer.h"

namespace ringi::planner {

std::string GraphHandler::placeName() const {
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

bool GraphHandler::string(string_t &text) {
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

bool GraphHandler::setBlock(const std::string &text) {
  auto [entry, isNew] =
      blockNumbers.try_emplace(text, int32_t(draft.blocks.size()));
  if (isNew)
    draft.blocks.push_back(text);
  op().op.block = entry->second;
  return true;
}

bool GraphHandler::start_object(size_t) {
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

bool GraphHandler::start_array(size_t) {
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
bool GraphHandler::leave(Place place) {
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

Expected<Draft> readGraphDraft(std::string_view text) {
  GraphHandler handler(text.size());
  if (lexPlainJson(text, handler) == LexOutcome::NotPlain) {
    handler = GraphHandler(text.size());
    nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  }
  if (!handler.failure.empty())
    return Error::badInput(handler.failure);
  return std::move(handler.draft);
}

} // namespace ringi::planner
