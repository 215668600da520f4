//===- ProgramBuilder.h - Small step programs by hand -----------*- C++ -*-===//
//
// Part of Ringi. For tests and tools that need a program without the compiler:
// declare inputs, append ops, name outputs; finish() assigns memory by first
// fit and fills in lifetimes, categories and claims.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PROGRAM_PROGRAMBUILDER_H
#define RINGI_PROGRAM_PROGRAMBUILDER_H

#include "ringi/Program/StepProgram.h"

namespace ringi::program {

class ProgramBuilder {
public:
  /// Index into StepProgramT::values.
  using Id = uint32_t;

  explicit ProgramBuilder(std::string name);

  /// A persistent input. `scale` as Input.init_scale.
  Id input(const std::string &name, ElementType type,
           const std::vector<uint64_t> &shape, Role role = Role::Input,
           Initializer initializer = Initializer::Normal, double scale = 1);
  /// An input whose first contents are `bytes` (a constant segment).
  Id data(const std::string &name, ElementType type,
          const std::vector<uint64_t> &shape, SegmentData bytes,
          Role role = Role::ConstantState);
  /// The i64 scalars and the learning rate that random ops and updates take.
  Id seed() { return scalar("seed", ElementType::I64, Role::Seed); }
  Id step() { return scalar("step", ElementType::I64, Role::Step); }
  Id learningRate(ElementType type = ElementType::F32) {
    return scalar("lr", type, Role::LearningRate);
  }

  /// The same bytes as (part of) `base` with another shape.
  Id view(Id base, const std::vector<uint64_t> &shape, uint64_t byteOffset = 0);

  /// Appends an op with fresh result buffers; scratch is added as the kind
  /// needs it.
  std::vector<Id> op(OpKind kind, const std::vector<Id> &operands,
                     const std::vector<TensorShape> &results,
                     const AttributesT &attributes = {},
                     Phase phase = Phase::Forward);
  /// An op whose single result is like its operand `like`.
  Id unary(OpKind kind, const std::vector<Id> &operands, size_t like = 0,
           const AttributesT &attributes = {}, Phase phase = Phase::Forward);
  /// sgd, momentum or adamw over the bytes of the operands, with the outputs
  /// that carry them to the next step. The operands must be inputs.
  std::vector<Id> update(OpKind kind, const std::vector<Id> &operands,
                         const AttributesT &attributes = {});
  /// A recompute clone of op `origin` on `operands`.
  std::vector<Id> clone(uint32_t origin, const std::vector<Id> &operands,
                        Phase phase = Phase::Backward);
  /// Lets `result` of the last op take over the buffer of `operand`.
  void inPlace(Id result, Id operand);

  void output(const std::string &name, Id value, Role role);

  uint32_t lastOp() const { return uint32_t(file.program.ops.size()) - 1; }
  const ValueT &value(Id id) const { return *file.program.values[id]; }
  /// For what the functions above do not set.
  StepProgramT &program() { return file.program; }

  /// Assigns memory and fills in what follows from the ops. Leaves an already
  /// finished program as it is. Checks nothing: see verifyProgram().
  ProgramFile &finish();

private:
  ProgramFile file;
  bool finished = false;

  Id scalar(const char *name, ElementType type, Role role);
  uint32_t buffer(const std::string &name, bool persistent);
  Id addValue(const std::string &name, uint32_t buffer, ElementType type,
              const std::vector<uint64_t> &shape, uint64_t byteOffset = 0);
};

/// Sets lifetimes, categories and claims of `program` to what its ops give.
/// Offsets and sizes stay. For tests that change a finished program.
void fillClaims(StepProgramT &program);

} // namespace ringi::program

#endif // RINGI_PROGRAM_PROGRAMBUILDER_H
