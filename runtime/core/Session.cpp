//===- Session.cpp - A program, its data and its state ----------*- C++ -*-===//
//
// Part of Ringi. Step number and learning rate are scalars in the arena, so
// that a step needs nothing but its inputs' bytes and can be launched again.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/Session.h"
#include "Numbers.h"
#include "ringi/Runtime/StateFile.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;

namespace {

bool isState(Role role) {
  return role == Role::Parameter || role == Role::OptimizerState ||
         role == Role::ConstantState;
}

constexpr const char *kStepKey = "ringi.step";
constexpr double kDefaultLearningRate = 1e-3;

} // namespace

Expected<std::unique_ptr<Session>>
Session::start(const ProgramFile &file, Device &device, const RunConfig &config,
               const ExecutorOptions &options) {
  std::unique_ptr<Session> session(new Session(file, config));
  // Bad data is reported before memory is taken.
  auto sources = makeInputSources(file, config.inputs, config.seed);
  if (!sources)
    return sources.error();
  session->sources = std::move(*sources);
  Expected<std::unique_ptr<Executor>> runner =
      Executor::create(file, device, options);
  if (!runner)
    return runner.error();
  session->runner = std::move(*runner);
  if (Status status = session->initialize(); !status)
    return status.error();
  if (!config.loadPath.empty())
    if (Status status = session->load(config.loadPath); !status)
      return status.error();
  return session;
}

Status Session::initialize() {
  const StepProgramT &program = file.program;
  size_t largest = 8;
  for (const auto &input : program.inputs)
    largest = std::max(largest, size_t(runner->bytesOf(input->value)));
  staging.resize(largest);
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (Status status = initializeValue(i); !status)
      return status;
  for (const auto &output : program.outputs)
    if (output->role == Role::Loss && lossValue < 0)
      lossValue = output->value;
  return Status::success();
}

Status Session::initializeValue(size_t input) {
  const InputT &description = *file.program.inputs[input];
  uint32_t value = description.value;
  if (description.role == Role::Seed)
    return writeScalar(input, int64_t(config.seed), 0);
  // Optimizer state is most of what there is: it needs no copy.
  if (!sources[input] && description.initializer == Initializer::Zeros)
    return runner->clear(value);
  const bool random = description.initializer != Initializer::Zeros &&
                      description.initializer != Initializer::Data;
  if (!sources[input] && random &&
      isFloat(file.program.values[value]->element_type)) {
    Expected<bool> filled = runner->fillRandom(
        value, initialTensor(file.program, input, config.seed));
    if (!filled)
      return filled.error();
    if (*filled)
      return Status::success();
  }
  if (sources[input])
    sources[input]->produce(1, staging.data());
  else
    initializeInput(file, input, config.seed, staging.data());
  if (Status status = checkIndices(file.program, input, staging.data(),
                                   runner->bytesOf(value), file.program.name);
      !status)
    return status;
  return runner->write(value, staging.data());
}

Status Session::writeScalar(size_t input, int64_t integer, double real) {
  uint32_t value = file.program.inputs[input]->value;
  ElementType type = file.program.values[value]->element_type;
  std::byte bytes[8] = {};
  if (type == ElementType::I64)
    std::memcpy(bytes, &integer, 8);
  else
    detail::storeElement(type, bytes, 0, real);
  return runner->write(value, bytes);
}

Status Session::step(OpObserver *observer) {
  const StepProgramT &program = file.program;
  ++stepNumber;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    Status status;
    if (sources[i] && sources[i]->changes()) {
      sources[i]->produce(stepNumber, staging.data());
      status = runner->write(program.inputs[i]->value, staging.data());
    } else if (program.inputs[i]->role == Role::Step) {
      status = writeScalar(i, stepNumber, 0);
    } else if (program.inputs[i]->role == Role::LearningRate &&
               (config.learningRate ||
                program.inputs[i]->initializer != Initializer::Data)) {
      status =
          writeScalar(i, 0, config.learningRate.value_or(kDefaultLearningRate));
    }
    if (!status)
      return status;
  }
  return runner->runOps(observer);
}

Expected<double> Session::loss() {
  if (lossValue < 0)
    return Error::badInput("the program has no output of role loss; export a "
                           "training step");
  std::byte bytes[8] = {};
  if (Status status = runner->read(uint32_t(lossValue), bytes); !status)
    return status.error();
  return detail::loadElement(file.program.values[lossValue]->element_type,
                             bytes, 0);
}

Status Session::save(const std::string &path) {
  std::vector<StateEntry> entries;
  for (const auto &input : file.program.inputs) {
    if (!isState(input->role))
      continue;
    const ValueT &value = *file.program.values[input->value];
    uint32_t index = input->value;
    entries.push_back(
        {input->name, value.element_type, value.shape,
         [this, index](std::byte *out) { return runner->read(index, out); }});
  }
  return writeStateFile(path, entries,
                        {{kStepKey, std::to_string(stepNumber)},
                         {"ringi.program", file.program.name}});
}

Status Session::saveOutputs(const std::string &path) {
  std::vector<StateEntry> entries;
  for (const auto &output : file.program.outputs) {
    const ValueT &value = *file.program.values[output->value];
    uint32_t index = output->value;
    entries.push_back(
        {output->name, value.element_type, value.shape,
         [this, index](std::byte *out) { return runner->read(index, out); }});
  }
  return writeStateFile(path, entries, {{"ringi.program", file.program.name}});
}

Status Session::load(const std::string &path) {
  Expected<StateFile> state = StateFile::open(path);
  if (!state)
    return state.error();
  auto fail = [&](const std::string &what, const std::string &remedy) {
    return Error::badInput("cannot load '" + path + "': " + what + "; " +
                           remedy);
  };
  size_t used = 0;
  bool hasOptimizerState = false;
  for (const auto &input : file.program.inputs)
    hasOptimizerState |= input->role == Role::OptimizerState &&
                         state->tensors().contains(input->name);
  for (size_t i = 0; i < file.program.inputs.size(); ++i) {
    const InputT &input = *file.program.inputs[i];
    if (!isState(input.role))
      continue;
    const ValueT &value = *file.program.values[input.value];
    auto tensor = state->tensors().find(input.name);
    if (tensor == state->tensors().end()) {
      // Weights from elsewhere come without optimizer state: all of it starts
      // from its initialisers.
      if (input.role == Role::OptimizerState && !hasOptimizerState)
        continue;
      return fail("it has no tensor '" + input.name + "'",
                  "save the state of a run of the same model");
    }
    if (tensor->second.type != value.element_type ||
        tensor->second.shape != value.shape)
      return fail("'" + input.name + "' is " +
                      toString(tensor->second.type, tensor->second.shape) +
                      ", the program has " +
                      toString(value.element_type, value.shape),
                  "save the state of a run of the same model");
    if (Status status = state->read(tensor->second, staging.data()); !status)
      return status;
    if (Status status = checkIndices(file.program, i, staging.data(),
                                     int64_t(tensor->second.bytes), path);
        !status)
      return status;
    if (Status status = runner->write(input.value, staging.data()); !status)
      return status;
    ++used;
  }
  if (used != state->tensors().size())
    for (const auto &[name, tensor] : state->tensors()) {
      bool known =
          std::any_of(file.program.inputs.begin(), file.program.inputs.end(),
                      [&](const auto &input) {
                        return isState(input->role) && input->name == name;
                      });
      if (!known)
        return fail("its tensor '" + name + "' is not in the program",
                    "save the state of a run of the same model");
    }
  auto note = state->metadata().find(kStepKey);
  if (note == state->metadata().end())
    return Status::success();
  const std::string &text = note->second;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), stepNumber);
  if (error != std::errc() || end != text.data() + text.size() ||
      stepNumber < 0 || stepNumber > INT32_MAX)
    return fail("its step number is '" + text + "'",
                "save the state of a run of the same model");
  return Status::success();
}
