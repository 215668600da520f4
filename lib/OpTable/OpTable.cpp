//===- OpTable.cpp - Ops of dialects that cannot be linked ----------------===//
//
// Part of Ringi. Looking an op up, and finding a table by name.
//
//===----------------------------------------------------------------------===//

#include "ringi/OpTable/OpTable.h"

#include "OpTableReader.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <mutex>

using namespace mlir;
using namespace ringi;

/// Whether attribute `name` of `op` holds `text`; quotes around either do not
/// count.
static bool holdsText(Operation *op, const std::string &name, StringRef text) {
  Attribute attribute = op->getAttr(name);
  if (!attribute)
    return false;
  if (auto string = dyn_cast<StringAttr>(attribute))
    return string.getValue().trim('"') == text;
  std::string printed;
  llvm::raw_string_ostream(printed) << attribute;
  return printed == text;
}

const OpEntry *OpTable::lookup(Operation *op) const {
  auto it = entries.find(op->getName().getStringRef());
  if (it == entries.end())
    return nullptr;
  for (const OpEntry &entry : it->second)
    if (llvm::all_of(entry.when, [&](const auto &condition) {
          return holdsText(op, condition.first, condition.second);
        }))
      return &entry;
  return nullptr;
}

std::vector<std::string> ringi::builtinOpTableNames() {
  std::vector<std::string> names;
  for (const BuiltinOpTable &table : builtinOpTables())
    names.push_back(table.name);
  llvm::sort(names);
  return names;
}

Expected<std::shared_ptr<const OpTable>>
ringi::resolveOpTable(StringRef nameOrPath) {
  using Shared = std::shared_ptr<const OpTable>;
  if (nameOrPath.empty())
    return Shared();
  // Every function of a module asks for the same table; a built-in one never
  // changes.
  static std::mutex mutex;
  static llvm::StringMap<Shared> read;
  std::lock_guard<std::mutex> lock(mutex);
  if (auto known = read.find(nameOrPath); known != read.end())
    return known->second;
  Expected<OpTable> table = OpTableReader::resolve(nameOrPath, 0);
  if (!table)
    return table.error();
  Shared shared = std::make_shared<OpTable>(std::move(*table));
  if (!nameOrPath.ends_with(".json"))
    read[nameOrPath] = shared;
  return shared;
}

Expected<OpTable> ringi::parseOpTable(StringRef text, StringRef place) {
  return OpTableReader(place, 0).read(text);
}
