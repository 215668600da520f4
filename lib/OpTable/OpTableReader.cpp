//===- OpTableReader.cpp - Op tables from JSON ----------------------------===//
//
// Part of Ringi. One function per field; the first error ends the reading.
//
//===----------------------------------------------------------------------===//

#include "OpTableReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace ringi;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;

/// A chain of tables that extend each other is a loop from here on.
static constexpr int kMaximumDepth = 8;

static const StringLiteral kHeaderFields[] = {
    "note", "dialect", "extends", "barrier", "scope", "reshape", "ops"};
static const StringLiteral kEntryFields[] = {
    "note",    "op",       "when",      "class",       "pure",
    "flops",   "bytes",    "view_of",   "view_offset", "recomputable",
    "body",    "in_place", "workspace", "constant",    "branches",
    "carries", "part_of",  "part_into", "condition",   "integer",
    "ordered", "compares"};

static const std::pair<StringLiteral, IntegerOp> kIntegerOps[] = {
    {"add", IntegerOp::Add},           {"subtract", IntegerOp::Subtract},
    {"multiply", IntegerOp::Multiply}, {"minimum", IntegerOp::Minimum},
    {"maximum", IntegerOp::Maximum},   {"select", IntegerOp::Select},
    {"copy", IntegerOp::Copy}};

Error OpTableReader::error(const Twine &message) const {
  return Error::badInput("op table '" + place + "': " +
                         (where.empty() ? "" : where + ": ") + message.str());
}

Status OpTableReader::checkFields(const llvm::json::Object &object,
                                  llvm::ArrayRef<StringLiteral> known) const {
  std::vector<StringRef> sorted;
  for (const auto &field : object)
    sorted.push_back(field.first);
  llvm::sort(sorted);
  for (StringRef field : sorted)
    if (!llvm::is_contained(known, field)) {
      std::vector<StringRef> names(known.begin(), known.end());
      llvm::sort(names);
      return error("unknown field '" + field + "'; known are " +
                   llvm::join(names, ", "));
    }
  return {};
}

Expected<OpTable> OpTableReader::resolve(StringRef nameOrPath, int depth) {
  for (const BuiltinOpTable &builtin : builtinOpTables())
    if (nameOrPath == builtin.name)
      return OpTableReader(nameOrPath, depth).read(builtin.text);
  if (!nameOrPath.ends_with(".json"))
    return Error::badInput(
        "unknown op table '" + nameOrPath.str() + "'; known are " +
        llvm::join(builtinOpTableNames(), ", ") + ", or give a .json file");
  auto file = llvm::MemoryBuffer::getFile(nameOrPath);
  if (!file)
    return Error::badInput("cannot read op table '" + nameOrPath.str() +
                           "': " + file.getError().message());
  return OpTableReader(nameOrPath, depth).read((*file)->getBuffer());
}

Expected<OpTable> OpTableReader::read(StringRef text) {
  if (depth > kMaximumDepth)
    return error("more than " + Twine(kMaximumDepth) +
                 " tables extend each other");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return error("not JSON: " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return error("not a JSON object");
  table.tableName = place;
  if (Status status = readHeader(*object); !status)
    return status.error();
  const llvm::json::Array *ops = object->getArray("ops");
  if (!ops)
    return error("field 'ops' is missing or no list");
  for (size_t index = 0; index < ops->size(); ++index)
    if (Status status = readEntry((*ops)[index], index); !status)
      return status.error();
  merge();
  return std::move(table);
}

Status OpTableReader::readHeader(const llvm::json::Object &object) {
  if (Status status = checkFields(object, kHeaderFields); !status)
    return status;
  for (StringLiteral key : {StringLiteral("dialect"), StringLiteral("extends"),
                            StringLiteral("barrier"), StringLiteral("scope"),
                            StringLiteral("reshape")})
    if (object.get(key) && !object.getString(key))
      return error("field '" + key + "' is not a string");
  if (auto dialect = object.getString("dialect"))
    table.dialect = dialect->str();
  if (auto base = object.getString("extends"))
    if (Status status = inherit(*base); !status)
      return status;
  if (auto barrier = object.getString("barrier"))
    table.barrierName = barrier->str();
  if (auto scope = object.getString("scope"))
    table.scopeName = scope->str();
  if (auto reshape = object.getString("reshape"))
    table.reshapeName = reshape->str();
  return {};
}

/// Takes over the entries of `base`; those of its dialect are renamed to this
/// table's.
Status OpTableReader::inherit(StringRef base) {
  Expected<OpTable> inherited = resolve(base, depth + 1);
  if (!inherited)
    return error("extends: " + inherited.error().message);
  if (table.dialect.empty())
    table.dialect = inherited->dialect;
  auto renamed = [&](StringRef name) {
    std::string prefix = inherited->dialect + ".";
    return name.starts_with(prefix)
               ? table.dialect + "." + name.substr(prefix.size()).str()
               : name.str();
  };
  for (auto &entry : inherited->entries)
    table.entries[renamed(entry.getKey())] = entry.getValue();
  if (!inherited->barrierName.empty())
    table.barrierName = renamed(inherited->barrierName);
  if (!inherited->reshapeName.empty())
    table.reshapeName = renamed(inherited->reshapeName);
  table.scopeName = inherited->scopeName;
  return {};
}

Status OpTableReader::readEntry(const llvm::json::Value &value, size_t index) {
  where = "ops[" + std::to_string(index) + "]";
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return error("not a JSON object");
  std::vector<std::string> names;
  if (Status status = readNames(*object, names); !status)
    return status;
  where += " '" + names.front() + "'";
  OpEntry entry;
  if (Status status = readFields(*object, entry); !status)
    return status;
  for (const std::string &name : names)
    if (Status status = add(name, entry); !status)
      return status;
  where.clear();
  return {};
}

/// One name or a list; a name without a dot is of the table's dialect.
Status OpTableReader::readNames(const llvm::json::Object &object,
                                std::vector<std::string> &names) {
  const llvm::json::Value *given = object.get("op");
  if (!given)
    return error("field 'op' is missing");
  auto addName = [&](const llvm::json::Value &value) -> Status {
    std::optional<StringRef> name = value.getAsString();
    if (!name || name->empty())
      return error("'op' must be the name of an op or a list of names");
    if (name->contains('.'))
      names.push_back(name->str());
    else if (table.dialect.empty())
      return error("'" + *name +
                   "' has no dialect; write it as dialect.op or give the table "
                   "the field 'dialect'");
    else
      names.push_back(table.dialect + "." + name->str());
    return {};
  };
  const llvm::json::Array *list = given->getAsArray();
  if (!list)
    return addName(*given);
  for (const llvm::json::Value &value : *list)
    if (Status status = addName(value); !status)
      return status;
  if (names.empty())
    return error("'op' must be the name of an op or a list of names");
  return {};
}

Status OpTableReader::readFields(const llvm::json::Object &object,
                                 OpEntry &entry) {
  if (Status status = checkFields(object, kEntryFields); !status)
    return status;
  if (Status status = readWhen(object, entry); !status)
    return status;
  std::optional<StringRef> opClass = object.getString("class");
  if (!opClass)
    return error("field 'class' is missing or no string");
  Expected<planner::OpClass> parsed = planner::parseOpClass(opClass->str());
  if (!parsed)
    return error(parsed.error().message);
  entry.opClass = *parsed;
  std::optional<bool> pure = object.getBoolean("pure");
  if (!pure)
    return error("field 'pure' is missing or not true or false");
  entry.pure = *pure;
  // A second collective costs all devices; whoever wants it says so.
  entry.recomputable = *pure && *parsed != planner::OpClass::Collective;
  if (object.get("recomputable")) {
    std::optional<bool> given = object.getBoolean("recomputable");
    if (!given)
      return error("field 'recomputable' is not true or false");
    entry.recomputable = *given;
  }
  if (entry.recomputable && !entry.pure)
    return error("'recomputable' is true but 'pure' is false; an op with "
                 "effects runs once");
  for (auto [key, formula] : {std::pair(StringRef("flops"), &entry.flops),
                              {StringRef("bytes"), &entry.bytes},
                              {StringRef("workspace"), &entry.workspace},
                              {StringRef("view_offset"), &entry.viewOffset}})
    if (Status status = readFormula(object, key, *formula); !status)
      return status;
  if (Status status = readShared(object, "view_of", entry.view); !status)
    return status;
  if (Status status = readShared(object, "in_place", entry.inPlace); !status)
    return status;
  if (entry.view.sameType || entry.view.operands.size() > 1)
    return error("'view_of' must be the number of one operand or \"each\"");
  for (auto [key, attribute] :
       {std::pair(StringRef("constant"), &entry.constant),
        {StringRef("ordered"), &entry.ordered},
        {StringRef("compares"), &entry.comparison}}) {
    if (!object.get(key))
      continue;
    std::optional<StringRef> name = object.getString(key);
    if (!name || name->empty())
      return error("'" + key + "' must be the name of an attribute");
    *attribute = name->str();
  }
  if (Status status = readLoopFields(object, entry); !status)
    return status;
  if (Status status = readBodies(object, "body", entry.bodies, nullptr);
      !status)
    return status;
  if (Status status =
          readBodies(object, "branches", entry.branches, &entry.anyRegion);
      !status)
    return status;
  std::vector<BodyReference> condition;
  if (Status status = readBodies(object, "condition", condition, nullptr);
      !status)
    return status;
  if (condition.size() > 1)
    return error("'condition' must be one region or attribute");
  if (!condition.empty())
    entry.condition = condition.front();
  return {};
}

/// What loops and the rows that they stack are recognised by.
Status OpTableReader::readLoopFields(const llvm::json::Object &object,
                                     OpEntry &entry) {
  if (const llvm::json::Value *carries = object.get("carries")) {
    if (carries->getAsString() != StringRef("each"))
      return error("'carries' must be \"each\"");
    entry.carriesEach = true;
  }
  for (auto [key, part] : {std::pair(StringRef("part_of"), &entry.partOf),
                           {StringRef("part_into"), &entry.partInto}}) {
    const llvm::json::Value *given = object.get(key);
    if (!given)
      continue;
    std::optional<int64_t> number = given->getAsInteger();
    if (!number || *number < 0 || *number > 1000000)
      return error("'" + key + "' must be the number of one operand");
    *part = unsigned(*number);
  }
  if (!entry.comparison.empty())
    entry.integer = IntegerOp::Compare;
  const llvm::json::Value *integer = object.get("integer");
  if (!integer)
    return {};
  std::optional<StringRef> name = integer->getAsString();
  for (auto [word, op] : kIntegerOps)
    if (name == StringRef(word)) {
      entry.integer = op;
      return {};
    }
  std::vector<StringRef> words;
  for (auto [word, op] : kIntegerOps)
    words.push_back(word);
  return error("'integer' must be one of " + llvm::join(words, ", "));
}

Status OpTableReader::readWhen(const llvm::json::Object &object,
                               OpEntry &entry) {
  const llvm::json::Value *given = object.get("when");
  if (!given)
    return {};
  const llvm::json::Object *conditions = given->getAsObject();
  if (!conditions || conditions->empty())
    return error("'when' must map attributes to the text they hold");
  for (const auto &condition : *conditions) {
    std::optional<StringRef> text = condition.second.getAsString();
    if (!text)
      return error("'when' must map attributes to the text they hold");
    entry.when.push_back({condition.first.str(), text->str()});
  }
  llvm::sort(entry.when);
  return {};
}

Status OpTableReader::readFormula(const llvm::json::Object &object,
                                  StringRef key,
                                  std::optional<Formula> &formula) {
  const llvm::json::Value *given = object.get(key);
  if (!given)
    return {};
  std::optional<StringRef> text = given->getAsString();
  if (!text)
    return error("field '" + key + "' is not a string with a formula");
  Expected<Formula> parsed = Formula::parse(*text);
  if (!parsed)
    return error("'" + key + "': " + parsed.error().message);
  formula = std::move(*parsed);
  return {};
}

Status OpTableReader::readShared(const llvm::json::Object &object,
                                 StringRef key, SharedOperands &shared) {
  const llvm::json::Value *given = object.get(key);
  if (!given)
    return {};
  auto addOperand = [&](const llvm::json::Value &value) {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number || *number < 0 || *number > 1000000)
      return false;
    shared.operands.push_back(unsigned(*number));
    return true;
  };
  if (auto word = given->getAsString()) {
    shared.each = *word == "each";
    shared.sameType = *word == "same-type";
    if (shared.any())
      return {};
  } else if (const llvm::json::Array *list = given->getAsArray()) {
    if (llvm::all_of(*list, addOperand))
      return {};
  } else if (addOperand(*given)) {
    return {};
  }
  return error("'" + key +
               "' must be an operand's number, a list of them, \"each\" or "
               "\"same-type\"");
}

Status OpTableReader::readBodies(const llvm::json::Object &object,
                                 StringRef key,
                                 std::vector<BodyReference> &bodies,
                                 bool *anyRegion) {
  const llvm::json::Value *given = object.get(key);
  if (!given)
    return {};
  auto addBody = [&](const llvm::json::Value &value) {
    BodyReference body;
    if (auto attribute = value.getAsString(); attribute && !attribute->empty())
      body.attribute = attribute->str();
    else if (auto region = value.getAsInteger();
             region && *region >= 0 && *region < 1000)
      body.region = int(*region);
    else
      return false;
    bodies.push_back(std::move(body));
    return true;
  };
  if (anyRegion && given->getAsString() == StringRef("regions")) {
    *anyRegion = true;
    return {};
  }
  const llvm::json::Array *list = given->getAsArray();
  if (list ? llvm::all_of(*list, addBody) : addBody(*given))
    return {};
  return error("'" + key +
               "' must name regions by number or attributes that name "
               "functions");
}

Status OpTableReader::add(const std::string &name, const OpEntry &entry) {
  std::vector<OpEntry> &entries = own[name];
  for (const OpEntry &other : entries)
    if (other.when == entry.when)
      return error("'" + name +
                   "' has an entry already; give each op one entry for the "
                   "same 'when'");
  entries.push_back(entry);
  return {};
}

/// Own entries replace inherited ones of the same op and conditions; entries
/// with conditions come before those without, own ones first.
void OpTableReader::merge() {
  for (auto &named : own) {
    std::vector<OpEntry> &all = named.getValue();
    for (OpEntry &inherited : table.entries[named.getKey()])
      if (llvm::none_of(all, [&](const OpEntry &entry) {
            return entry.when == inherited.when;
          }))
        all.push_back(std::move(inherited));
    std::stable_sort(all.begin(), all.end(),
                     [](const OpEntry &a, const OpEntry &b) {
                       return !a.when.empty() && b.when.empty();
                     });
    table.entries[named.getKey()] = std::move(all);
  }
}
