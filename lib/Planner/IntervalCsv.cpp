//===- IntervalCsv.cpp - Lifetimes and offsets as CSV -----------*- C++ -*-===//
//
// Part of Ringi. A strict reader, since a column taken for another or a line
// dropped gives a packing that looks right and is not.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/IntervalCsv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

using namespace ringi;
using namespace ringi::planner;

namespace {

enum Column { Id, Lower, Upper, Size, Offset, Fixed, NumColumns };
constexpr std::array<std::string_view, NumColumns> kColumnNames = {
    "id", "lower", "upper", "size", "offset", "fixed"};
/// Columns up to here are required.
constexpr int kRequired = Size + 1;

std::string_view trim(std::string_view text) {
  auto isSpace = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && isSpace(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back()))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> splitFields(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    size_t comma = line.find(',');
    fields.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos)
      return fields;
    line.remove_prefix(comma + 1);
  }
}

/// Reads one table; the members are what errors need.
class Reader {
public:
  Reader(std::string_view name) : name(name) {}
  Expected<IntervalTable> read(std::string_view text);

private:
  Error error(const std::string &message) const {
    return Error::badInput(name + ":" + std::to_string(line) + ": " + message);
  }
  Status readHeader(const std::vector<std::string_view> &fields);
  Status readRow(const std::vector<std::string_view> &fields);
  Status readNumber(const std::vector<std::string_view> &fields, Column column,
                    int64_t &value) const;

  std::string name;
  int64_t line = 0;
  size_t columns = 0;
  /// The field of each column, or -1.
  std::array<int, NumColumns> position;
  IntervalTable table;
  std::unordered_map<std::string_view, int64_t> lineOfId;
};

Status Reader::readHeader(const std::vector<std::string_view> &fields) {
  position.fill(-1);
  columns = fields.size();
  for (size_t i = 0; i < fields.size(); ++i) {
    auto known = std::find(kColumnNames.begin(), kColumnNames.end(), fields[i]);
    if (known == kColumnNames.end())
      return error("unknown column '" + std::string(fields[i]) +
                   "'; the columns are id, lower, upper, size and, if wanted, "
                   "offset and fixed");
    int &place = position[known - kColumnNames.begin()];
    if (place >= 0)
      return error("column '" + std::string(fields[i]) + "' is given twice");
    place = static_cast<int>(i);
  }
  for (int column = 0; column < kRequired; ++column)
    if (position[column] < 0)
      return error("no column '" + std::string(kColumnNames[column]) +
                   "'; the first line must name id, lower, upper and size");
  return Status::success();
}

Status Reader::readNumber(const std::vector<std::string_view> &fields,
                          Column column, int64_t &value) const {
  std::string_view text = fields[position[column]];
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  std::string what =
      std::string(kColumnNames[column]) + " '" + std::string(text) + "'";
  if (code == std::errc::result_out_of_range)
    return error(what + " does not fit in 64 bits");
  if (code != std::errc() || end != text.data() + text.size())
    return error(what + " is not an integer");
  return Status::success();
}

Status Reader::readRow(const std::vector<std::string_view> &fields) {
  if (fields.size() != columns)
    return error(std::to_string(fields.size()) +
                 " fields where the header "
                 "has " +
                 std::to_string(columns));
  std::string_view id = fields[position[Id]];
  if (id.empty())
    return error("empty id");
  if (auto [known, isNew] = lineOfId.emplace(id, line); !isNew)
    return error("id '" + std::string(id) + "' was already given on line " +
                 std::to_string(known->second));
  PackItem item;
  if (Status status = readNumber(fields, Lower, item.lower); !status)
    return status;
  if (Status status = readNumber(fields, Upper, item.upper); !status)
    return status;
  if (Status status = readNumber(fields, Size, item.bytes); !status)
    return status;
  if (item.bytes < 0)
    return error("negative size " + std::to_string(item.bytes));
  if (item.lower > item.upper)
    return error("lower " + std::to_string(item.lower) +
                 " is greater than upper " + std::to_string(item.upper));
  if (position[Fixed] >= 0 && !fields[position[Fixed]].empty()) {
    if (Status status = readNumber(fields, Fixed, item.fixedOffset); !status)
      return status;
    if (item.fixedOffset < 0)
      return error("negative fixed offset " + std::to_string(item.fixedOffset) +
                   "; leave the field empty for none");
  }
  if (position[Offset] >= 0) {
    int64_t offset = 0;
    if (Status status = readNumber(fields, Offset, offset); !status)
      return status;
    if (offset < 0)
      return error("negative offset " + std::to_string(offset));
    table.offsets.push_back(offset);
  }
  table.ids.emplace_back(id);
  table.items.push_back(item);
  return Status::success();
}

Expected<IntervalTable> Reader::read(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    text.remove_prefix(kByteOrderMark.size());
  bool haveHeader = false;
  while (!text.empty()) {
    size_t newline = text.find('\n');
    std::string_view row = trim(text.substr(0, newline));
    text.remove_prefix(newline == std::string_view::npos ? text.size()
                                                         : newline + 1);
    ++line;
    if (row.empty())
      continue;
    std::vector<std::string_view> fields = splitFields(row);
    Status status = haveHeader ? readRow(fields) : readHeader(fields);
    if (!status)
      return status.error();
    haveHeader = true;
  }
  if (!haveHeader)
    return Error::badInput(name + ": empty; the first line must name id, "
                                  "lower, upper and size");
  return std::move(table);
}

} // namespace

Expected<IntervalTable> ringi::planner::readIntervalCsv(std::string_view text,
                                                        std::string_view name) {
  return Reader(name).read(text);
}

std::string
ringi::planner::writeIntervalCsv(const IntervalTable &table,
                                 const std::vector<int64_t> &offsets) {
  bool anyFixed =
      std::any_of(table.items.begin(), table.items.end(),
                  [](const PackItem &item) { return item.fixedOffset >= 0; });
  std::string text = "id,lower,upper,size,offset";
  text += anyFixed ? ",fixed\n" : "\n";
  for (size_t i = 0; i < table.ids.size(); ++i) {
    const PackItem &item = table.items[i];
    text += table.ids[i] + "," + std::to_string(item.lower) + "," +
            std::to_string(item.upper) + "," + std::to_string(item.bytes) +
            "," + std::to_string(offsets[i]);
    if (anyFixed)
      text +=
          item.fixedOffset < 0 ? "," : "," + std::to_string(item.fixedOffset);
    text += "\n";
  }
  return text;
}
