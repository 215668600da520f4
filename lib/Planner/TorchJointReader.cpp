//===- TorchJointReader.cpp - AOTAutograd joint-graph dumps ---------------===//
//
// Part of Ringi. The joint graphs of PyTorch's AOTAutograd with what its own
// partitioner reaches on them. Views are folded; peaks follow the dump's
// convention, so that Ringi's numbers stand beside PyTorch's.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/GraphFile.h"

#include "JsonSupport.h"
#include "ringi/Planner/ProblemBuilder.h"

#include <unordered_map>

namespace ringi::planner {

using nlohmann::json;

namespace {

OpClass classOf(const std::string &op) {
  static const std::unordered_map<std::string_view, OpClass> classes = {
      {"mm", OpClass::Gemm},
      {"addmm", OpClass::Gemm},
      {"bmm", OpClass::Gemm},
      {"baddbmm", OpClass::Gemm},
      {"matmul", OpClass::Gemm},
      {"linear", OpClass::Gemm},
      {"convolution", OpClass::Convolution},
      {"convolution_backward", OpClass::Convolution},
      {"native_dropout", OpClass::Random},
      {"rand", OpClass::Random},
      {"randn", OpClass::Random},
      {"sum", OpClass::Reduction},
      {"mean", OpClass::Reduction},
      {"amax", OpClass::Reduction},
      {"var_mean", OpClass::Reduction},
      {"_softmax", OpClass::Normalization},
      {"_log_softmax", OpClass::Normalization},
      {"native_layer_norm", OpClass::Normalization},
      {"native_batch_norm", OpClass::Normalization}};
  if (auto entry = classes.find(op); entry != classes.end())
    return entry->second;
  if (op.find("attention") != std::string::npos)
    return OpClass::Attention;
  return OpClass::Elementwise;
}

class TorchJointReader {
public:
  explicit TorchJointReader(const json &document) : document(document) {}

  Expected<Problem> run() {
    Expected<const json *> nodes = getArray(document, "nodes", "the graph");
    if (!nodes)
      return nodes.error();
    for (const json &node : **nodes)
      if (Status status = readNode(node); !status)
        return status.error();
    if (Status status = readOutputs(); !status)
      return status.error();
    Problem problem = builder.take();
    // The dump calls backward what no forward output needs, wherever it stands;
    // to the planner, the backward phase begins after the last forward op.
    size_t forwardEnd = problem.ops.size();
    while (forwardEnd > 0 &&
           problem.ops[forwardEnd - 1].phase != Phase::Forward)
      --forwardEnd;
    for (size_t v = 0; v < forwardEnd; ++v)
      problem.ops[v].phase = Phase::Forward;
    if (Expected<std::string> name = getString(document, "name", "the graph"))
      problem.name = *name;
    if (Status status = problem.check(); !status)
      return status.error();
    return problem;
  }

private:
  static Status bad(std::string message) {
    return Error::badInput(std::move(message));
  }

  Expected<StorageIndex> find(const json &id, const std::string &where) {
    if (id.is_number_integer())
      if (auto entry = storageOf.find(id.get<int64_t>());
          entry != storageOf.end())
        return entry->second;
    return Error::badInput(where + " names node " + id.dump() +
                           ", which does not come before it");
  }

  Status readNode(const json &node) {
    std::string where = "node #" + std::to_string(count++);
    Expected<int64_t> id = getInteger(node, "id", where);
    if (!id)
      return id.error();
    Expected<std::string> name = getString(node, "name", where);
    if (!name)
      return name.error();
    where = "node '" + *name + "'";
    if (storageOf.count(*id))
      return bad("two nodes have the id " + std::to_string(*id));
    if (auto base = node.find("view_of"); base != node.end()) {
      Expected<StorageIndex> storage = find(*base, where);
      if (!storage)
        return storage.error();
      storageOf.emplace(*id, *storage);
      return Status::success();
    }
    Expected<std::string> kind = getString(node, "op", where);
    if (!kind)
      return kind.error();
    if (*kind == "input") {
      // Not counted by the dump's peaks.
      auto role = node.find("role");
      bool primal = role != node.end() && *role == "primal";
      storageOf.emplace(*id, builder.addInitial(*name, 0,
                                                primal ? Category::Parameter
                                                       : Category::Input));
      return Status::success();
    }
    return readOp(node, *id, *name, *kind, where);
  }

  Status readOp(const json &node, int64_t id, const std::string &name,
                const std::string &kind, const std::string &where) {
    Expected<double> flops = getNumber(node, "flops", where);
    if (!flops)
      return flops.error();
    Expected<std::string> phaseWord = getString(node, "phase", where);
    if (!phaseWord)
      return phaseWord.error();
    Expected<Phase> phase = parsePhase(*phaseWord);
    if (!phase)
      return bad(phase.error().message + " (" + where + ")");
    Expected<const json *> inputs = getArray(node, "inputs", where);
    if (!inputs)
      return inputs.error();
    Expected<const json *> sizes = getArray(node, "bytes", where);
    if (!sizes)
      return sizes.error();
    std::vector<StorageIndex> reads;
    for (const json &input : **inputs) {
      Expected<StorageIndex> storage = find(input, where);
      if (!storage)
        return storage.error();
      reads.push_back(*storage);
    }
    int64_t bytes = 0;
    for (const json &size : **sizes) {
      if (!size.is_number_integer() || size.get<int64_t>() < 0 ||
          __builtin_add_overflow(bytes, size.get<int64_t>(), &bytes))
        return bad("field 'bytes' of " + where + " has the entry " +
                   size.dump() + "; sizes must be whole numbers, 0 or more");
    }
    OpIndex op = builder.addOp(name, reads, *flops, *phase, classOf(kind));
    builder.op(op).kind = kind;
    builder.op(op).flops = *flops;
    storageOf.emplace(id, builder.addResult(op, name, bytes));
    return Status::success();
  }

  Status readOutputs() {
    auto outputs = document.find("outputs");
    if (outputs == document.end())
      return bad("the graph has no field 'outputs'");
    Expected<const json *> backward =
        getArray(*outputs, "backward", "'outputs'");
    if (!backward)
      return backward.error();
    for (const json &id : **backward) {
      if (id.is_null())
        continue;
      Expected<StorageIndex> storage = find(id, "'outputs'");
      if (!storage)
        return storage.error();
      builder.storage(*storage).output = true;
      if (builder.storage(*storage).producer != kNone)
        builder.storage(*storage).category = Category::Gradient;
    }
    return Status::success();
  }

  const json &document;
  ProblemBuilder builder;
  std::unordered_map<int64_t, StorageIndex> storageOf;
  size_t count = 0;
};

} // namespace

Expected<Problem> readTorchJoint(std::string_view text) {
  Expected<json> document = parseJson(text);
  if (!document)
    return document.error();
  return TorchJointReader(*document).run();
}

} // namespace ringi::planner
