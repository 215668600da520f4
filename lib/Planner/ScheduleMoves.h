//===- ScheduleMoves.h - The neighbourhood of the local search --*- C++ -*-===//
//
// Part of Ringi. Draws one random edit of a schedule at a time: run a value
// again before a use after a gap (with the inputs that died), take a recompute
// back, move an execution within its legal window.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_SCHEDULEMOVES_H
#define RINGI_LIB_PLANNER_SCHEDULEMOVES_H

#include "ringi/Planner/IncrementalSimulator.h"
#include "ringi/Planner/Strategies.h"

#include "Random.h"

namespace ringi::planner {

/// The energy of a schedule and how much of it is admitted.
struct EnergyLimit {
  double perCost = 1, perOverflow = 1;
  double ceiling = 0;

  double energy(double overflow, double cost) const {
    return perCost * cost + perOverflow * overflow;
  }
  bool admits(double overflow, double cost) const {
    return energy(overflow, cost) <= ceiling;
  }
};

/// What became of an edit.
enum class MoveOutcome : uint8_t {
  Nothing,   ///< no legal edit was drawn, or one that is above the ceiling
  Made,      ///< made; its energy is for the caller to judge
  Unfinished ///< made in part and given up; the caller rolls back
};

class ScheduleMoves {
public:
  using Handle = IncrementalSimulator::Handle;

  ScheduleMoves(const Problem &problem, IncrementalSimulator &simulator,
                Order order, Random &random);

  /// Runs a value again right before one of its uses, or somewhere in the gap
  /// before it; sometimes with those of its inputs that died.
  MoveOutcome addRecompute(const EnergyLimit &limit);
  /// Takes one recompute back, and those that served it alone.
  MoveOutcome dropRecompute(const EnergyLimit &limit);
  /// Drops one and adds another: the exchange that a tight budget asks for.
  MoveOutcome exchangeRecompute(const EnergyLimit &limit);
  /// Moves one execution within the window that inputs and readers leave it.
  MoveOutcome relocate(const EnergyLimit &limit);

private:
  Handle randomExecution();
  Handle drawRecompute();
  bool takeBack(Handle handle);
  bool findWindow(Handle handle, int32_t &low, int32_t &high);
  Handle drawPlace(Handle handle, int32_t low, int32_t high);
  bool insertWithInputs(OpIndex op, Handle where, const EnergyLimit &limit);
  void dropUseless(OpIndex reader);

  const Problem &problem;
  IncrementalSimulator &simulator;
  const bool fixed;
  Random &random;
  struct Use {
    OpIndex reader;
    StorageIndex storage;
  };
  /// Reads of values that may be computed again; the reader is kNone for the
  /// end of the step.
  std::vector<Use> uses;
  std::vector<char> mayRunAgain;
  int32_t chainLeft = 0;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_SCHEDULEMOVES_H
