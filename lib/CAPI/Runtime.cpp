//===- Runtime.cpp - Running step programs from C ---------------*- C++ -*-===//
//
// Part of Ringi. Owns what a Session only refers to: the program and the
// device.
//
//===----------------------------------------------------------------------===//

#include "ringi-c/Runtime.h"

#include "Errors.h"
#include "ringi/Program/StepProgram.h"
#include "ringi/Runtime/HostDevice.h"
#include "ringi/Runtime/Session.h"

using namespace ringi;
using namespace ringi::capi;

struct RingiSession {
  program::ProgramFile file;
  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Session> session;
  int64_t firstStep = 0;
};

namespace {

/// The program value that `name` stands for; outputs come first.
struct Named {
  int64_t value = -1;
  bool isOutput = false;
};

Named find(const RingiSession &session, const char *name) {
  for (const auto &output : session.file.program.outputs)
    if (output->name == name)
      return {int64_t(output->value), true};
  for (const auto &input : session.file.program.inputs)
    if (input->name == name)
      return {int64_t(input->value), false};
  return {};
}

Expected<runtime::RunConfig> readConfig(const RingiSessionOptions &options) {
  runtime::RunConfig config;
  config.seed = options.seed;
  if (!(options.learningRate <= 1e6))
    return Error::badInput("learning rate " +
                           std::to_string(options.learningRate) +
                           " is not a number up to 1e6");
  if (options.learningRate >= 0)
    config.learningRate = options.learningRate;
  if (options.load)
    config.loadPath = options.load;
  for (size_t i = 0; i < options.inputCount; ++i) {
    Expected<runtime::InputSpec> spec =
        runtime::parseInputSpec(options.inputs[i]);
    if (!spec)
      return spec.error();
    config.inputs.push_back(std::move(*spec));
  }
  return config;
}

} // namespace

void ringiSessionOptionsInit(RingiSessionOptions *options) {
  *options = {0, 0, -1, nullptr, nullptr, 0};
}

RingiStatus ringiSessionStart(const char *programPath,
                              const RingiSessionOptions *options,
                              RingiSession **session) {
  if (!programPath || !options || !session)
    return failNull(!programPath ? "programPath"
                    : !options   ? "options"
                                 : "session");
  return guarded([&] {
    Expected<runtime::RunConfig> config = readConfig(*options);
    if (!config)
      return fail(config.error());
    Expected<program::ProgramFile> file = program::loadProgram(programPath);
    if (!file)
      return fail(file.error());
    runtime::HostOptions host;
    host.threads = options->threads;
    Expected<std::unique_ptr<runtime::Device>> device =
        runtime::makeHostDevice(host);
    if (!device)
      return fail(device.error());
    auto made = std::make_unique<RingiSession>();
    made->file = std::move(*file);
    made->device = std::move(*device);
    Expected<std::unique_ptr<runtime::Session>> started =
        runtime::Session::start(made->file, *made->device, *config);
    if (!started)
      return fail(started.error());
    made->session = std::move(*started);
    made->firstStep = made->session->stepsDone();
    *session = made.release();
    return RINGI_OK;
  });
}

void ringiSessionDestroy(RingiSession *session) { delete session; }

RingiStatus ringiSessionStep(RingiSession *session) {
  if (!session)
    return failNull("session");
  return guarded([&] {
    Status status = session->session->step();
    return status ? RINGI_OK : fail(status.error());
  });
}

int64_t ringiSessionStepsDone(const RingiSession *session) {
  return session->session->stepsDone();
}

RingiStatus ringiSessionLoss(RingiSession *session, double *loss) {
  if (!session || !loss)
    return failNull(session ? "loss" : "session");
  return guarded([&] {
    if (!session->session->hasLoss())
      return fail(Error::badInput("the program has no loss"));
    if (session->session->stepsDone() == session->firstStep)
      return fail(Error::badInput("no step has run; call ringiSessionStep"));
    Expected<double> value = session->session->loss();
    if (!value)
      return fail(value.error());
    *loss = *value;
    return RINGI_OK;
  });
}

int64_t ringiSessionPlannedPeak(const RingiSession *session) {
  return session->session->executor().arena().bytes();
}

int64_t ringiSessionBytes(const RingiSession *session, const char *name) {
  Named named = find(*session, name);
  return named.value < 0
             ? -1
             : session->session->executor().bytesOf(uint32_t(named.value));
}

RingiStatus ringiSessionRead(RingiSession *session, const char *name,
                             void *buffer, size_t bytes) {
  if (!session || !name || !buffer)
    return failNull(!session ? "session" : !name ? "name" : "buffer");
  return guarded([&] {
    Named named = find(*session, name);
    if (named.value < 0)
      return fail(Error::badInput(std::string("the program has no input or "
                                              "output '") +
                                  name + "'"));
    if (named.isOutput && session->session->stepsDone() == session->firstStep)
      return fail(Error::badInput("no step has run; call ringiSessionStep"));
    runtime::Executor &executor = session->session->executor();
    int64_t expected = executor.bytesOf(uint32_t(named.value));
    if (int64_t(bytes) != expected)
      return fail(Error::badInput(
          "'" + std::string(name) + "' has " + std::to_string(expected) +
          " bytes, but the buffer has " + std::to_string(bytes)));
    Status status =
        executor.read(uint32_t(named.value), static_cast<std::byte *>(buffer));
    return status ? RINGI_OK : fail(status.error());
  });
}

RingiStatus ringiSessionSave(RingiSession *session, const char *path) {
  if (!session || !path)
    return failNull(session ? "path" : "session");
  return guarded([&] {
    Status status = session->session->save(path);
    return status ? RINGI_OK : fail(status.error());
  });
}
