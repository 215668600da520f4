//===- OpTableReader.h - Op tables from JSON --------------------*- C++ -*-===//
//
// Part of Ringi. Strict reading of a table: every field is known, every formula
// parses, no op has two entries under the same conditions.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_OPTABLE_OPTABLEREADER_H
#define RINGI_LIB_OPTABLE_OPTABLEREADER_H

#include "ringi/OpTable/OpTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace ringi {

/// A table that is part of the library: generated from lib/OpTable/tables.
struct BuiltinOpTable {
  const char *name;
  const char *text;
};
llvm::ArrayRef<BuiltinOpTable> builtinOpTables();

class OpTableReader {
public:
  /// \param depth how many tables extend this one already.
  OpTableReader(llvm::StringRef place, int depth)
      : place(place.str()), depth(depth) {}

  Expected<OpTable> read(llvm::StringRef text);

  /// resolveOpTable() for a table that `depth` others extend.
  static Expected<OpTable> resolve(llvm::StringRef nameOrPath, int depth);

private:
  Status readHeader(const llvm::json::Object &object);
  Status inherit(llvm::StringRef base);
  Status readEntry(const llvm::json::Value &value, size_t index);
  Status readFields(const llvm::json::Object &object, OpEntry &entry);
  Status readNames(const llvm::json::Object &object,
                   std::vector<std::string> &names);
  Status readLoopFields(const llvm::json::Object &object, OpEntry &entry);
  Status readWhen(const llvm::json::Object &object, OpEntry &entry);
  Status readFormula(const llvm::json::Object &object, llvm::StringRef key,
                     std::optional<Formula> &formula);
  Status readShared(const llvm::json::Object &object, llvm::StringRef key,
                    SharedOperands &shared);
  Status readBodies(const llvm::json::Object &object, llvm::StringRef key,
                    std::vector<BodyReference> &bodies, bool *anyRegion);
  Status add(const std::string &name, const OpEntry &entry);
  void merge();

  Status checkFields(const llvm::json::Object &object,
                     llvm::ArrayRef<llvm::StringLiteral> known) const;
  Error error(const llvm::Twine &message) const;

  std::string place;
  /// The entry that is being read, for messages.
  std::string where;
  int depth;
  OpTable table;
  /// Entries of this text, before they replace inherited ones.
  llvm::StringMap<std::vector<OpEntry>> own;
};

} // namespace ringi

#endif // RINGI_LIB_OPTABLE_OPTABLEREADER_H
