//===- Problem.h - What the planner is asked --------------------*- C++ -*-===//
//
// Part of Ringi. The planning problem: ops in a legal order, the storages they
// read and write, costs, bytes and the user's marks. Plain structs; the planner
// knows no IR. docs/memory-model.md defines every term.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_PROBLEM_H
#define RINGI_PLANNER_PROBLEM_H

#include "ringi/Support/Expected.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ringi::planner {

/// Index into Problem::ops or Problem::storages; kNone where there is none.
using OpIndex = int32_t;
using StorageIndex = int32_t;
inline constexpr int32_t kNone = -1;

/// What an op does, as far as policies (selective) and reports care.
enum class OpClass : uint8_t {
  Gemm,
  Attention,
  Convolution,
  Elementwise,
  Reduction,
  Normalization,
  Random,
  View,
  Collective,
  Optimizer,
  Other
};

/// The part of the training step that an op belongs to.
enum class Phase : uint8_t { Forward, Backward, Optimizer };

/// The user's word on one storage; it binds every strategy.
enum class Mark : uint8_t { None, MustKeep, MustRecompute };

/// What a storage is to a training step. Reports split the peak by it; storages
/// that a clone computed are reported as recomputed temporaries whatever their
/// category says.
enum class Category : uint8_t {
  Parameter,
  OptimizerState,
  Input,
  Constant,
  Activation,
  Gradient,
  GradientInFlight
};

/// Something that occupies bytes. Views are folded into their base before a
/// Problem is made.
struct Storage {
  std::string name;
  /// Aligned bytes, >= 0. The loss scalar of the unit model has 0.
  int64_t bytes = 0;
  /// The op that computes it; kNone for what exists before the step
  /// (parameters, inputs, state, constants).
  OpIndex producer = kNone;
  /// Resident during the whole step, read or not. Only storages without a
  /// producer may be persistent.
  bool persistent = false;
  /// Read by the caller after the step: alive to its end.
  bool output = false;
  Category category = Category::Activation;
  Mark mark = Mark::None;
  /// Source location for reports; may be empty.
  std::string location;
};

/// The op may write storage `output` over storage `input` when `input` dies
/// there and both have equal bytes.
struct InPlacePair {
  StorageIndex input = kNone;
  StorageIndex output = kNone;
  /// The op always overwrites (a parameter update): nothing may read `input`
  /// afterwards.
  bool required = false;
};

struct Op {
  std::string name;
  /// The op's kind as its dialect or graph file names it, for reports only.
  std::string kind;
  /// Time units of one execution, finite and >= 0. Extra cost is reported in
  /// percent of the sum over all ops.
  double cost = 0;
  /// Floating-point operations of one execution, for reports.
  double flops = 0;
  /// Distinct storages read, in operand order of first appearance.
  std::vector<StorageIndex> inputs;
  /// Storages written; each storage has exactly one producer.
  std::vector<StorageIndex> outputs;
  std::vector<InPlacePair> inPlace;
  /// Scratch bytes while the op runs.
  int64_t workspace = 0;
  OpClass opClass = OpClass::Other;
  Phase phase = Phase::Forward;
  /// Index into Problem::blocks (the checkpointable unit the op belongs to), or
  /// kNone.
  int32_t block = kNone;
  /// May be executed again with bitwise the same result. False also for ops
  /// with effects or unknown semantics.
  bool recomputable = true;
  /// Has effects: under `order=free` it keeps its place relative to every other
  /// such op. Never recomputable.
  bool ordered = false;
  std::string location;
};

/// Ops in a legal order; the order in which they stand is the published one
/// (`order=fixed` keeps it).
struct Problem {
  std::string name;
  std::vector<Op> ops;
  std::vector<Storage> storages;
  /// Names of the checkpointable units, in order of first appearance.
  std::vector<std::string> blocks;

  /// Sum of the costs of one execution of every op.
  double totalCost() const;
  /// Bytes of all persistent storages.
  int64_t persistentBytes() const;

  /// Checks every invariant stated above: indices in range, one producer each,
  /// inputs produced before they are read, sizes non-negative with sums that do
  /// not overflow 2^62, finite costs, in-place pairs naming the op's own
  /// storages with equal bytes, no read after a required overwrite, no storage
  /// with contradicting marks (must-recompute on what has no recomputable
  /// producer, or beside a must-keep result of the same op). A problem without
  /// ops is an error too. The error names the op or storage and both numbers.
  Status check() const;
};

/// For every storage the ops that read it, ascending: the reverse of
/// Op::inputs.
std::vector<std::vector<OpIndex>> computeReaders(const Problem &problem);

const char *toString(OpClass opClass);
const char *toString(Phase phase);
const char *toString(Category category);
/// The inverse of toString; an error lists the accepted words.
Expected<OpClass> parseOpClass(const std::string &text);
Expected<Phase> parsePhase(const std::string &text);
Expected<Category> parseCategory(const std::string &text);

} // namespace ringi::planner

#endif // RINGI_PLANNER_PROBLEM_H
