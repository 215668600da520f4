//===- ringi-run.cpp - Execute, verify and profile step programs ----------===//
//
// Part of Ringi. The command line over the runtime: loads a program, trains it
// for some steps, and on request proves its peak, audits its clones and
// compares it with another plan of the same model.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "Devices.h"
#include "Info.h"
#include "Report.h"
#include "Trace.h"

#include "../CommandLine.h"
#include "ringi/Runtime/Checks.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <map>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;
using namespace ringi::run;

namespace {

struct Options {
  std::string path, compare, save, saveOutputs, report, trace;
  /// Where --calibrate writes; unset without it, "" = standard output.
  std::optional<std::string> calibrate;
  std::string calibration;
  int64_t steps = 1;
  DeviceOptions device;
  RunConfig run;
  std::vector<std::string> inputs;
  bool verify = false, audit = false, info = false, debug = false;
  bool devices = false;
};

/// Prints the checksum of every result right after its op.
class HashPrinter : public OpObserver {
public:
  HashPrinter(Session &session) : session(session) {}
  Status afterOp(size_t index) override {
    const StepProgramT &program = session.executor().program();
    const OpT &op = *program.ops[index];
    std::printf("step %" PRId64 " %s", session.stepsDone(),
                describeOp(program, index).c_str());
    for (uint32_t result : op.results) {
      bytes.resize(size_t(session.executor().bytesOf(result)));
      if (Status status = session.executor().read(result, bytes.data());
          !status)
        return status;
      std::printf(" %016" PRIx64, checksum(bytes.data(), bytes.size()));
    }
    std::printf("\n");
    return Status::success();
  }

private:
  Session &session;
  std::vector<std::byte> bytes;
};

/// The steps that are timed, reported, saved and traced.
Status train(const ProgramFile &file, Device &device, const Options &options,
             Report &report) {
  using Clock = std::chrono::steady_clock;
  ExecutorOptions mode;
  // One pattern suffices to see the high water of a run that --verify has
  // proved with two.
  mode.fill = 0xA5;
  // On a device that runs ahead, waiting for every op would be what is timed.
  mode.timeOps = options.device.name == "host" || !options.trace.empty();
  mode.poisonOnFree = options.debug;
  int64_t before = residentBytes();
  Expected<std::unique_ptr<Session>> session =
      Session::start(file, device, options.run, mode);
  if (!session)
    return session.error();
  report.firstStep = (*session)->stepsDone() + 1;
  HashPrinter hashes(**session);
  Executor &executor = (*session)->executor();
  for (int64_t step = 0; step < options.steps; ++step) {
    Clock::time_point start = Clock::now();
    if (Status status = (*session)->step(options.debug ? &hashes : nullptr);
        !status)
      return status;
    report.stepSeconds.push_back(
        std::chrono::duration<double>(Clock::now() - start).count());
    if ((*session)->hasLoss()) {
      Expected<double> loss = (*session)->loss();
      if (!loss)
        return loss.error();
      report.losses.push_back(*loss);
    }
    if (!mode.timeOps || (step == 0 && options.steps > 1))
      continue;
    for (size_t i = 0; i < file.program.ops.size(); ++i) {
      double seconds = executor.opTimes()[i].second;
      report.secondsByClass[file.program.ops[i]->op_class] += seconds;
      report.opSeconds += seconds;
      if (file.program.ops[i]->origin >= 0)
        report.recomputeSeconds += seconds;
    }
  }
  report.processDelta = residentBytes() - before;
  report.arenaBytes = executor.arena().bytes();
  if (int64_t used = device.memory().used; used >= 0)
    report.deviceDelta = used - report.arenaBytes;
  if (!options.verify) {
    Expected<int64_t> measured = touchedPeak(executor, *mode.fill);
    if (!measured)
      return measured.error();
    report.measuredPeak = *measured;
  }
  if (!options.save.empty())
    if (Status status = (*session)->save(options.save); !status)
      return status;
  if (!options.saveOutputs.empty())
    if (Status status = (*session)->saveOutputs(options.saveOutputs); !status)
      return status;
  return options.trace.empty() ? Status::success()
                               : writeTrace(executor, options.trace);
}

Status audit(const ProgramFile &file, Device &device, const Options &options,
             Report &report) {
  Expected<std::unique_ptr<Session>> session =
      Session::start(file, device, options.run);
  if (!session)
    return session.error();
  CloneAudit audit((*session)->executor());
  for (int64_t step = 0; step < options.steps; ++step)
    if (Status status = (*session)->step(&audit); !status)
      return status;
  report.audited = true;
  report.clonesCompared = audit.clonesCompared();
  report.auditDifference = audit.difference();
  return Status::success();
}

Status compare(const ProgramFile &file, const ProgramFile &other,
               Device &device, const Options &options, Report &report) {
  Expected<std::unique_ptr<Session>> session =
      Session::start(file, device, options.run);
  if (!session)
    return session.error();
  Expected<std::unique_ptr<Session>> reference =
      Session::start(other, device, options.run);
  if (!reference)
    return reference.error();
  Expected<Comparison> comparison = Comparison::create(**session, **reference);
  if (!comparison)
    return comparison.error();
  for (int64_t step = 0; step < options.steps; ++step)
    if (Status status = comparison->step(); !status)
      return status;
  report.compared = true;
  report.comparedWith = options.compare;
  report.valuesCompared = comparison->valuesCompared();
  report.comparisonDifference = comparison->difference();
  return Status::success();
}

Status calibrate(const Options &options) {
  if (!options.path.empty())
    return Error::badInput("--calibrate runs no program, but '" + options.path +
                           "' is given; leave one of them out");
  const std::string &path = *options.calibrate;
  if (!path.empty() && !path.ends_with(".json"))
    return Error::badInput("--calibrate writes a device file, but '" + path +
                           "' does not end in .json; name one that does");
  Expected<std::unique_ptr<Device>> device = makeDevice(options.device);
  if (!device)
    return device.error();
  return writeCalibration(**device, path.empty() ? "/dev/stdout" : path);
}

/// No output may replace what the run reads, or another output.
Status checkPaths(const Options &options) {
  std::map<std::string, std::string> taken;
  auto place = [](const std::string &path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(path, ignored).string();
  };
  taken[place(options.path)] = "the program";
  if (!options.compare.empty())
    taken[place(options.compare)] = "--compare";
  for (const InputSpec &input : options.run.inputs)
    if (!input.path.empty())
      taken[place(input.path)] = "--input";
  const std::pair<const char *, const std::string *> outputs[] = {
      {"--save", &options.save},
      {"--save-outputs", &options.saveOutputs},
      {"--report", &options.report},
      {"--trace", &options.trace}};
  for (auto [name, path] : outputs) {
    if (path->empty())
      continue;
    auto [other, isNew] = taken.try_emplace(place(*path), name);
    if (!isNew)
      return Error::badInput(std::string(name) + " would write over '" + *path +
                             "', which is " + other->second +
                             "; choose another path");
  }
  return Status::success();
}

Status runAll(const Options &options, bool &good) {
  if (options.devices)
    return printDevices();
  if (options.calibrate)
    return calibrate(options);
  if (options.path.empty())
    return Error::badInput("program is required; see ringi-run --help");
  if (Status status = checkPaths(options); !status)
    return status;
  Expected<ProgramFile> file = loadProgram(options.path);
  if (!file)
    return file.error();
  if (options.info) {
    printProgram(file->program);
    return Status::success();
  }
  Expected<ProgramFile> other = ProgramFile();
  if (!options.compare.empty())
    other = loadProgram(options.compare);
  if (!other)
    return other.error();
  Report report;
  DeviceFactory factory = [&] { return makeDevice(options.device); };
  ProofConfig proofs;
  proofs.run = options.run;
  // Before this process has threads: see proveFence().
  Proof fence;
  if (options.verify)
    fence = proveFence(*file, proofs, factory);
  Expected<std::unique_ptr<Device>> device = factory();
  if (!device)
    return device.error();
  report.device = (*device)->name();
  report.model = (*device)->model();
  if (!options.calibration.empty()) {
    Expected<DeviceSpec> spec = loadCalibration(options.calibration, **device);
    if (!spec)
      return spec.error();
    report.calibration = std::move(*spec);
  }
  std::printf("program '%s', strategy %s, device %s\n",
              file->program.name.c_str(),
              file->program.claims->strategy.c_str(), report.device.c_str());
  if (options.verify) {
    Expected<PeakProofs> peak = provePeak(*file, **device, proofs);
    if (!peak)
      return peak.error();
    report.measuredPeak = peak->measuredPeak;
    report.proofs = std::move(peak->proofs);
    report.proofs.insert(report.proofs.begin() + 1, fence);
  }
  if (Status status = train(*file, **device, options, report); !status)
    return status;
  if (options.audit)
    if (Status status = audit(*file, **device, options, report); !status)
      return status;
  if (!options.compare.empty())
    if (Status status = compare(*file, *other, **device, options, report);
        !status)
      return status;
  printReport(report, file->program);
  if (!options.report.empty())
    if (Status status = writeReport(report, file->program, options.report);
        !status)
      return status;
  good = report.allGood(file->program);
  return Status::success();
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app{
      "Runs a Ringi step program (.rgp): trains for some steps, proves "
      "its memory peak, audits its recomputed ops and compares plans "
      "bit for bit.\nExit code: 0 = all good, 1 = a proof, audit or "
      "comparison failed, 2 = bad input.",
      "ringi-run"};
  app.add_option("program", options.path, "the step program");
  app.add_option("--steps", options.steps, "training steps (default 1)")
      ->check(CLI::Range(int64_t(1), int64_t(1000000000)));
  app.add_option("--input", options.inputs,
                 "name=file (raw bytes or .safetensors, one or several "
                 "batches), name=random, or name=bytes:file (byte-level "
                 "tokens; targets get the next byte); repeatable. Default: "
                 "random from the seed")
      ->allow_extra_args(false);
  app.add_option("--seed", options.run.seed,
                 "seed of parameters, data and dropout (default 0)")
      ->check(commandline::unsignedNumber());
  app.add_option("--lr", options.run.learningRate,
                 "learning rate (default: the one compiled in, else 0.001)")
      ->check(commandline::number(0, 1e6));
  app.add_option("--threads", options.device.host.threads,
                 "threads of the host device (default: one per processor); "
                 "results do not depend on it");
  app.add_option("--gemm", options.device.host.gemm,
                 "GEMM provider of the host device: ref or onednn (default: "
                 "the build's)");
  app.add_option("--device", options.device.name,
                 "host (default), or cuda or cuda:N where it was built");
  app.add_flag("--devices", options.devices,
               "list the devices of this build and machine, and run nothing");
  app.add_option("--calibrate", options.calibrate,
                 "measure what the device reaches (GEMM rates, bandwidth, "
                 "launch overhead) and write it to this JSON file (default: "
                 "standard output), which ringi-opt and ringi-plan take as a "
                 "device; run nothing")
      ->expected(0, 1);
  app.add_option("--calibration", options.calibration,
                 "file of --calibrate on this device: the report gets the "
                 "utilisation")
      ->check(commandline::nonEmpty());
  app.add_option("--gemm-cache", options.device.cuda.gemmCache,
                 "file of pinned GEMM algorithms of the CUDA device: read when "
                 "it exists, extended with every new shape");
  app.add_flag("--tf32", options.device.cuda.tf32,
               "let f32 GEMMs of the CUDA device round to tf32");
  app.add_flag("--verify", options.verify,
               "prove the peak: accounting, fence, two-pattern poison, poison "
               "on free, starving, no allocation in steps");
  app.add_flag("--audit", options.audit,
               "check that every recomputed op gives its origin's bits");
  app.add_option("--compare", options.compare,
                 "another plan of the same model: all outputs and gradients "
                 "must be bit-equal")
      ->check(commandline::nonEmpty());
  app.add_option("--save", options.save,
                 "write parameters and optimizer state (.safetensors)")
      ->check(commandline::writableFile());
  app.add_option("--save-outputs", options.saveOutputs,
                 "write every output of the last step, gradients included "
                 "where the step returns them (.safetensors)")
      ->check(commandline::writableFile());
  app.add_option("--load", options.run.loadPath,
                 "continue from a saved state (.safetensors)")
      ->check(commandline::nonEmpty());
  app.add_option("--report", options.report, "write the numbers as JSON")
      ->check(commandline::writableFile());
  app.add_option("--trace", options.trace,
                 "write the last step as a Chrome trace (ui.perfetto.dev)")
      ->check(commandline::writableFile());
  app.add_flag("--info", options.info, "print the program and do not run it");
  app.add_flag("--debug", options.debug,
               "wait after every op, print its results' checksums, and turn "
               "dead slots into NaN");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  for (const std::string &text : options.inputs) {
    Expected<InputSpec> spec = parseInputSpec(text);
    if (!spec) {
      std::fprintf(stderr, "error: %s\n", spec.error().message.c_str());
      return spec.error().exitCode();
    }
    options.run.inputs.push_back(std::move(*spec));
  }
  bool good = true;
  Status status = runAll(options, good);
  std::fflush(stdout);
  if (!status) {
    std::fprintf(stderr, "error: %s\n", status.error().message.c_str());
    return status.error().exitCode();
  }
  if (!good)
    std::fprintf(stderr, "error: a proof, an audit or a comparison failed; see "
                         "the lines above\n");
  return good ? 0 : 1;
}
