//===- GraphHandler.h - The lexer's events become a draft -------*- C++ -*-===//
//
// Part of Ringi. A streaming reader: it knows the place in the document and the
// last field, and fills the draft as values come. GraphDraft.cpp has what each
// event does.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_GRAPHHANDLER_H
#define RINGI_LIB_PLANNER_GRAPHHANDLER_H

#include "GraphDraft.h"
#include "GraphFields.h"
#include "JsonSupport.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace ringi::planner {

/// Receives the lexer's events.
class GraphHandler : public nlohmann::json_sax<nlohmann::json> {
public:
  Draft draft;
  std::string failure;

  /// About one value per 120 bytes of text; saves the table's regrowth.
  explicit GraphHandler(size_t textBytes) { numbers.reserve(textBytes / 120); }

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
    if (!isKnownField(where(), field))
      return fail("unknown field '" + text + "' in " + placeName());
    given.resize(places.size());
    const uint64_t bit = uint64_t(1) << unsigned(field);
    if (given.back() & bit)
      return fail("field '" + text + "' is given twice in " + placeName());
    given.back() |= bit;
    return true;
  }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::json::exception &error) override {
    return fail("not valid JSON: " + jsonErrorText(error));
  }

private:
  Place where() const { return places.back(); }
  bool is(Field other) const { return field == other; }
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

  std::string placeName() const;
  std::string fieldName() const {
    return places.empty() ? "the document"
                          : std::string("field '") + fieldWord(field) +
                                "' of " + placeName();
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

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_GRAPHHANDLER_H
