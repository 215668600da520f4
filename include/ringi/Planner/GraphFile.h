//===- GraphFile.h - Any graph file the planner understands -----*- C++ -*-===//
//
// Part of Ringi. Opens a file, recognises its format by its first telling field
// and hands it to the reader: Ringi's graph JSON, networkx node-link files,
// joint-graph dumps of PyTorch.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_GRAPHFILE_H
#define RINGI_PLANNER_GRAPHFILE_H

#include "ringi/Planner/Problem.h"

#include <string_view>

namespace ringi::planner {

/// The bytes of a file; the error names it and the system's reason.
Expected<std::string> readTextFile(const std::string &path);
/// Replaces a file's content.
Status writeTextFile(const std::string &path, std::string_view text);

/// Reads a graph in any known format.
Expected<Problem> readGraph(std::string_view text);

/// Reads a graph file; errors begin with its path.
Expected<Problem> readGraphFile(const std::string &path);

/// Checkmate and Moccasin graphs as networkx node-link JSON: nodes with
/// `id`, `name`, `cost_cpu`, `cost_ram`, `backward` in execution order, or with
/// `name`, `out_cost`, `duration` and the order in `graph.order`; edges as
/// `links` (or `edges`) with `source` and `target`, or `0` and `1`. Each node
/// is one op with one result; a result lives from its op to its last consumer,
/// and what nothing consumes is an output.
Expected<Problem> readNodeLink(std::string_view text);

/// AOTAutograd joint-graph dumps: `nodes` in execution order with `id`, `name`,
/// `op`, `inputs`, `bytes` per result, `view_of`, `flops`, `phase`; `outputs`
/// with `backward` (gradients, alive to the end) and `forward`. A node is one
/// storage of the sum of its bytes, views belong to their base, inputs
/// (parameters, step inputs, tangents) have 0 bytes because the dump's peaks
/// do not count them. Cost is FLOPs.
Expected<Problem> readTorchJoint(std::string_view text);

} // namespace ringi::planner

#endif // RINGI_PLANNER_GRAPHFILE_H
