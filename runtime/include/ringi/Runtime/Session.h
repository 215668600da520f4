//===- Session.h - A program, its data and its state ------------*- C++ -*-===//
//
// Part of Ringi. What a training run is: an executor whose inputs are
// initialised, fed each step, saved and restored. Two sessions with the same
// RunConfig see the same data whatever their plans are.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_SESSION_H
#define RINGI_RUNTIME_SESSION_H

#include "ringi/Runtime/Executor.h"
#include "ringi/Runtime/InputData.h"

#include <optional>

namespace ringi::runtime {

/// Everything about a run that is not the program.
struct RunConfig {
  uint64_t seed = 0;
  /// Unset: the one that the program was compiled with, else 0.001.
  std::optional<double> learningRate;
  std::vector<InputSpec> inputs;
  /// State to continue from; "" = start from the initialisers.
  std::string loadPath;
};

class Session {
public:
  static Expected<std::unique_ptr<Session>>
  start(const program::ProgramFile &file, Device &device,
        const RunConfig &config, const ExecutorOptions &options = {});

  /// Feeds the next batch and runs one step. Allocates nothing (an observer
  /// may).
  Status step(OpObserver *observer = nullptr);
  /// Steps that the state has seen, those before --load included.
  int64_t stepsDone() const { return stepNumber; }
  bool hasLoss() const { return lossValue >= 0; }
  /// The loss of the last step.
  Expected<double> loss();

  /// Parameters, optimizer state and constant state with the step number.
  Status save(const std::string &path);
  /// Every output of the last step by name: the loss, and gradients where the
  /// step returns them.
  Status saveOutputs(const std::string &path);

  Executor &executor() { return *runner; }

private:
  Session(const program::ProgramFile &file, const RunConfig &config)
      : file(file), config(config) {}
  Status initialize();
  /// What an input holds before the first step.
  Status initializeValue(size_t input);
  Status load(const std::string &path);
  Status writeScalar(size_t input, int64_t integer, double real);

  const program::ProgramFile &file;
  RunConfig config;
  std::unique_ptr<Executor> runner;
  std::vector<std::unique_ptr<InputSource>> sources;
  /// The largest input that is fed: reused by every step.
  std::vector<std::byte> staging;
  int64_t stepNumber = 0;
  int64_t lossValue = -1;
};

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_SESSION_H
