//===- StateFile.cpp - Tensors in safetensors files -------------*- C++ -*-===//
//
// Part of Ringi. Format: https://huggingface.co/docs/safetensors. Data ranges
// must lie in the file, fit type and shape, and cover the data without overlap
// or hole, as the format demands.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/StateFile.h"

#include "ringi/Support/PartialFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;
using Json = nlohmann::json;

namespace {

constexpr std::pair<ElementType, const char *> kTypeNames[] = {
    {ElementType::F64, "F64"},        {ElementType::F32, "F32"},
    {ElementType::BF16, "BF16"},      {ElementType::F16, "F16"},
    {ElementType::I64, "I64"},        {ElementType::I32, "I32"},
    {ElementType::I8, "I8"},          {ElementType::F8E4M3FN, "F8_E4M3"},
    {ElementType::F8E5M2, "F8_E5M2"},
};

/// The limit of the reference implementation.
constexpr uint64_t kMaxHeader = 100'000'000;

Error bad(const std::string &path, const std::string &what) {
  return Error::badInput("'" + path + "' " + what +
                         "; give a safetensors file");
}

/// One entry of the header, whose data begins at byte `base`.
Expected<StateTensor> parseTensor(const std::string &path,
                                  const std::string &name, const Json &entry,
                                  uint64_t base, uint64_t available) {
  auto fail = [&](const std::string &what) {
    return bad(path, "has a bad tensor '" + name + "': " + what);
  };
  if (!entry.is_object())
    return fail("no object");
  auto dtype = entry.find("dtype"), shape = entry.find("shape"),
       range = entry.find("data_offsets");
  if (dtype == entry.end() || !dtype->is_string() || shape == entry.end() ||
      !shape->is_array() || range == entry.end() || !range->is_array() ||
      range->size() != 2 || !(*range)[0].is_number_unsigned() ||
      !(*range)[1].is_number_unsigned())
    return fail("expected dtype, shape and two data_offsets");
  StateTensor tensor;
  const auto *known = std::find_if(
      std::begin(kTypeNames), std::end(kTypeNames), [&](const auto &type) {
        return dtype->template get<std::string>() == type.second;
      });
  if (known == std::end(kTypeNames))
    return fail("unknown dtype " + dtype->get<std::string>());
  tensor.type = known->first;
  for (const Json &dimension : *shape) {
    if (!dimension.is_number_unsigned())
      return fail("a dimension that is no size");
    tensor.shape.push_back(dimension.get<uint64_t>());
  }
  uint64_t begin = (*range)[0].get<uint64_t>();
  uint64_t end = (*range)[1].get<uint64_t>();
  if (begin > end || end > available)
    return fail("bytes " + std::to_string(begin) + " to " +
                std::to_string(end) + " of " + std::to_string(available));
  int64_t bytes = tensorBytes(tensor.type, tensor.shape);
  if (bytes < 0 || static_cast<uint64_t>(bytes) != end - begin)
    return fail(std::to_string(end - begin) + " bytes for " +
                toString(tensor.type, tensor.shape));
  tensor.offset = base + begin;
  tensor.bytes = end - begin;
  return tensor;
}

} // namespace

Expected<StateFile> StateFile::open(const std::string &path) {
  errno = 0;
  struct stat info;
  std::ifstream stream;
  bool isFile = stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (isFile)
    stream.open(path, std::ios::binary);
  if (!isFile || !stream)
    return Error::badInput(
        "cannot read '" + path +
        "': " + (errno ? std::strerror(errno) : "not a regular file") +
        "; give a safetensors file");
  uint64_t size = static_cast<uint64_t>(info.st_size), headerBytes = 0;
  if (size < 8)
    return bad(path, "has " + std::to_string(size) + " bytes, too few");
  stream.read(reinterpret_cast<char *>(&headerBytes), 8);
  if (!stream || headerBytes > size - 8 || headerBytes > kMaxHeader)
    return bad(path, "says its header has " + std::to_string(headerBytes) +
                         " bytes, the file has " + std::to_string(size));
  std::string text(headerBytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(headerBytes));
  Json header = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!stream || !header.is_object())
    return bad(path, "has a header that is no JSON object");

  StateFile file;
  file.path = path;
  uint64_t base = 8 + headerBytes;
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const auto &[name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (!entry.is_object())
        return bad(path, "has metadata that is no object");
      for (const auto &[key, value] : entry.items()) {
        if (!value.is_string())
          return bad(path, "has metadata '" + key + "' that is no string");
        file.notes[key] = value.get<std::string>();
      }
      continue;
    }
    Expected<StateTensor> tensor =
        parseTensor(path, name, entry, base, size - base);
    if (!tensor)
      return tensor.error();
    ranges.emplace_back(tensor->offset, tensor->offset + tensor->bytes);
    file.table.emplace(name, std::move(*tensor));
  }
  std::sort(ranges.begin(), ranges.end());
  uint64_t at = base;
  for (auto [begin, end] : ranges) {
    if (begin != at)
      return bad(path, "has tensors that overlap or leave a hole at byte " +
                           std::to_string(at - base));
    at = end;
  }
  if (at != size)
    return bad(path, "has " + std::to_string(size - at) +
                         " bytes after its last tensor");
  return file;
}

Status StateFile::read(const StateTensor &tensor, std::byte *out) const {
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(tensor.offset));
  stream.read(reinterpret_cast<char *>(out),
              static_cast<std::streamsize>(tensor.bytes));
  return stream ? Status::success()
                : Status(bad(path, "changed while it was read"));
}

Status
runtime::writeStateFile(const std::string &path,
                        const std::vector<StateEntry> &entries,
                        const std::map<std::string, std::string> &metadata) {
  Json header = Json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (const StateEntry &entry : entries) {
    const auto *known = std::find_if(
        std::begin(kTypeNames), std::end(kTypeNames),
        [&](const auto &type) { return type.first == entry.type; });
    int64_t bytes = tensorBytes(entry.type, entry.shape);
    if (known == std::end(kTypeNames) || bytes < 0)
      return Error::badInput("cannot save '" + entry.name + "' of type " +
                             toString(entry.type, entry.shape) +
                             "; safetensors has no such type");
    header[entry.name] = {{"dtype", known->second},
                          {"shape", entry.shape},
                          {"data_offsets", {offset, offset + bytes}}};
    offset += static_cast<uint64_t>(bytes);
  }
  // Data begins at a multiple of 8, as the format asks.
  std::string text =
      header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');

  std::string partial = partialPath(path);
  auto fail = [&](int code) {
    discardPartial(partial, path);
    return Error::badInput(
        "cannot write '" + path + "': " + std::strerror(code ? code : EIO) +
        "; choose a writable path with " +
        std::to_string(offset + text.size() + 8) + " bytes free");
  };
  errno = 0;
  std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
  if (!stream)
    return fail(errno);
  uint64_t headerBytes = text.size();
  stream.write(reinterpret_cast<const char *>(&headerBytes), 8);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  std::vector<std::byte> buffer;
  for (const StateEntry &entry : entries) {
    buffer.resize(static_cast<size_t>(tensorBytes(entry.type, entry.shape)));
    if (Status status = entry.read(buffer.data()); !status) {
      discardPartial(partial, path);
      return status;
    }
    stream.write(reinterpret_cast<const char *>(buffer.data()),
                 static_cast<std::streamsize>(buffer.size()));
  }
  stream.close();
  if (!stream)
    return fail(errno);
  if (!publishPartial(partial, path))
    return fail(errno);
  return Status::success();
}
