//===- Checks.h - The same bits with and without recompute ------*- C++ -*-===//
//
// Part of Ringi. Audit: every clone of a step gives what its origin gave.
// Comparison: two programs of one model give the same outputs and gradients on
// the same data. Both bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_CHECKS_H
#define RINGI_RUNTIME_CHECKS_H

#include "ringi/Runtime/Session.h"

#include <map>

namespace ringi::runtime {

/// Observe a step with it. Keeps copies of origins' results on the host until
/// their last clone has run.
class CloneAudit : public OpObserver {
public:
  explicit CloneAudit(Executor &executor);
  Status afterOp(size_t op) override;

  int64_t clonesCompared() const { return compared; }
  /// "" while all are equal; else the first difference: op, result, element and
  /// both contents.
  const std::string &difference() const { return firstDifference; }

private:
  Executor &executor;
  /// Per op: clones still to come in this step, counted again each step.
  std::vector<int32_t> cloneCount, clonesLeft;
  std::map<size_t, std::vector<std::vector<std::byte>>> kept;
  int64_t compared = 0;
  std::string firstDifference;
};

class Comparison {
public:
  /// Both sessions must be at the same step. An error names an output that only
  /// one program has, or that has another type or shape.
  static Expected<Comparison> create(Session &session, Session &reference);

  /// One step of both.
  Status step();

  int64_t valuesCompared() const { return compared; }
  /// "" while all are equal; else the first difference.
  const std::string &difference() const { return firstDifference; }

private:
  Comparison(Session &session, Session &reference)
      : session(&session), reference(&reference) {}
  Session *session, *reference;
  /// Output name -> value, in both programs.
  std::map<std::string, std::pair<uint32_t, uint32_t>> outputs;
  int64_t compared = 0;
  std::string firstDifference;
};

/// Where `a` and `b` first differ, as "element 12: 0x3f800000 instead of
/// 0x3f800001"; "" when they are equal.
std::string describeDifference(program::ElementType type,
                               const std::vector<std::byte> &a,
                               const std::vector<std::byte> &b);

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_CHECKS_H
