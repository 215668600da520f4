//===- GraphFile.cpp - Any graph file the planner understands -------------===//
//
// Part of Ringi. The format is told by the first field that only one of them
// has; the lexer stops there.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/GraphFile.h"

#include "JsonSupport.h"
#include "ringi/Planner/GraphJson.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

namespace ringi::planner {

using nlohmann::json;

namespace {

/// Looks at top-level keys until one tells the format.
class Sniffer : public nlohmann::json_sax<json> {
public:
  enum class Format { Ringi, NodeLink, TorchJoint } format = Format::Ringi;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return ++depth > 0; }
  bool end_object() override { return --depth >= 0; }
  bool start_array(size_t) override { return ++depth > 0; }
  bool end_array() override { return --depth >= 0; }
  bool key(string_t &key) override {
    if (depth != 1)
      return true;
    if (key == "directed" || key == "multigraph" || key == "links" ||
        key == "edges") {
      format = Format::NodeLink;
      return false;
    }
    if (key == "torch" || key == "partitioner") {
      format = Format::TorchJoint;
      return false;
    }
    return key != "format" && key != "ops";
  }
  bool parse_error(size_t, const std::string &,
                   const json::exception &) override {
    return false;
  }

private:
  int depth = 0;
};

} // namespace

Expected<std::string> readTextFile(const std::string &path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0)
    return Error::badInput("cannot open '" + path +
                           "': " + std::strerror(errno));
  if (S_ISDIR(info.st_mode))
    return Error::badInput("cannot open '" + path + "': it is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Error::badInput("cannot open '" + path +
                           "': " + std::strerror(errno));
  std::string text;
  if (S_ISREG(info.st_mode)) {
    text.resize(size_t(info.st_size));
    file.read(text.data(), std::streamsize(text.size()));
    text.resize(size_t(file.gcount()));
  }
  // Pipes have no size, and a file may have grown.
  if (file)
    text.append(std::istreambuf_iterator<char>(file), {});
  if (file.bad())
    return Error::badInput("cannot read '" + path + "'");
  return text;
}

Status writeTextFile(const std::string &path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), std::streamsize(text.size()));
  file.close();
  if (!file)
    return Error::badInput("cannot write '" + path +
                           "': " + std::strerror(errno));
  return Status::success();
}

Expected<Problem> readGraph(std::string_view text) {
  Sniffer sniffer;
  json::sax_parse(text.begin(), text.end(), &sniffer);
  switch (sniffer.format) {
  case Sniffer::Format::NodeLink:
    return readNodeLink(text);
  case Sniffer::Format::TorchJoint:
    return readTorchJoint(text);
  case Sniffer::Format::Ringi:
    break;
  }
  return readGraphJson(text);
}

/// The command that unpacks what begins like `text`; empty for plain text.
static std::string_view unpackerFor(std::string_view text) {
  using namespace std::string_view_literals;
  for (auto [magic, command] : {std::pair("\xFD"
                                          "7zXZ"sv,
                                          "xz"sv),
                                std::pair("\x1F\x8B"sv, "gzip"sv),
                                std::pair("\x28\xB5\x2F\xFD"sv, "zstd"sv)})
    if (text.substr(0, magic.size()) == magic)
      return command;
  return {};
}

Expected<Problem> readGraphFile(const std::string &path) {
  Expected<std::string> text = readTextFile(path);
  if (!text)
    return text.error();
  if (std::string_view unpacker = unpackerFor(*text); !unpacker.empty())
    return Error::badInput("'" + path + "' is compressed; unpack it first: " +
                           std::string(unpacker) + " -dc FILE > graph.json");
  Expected<Problem> problem = readGraph(*text);
  if (!problem)
    return Error{path + ": " + problem.error().message, problem.error().kind};
  return problem;
}

} // namespace ringi::planner
