//===- BlockMarking.cpp - Checkpointable units of foreign IR --------------===//
//
// Part of Ringi. Blocks from name scopes, or from the longest run of segments
// that repeats itself.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/BlockMarking.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Analysis/NameScope.h"
#include "ringi/Planner/BlockDetection.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

static void mark(Operation *op, StringRef block) {
  if (!op->hasAttr(attr::kBlock))
    op->setAttr(attr::kBlock, StringAttr::get(op->getContext(), block));
}

static LogicalResult markByScope(const ActivationGraph &graph,
                                 StringRef pattern) {
  FunctionOpInterface function = graph.function();
  llvm::Regex regex(pattern);
  std::string problem;
  if (!regex.isValid(problem))
    return mlir::emitError(function->getLoc())
           << "blocks=" << pattern << " is no regular expression: " << problem;
  std::string example;
  bool any = false;
  for (OpIndex v = 0; v < OpIndex(graph.problem().ops.size()); ++v) {
    Operation *op = graph.operation(v);
    std::string scope = getNameScope(op, graph.model());
    if (example.empty())
      example = scope;
    SmallVector<StringRef> groups;
    if (!regex.match(scope, &groups))
      continue;
    StringRef block = groups.size() > 1 ? groups[1] : groups[0];
    if (block.empty())
      continue;
    any = true;
    mark(op, block);
  }
  if (any)
    return success();
  InFlightDiagnostic error = mlir::emitError(function->getLoc());
  error << "blocks=" << pattern << " matches no name scope in '"
        << function.getName() << "'";
  if (example.empty())
    error << "; its operations have none, use blocks=detect";
  else
    error << "; the first one is '" << example << "'";
  return error;
}

namespace {

/// Links [first, first + period * count) of the chain repeat after `period`.
struct Repetition {
  size_t first = 0, period = 0, count = 0;
  size_t ops = 0;
};

} // namespace

/// What the forward ops of a link do: kinds, bytes and wiring, with values from
/// outside by their bytes. The backward part does not count: that of the first
/// and of the last layer differs from the others'.
static std::string describeLink(const ActivationGraph &graph,
                                const ChainBlock &link) {
  const Problem &problem = graph.problem();
  std::string text;
  llvm::raw_string_ostream os(text);
  DenseMap<StorageIndex, size_t> inside;
  for (OpIndex v : link.forward) {
    const planner::Op &op = problem.ops[v];
    os << op.kind << ' ' << op.flops << ' ' << op.workspace;
    for (StorageIndex s : op.inputs)
      if (auto it = inside.find(s); it != inside.end())
        os << " #" << it->second;
      else
        os << (problem.storages[s].persistent ? " p" : " b")
           << problem.storages[s].bytes;
    for (StorageIndex s : op.outputs) {
      inside.try_emplace(s, inside.size());
      os << " >" << problem.storages[s].bytes;
    }
    os << '\n';
  }
  return text;
}

/// The run of links that repeats at least twice and covers the most ops; the
/// shortest period and the first place among equals. O(links x period).
static Repetition findRepetition(const ActivationGraph &graph,
                                 const Chain &chain) {
  const std::vector<ChainBlock> &links = chain.blocks;
  llvm::StringMap<int> numbers;
  std::vector<int> kinds;
  for (const ChainBlock &link : links)
    kinds.push_back(
        numbers.try_emplace(describeLink(graph, link), int(numbers.size()))
            .first->second);
  std::vector<size_t> opsBefore = {0};
  for (const ChainBlock &link : links)
    opsBefore.push_back(opsBefore.back() + link.forward.size());
  Repetition best;
  // Longer periods than this are no layers.
  constexpr size_t kMaximumPeriod = 512;
  for (size_t period = 1;
       period <= kMaximumPeriod && 2 * period <= links.size(); ++period)
    for (size_t first = 0; first + 2 * period <= links.size();) {
      size_t end = first + period;
      while (end < links.size() && kinds[end] == kinds[end - period])
        ++end;
      Repetition found{first, period, (end - first) / period, 0};
      found.ops = opsBefore[first + found.count * period] - opsBefore[first];
      if (found.count >= 2 && found.ops > best.ops)
        best = found;
      first = std::max(end - period, first) + 1;
    }
  return best;
}

static LogicalResult markDetected(const ActivationGraph &graph) {
  Chain chain = detectChain(graph.problem());
  Repetition repetition = findRepetition(graph, chain);
  if (repetition.count < 2)
    return mlir::emitError(graph.function()->getLoc())
           << "blocks=detect finds no repeated segment in the "
           << chain.blocks.size() << " links of '" << graph.function().getName()
           << "'; mark blocks with '" << attr::kBlock
           << "' or give a pattern of name scopes";
  for (size_t i = 0; i < repetition.count * repetition.period; ++i)
    for (OpIndex v : chain.blocks[repetition.first + i].forward)
      mark(graph.operation(v), ("block." + Twine(i / repetition.period)).str());
  return success();
}

LogicalResult ringi::markBlocks(const ActivationGraph &graph, StringRef how) {
  return how == "detect" ? markDetected(graph) : markByScope(graph, how);
}
