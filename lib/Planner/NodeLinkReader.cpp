//===- NodeLinkReader.cpp - networkx node-link graphs ---------------------===//
//
// Part of Ringi. The instances of Checkmate (Jain et al. 2020) and Moccasin
// (Bartan et al. 2023) as their authors publish them. Peak convention: a result
// lives from its op to its last consumer; the running op's inputs and result
// count.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/GraphFile.h"

#include "JsonSupport.h"
#include "ringi/Planner/ProblemBuilder.h"

#include <unordered_map>

namespace ringi::planner {

using nlohmann::json;

namespace {

/// An id or name as text, whether the file has a number or a string.
std::string identity(const json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

class NodeLinkReader {
public:
  explicit NodeLinkReader(const json &document) : document(document) {}

  Expected<Problem> run() {
    for (auto step : {&NodeLinkReader::readNodes, &NodeLinkReader::readOrder,
                      &NodeLinkReader::readLinks, &NodeLinkReader::build})
      if (Status status = (this->*step)(); !status)
        return status.error();
    Problem problem = builder.take();
    auto graph = document.find("graph");
    if (graph != document.end() && graph->is_object())
      if (Expected<std::string> name = getString(*graph, "name", "graph"))
        problem.name = *name;
    if (Status status = problem.check(); !status)
      return status.error();
    return problem;
  }

private:
  struct Node {
    std::string name;
    int64_t bytes = 0;
    double cost = 0;
    bool backward = false;
    std::vector<size_t> inputs;
    bool read = false;
  };

  static Status bad(std::string message) {
    return Error::badInput(std::move(message));
  }

  Status readNodes() {
    Expected<const json *> list = getArray(document, "nodes", "the graph");
    if (!list)
      return list.error();
    for (const json &entry : **list) {
      std::string where = "node #" + std::to_string(nodes.size());
      if (!entry.is_object())
        return bad(where + " must be an object");
      const bool checkmate = entry.contains("cost_ram");
      const char *idKey = entry.contains("id") ? "id" : "name";
      if (!entry.contains(idKey))
        return bad(where + " has no field 'id'");
      Node node;
      std::string id = identity(entry[idKey]);
      node.name = entry.contains("name") ? identity(entry["name"]) : id;
      Expected<int64_t> bytes =
          getInteger(entry, checkmate ? "cost_ram" : "out_cost", where);
      if (!bytes)
        return bytes.error();
      Expected<double> cost =
          getNumber(entry, checkmate ? "cost_cpu" : "duration", where);
      if (!cost)
        return cost.error();
      node.bytes = *bytes;
      node.cost = *cost;
      if (auto backward = entry.find("backward"); backward != entry.end()) {
        if (!backward->is_boolean())
          return bad("field 'backward' of " + where + " must be true or false");
        node.backward = backward->get<bool>();
      }
      if (!byId.emplace(id, nodes.size()).second)
        return bad("two nodes have the id '" + id + "'");
      nodes.push_back(std::move(node));
    }
    return Status::success();
  }

  Status readOrder() {
    for (size_t i = 0; i < nodes.size(); ++i)
      order.push_back(i);
    auto graph = document.find("graph");
    if (graph == document.end() || !graph->is_object() ||
        !graph->contains("order"))
      return Status::success();
    Expected<const json *> list = getArray(*graph, "order", "graph");
    if (!list)
      return list.error();
    if ((*list)->size() != nodes.size())
      return bad("order names " + std::to_string((*list)->size()) +
                 " nodes but the graph has " + std::to_string(nodes.size()));
    std::vector<bool> seen(nodes.size(), false);
    for (size_t i = 0; i < nodes.size(); ++i) {
      auto entry = byId.find(identity((**list)[i]));
      if (entry == byId.end() || seen[entry->second])
        return bad("order names node " + (**list)[i].dump() +
                   (entry == byId.end() ? ", which does not exist" : " twice"));
      seen[entry->second] = true;
      order[i] = entry->second;
    }
    return Status::success();
  }

  Status readLinks() {
    Expected<const json *> list = getArray(
        document, document.contains("edges") ? "edges" : "links", "the graph");
    if (!list)
      return list.error();
    size_t number = 0;
    for (const json &entry : **list) {
      std::string where = "link #" + std::to_string(number++);
      size_t ends[2];
      for (int side = 0; side < 2; ++side) {
        const char *key = side ? "target" : "source";
        if (entry.is_object() && !entry.contains(key))
          key = side ? "1" : "0";
        if (!entry.is_object() || !entry.contains(key))
          return bad(where + " needs the fields 'source' and 'target'");
        auto node = byId.find(identity(entry[key]));
        if (node == byId.end())
          return bad(where + " names node " + entry[key].dump() +
                     ", which does not exist");
        ends[side] = node->second;
      }
      nodes[ends[1]].inputs.push_back(ends[0]);
      nodes[ends[0]].read = true;
    }
    return Status::success();
  }

  Status build() {
    // Names repeat in some files; an op's must be unique.
    std::unordered_map<std::string, int> uses;
    for (Node &node : nodes)
      if (int count = uses[node.name]++; count > 0)
        node.name += "#" + std::to_string(count);
    std::vector<StorageIndex> made(nodes.size(), kNone);
    for (size_t i : order) {
      Node &node = nodes[i];
      std::vector<StorageIndex> inputs;
      for (size_t input : node.inputs) {
        if (made[input] == kNone)
          return bad("node '" + node.name + "' reads node '" +
                     nodes[input].name +
                     "' that comes later; the graph has a cycle or its nodes "
                     "are out of order");
        inputs.push_back(made[input]);
      }
      OpIndex op =
          builder.addOp(node.name, inputs, node.cost,
                        node.backward ? Phase::Backward : Phase::Forward);
      made[i] = builder.addResult(op, node.name, node.bytes);
      builder.storage(made[i]).output = !node.read;
    }
    return Status::success();
  }

  const json &document;
  std::vector<Node> nodes;
  std::unordered_map<std::string, size_t> byId;
  std::vector<size_t> order;
  ProblemBuilder builder;
};

} // namespace

Expected<Problem> readNodeLink(std::string_view text) {
  Expected<json> document = parseJson(text);
  if (!document)
    return document.error();
  return NodeLinkReader(*document).run();
}

} // namespace ringi::planner
