//===- GenerateCommand.cpp - ringi-plan generate --------------------------===//
//
// Part of Ringi. Writes the graphs of Generators.h as graph JSON.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "OptionRules.h"

#include "../CommandLine.h"

#include "ringi/Planner/Generators.h"
#include "ringi/Planner/GraphFile.h"
#include "ringi/Planner/GraphJson.h"

#include <cstdio>
#include <memory>

namespace ringi::tool {

using namespace planner;

namespace {

struct GenerateArguments {
  std::string kind, output = "-";
  int64_t ops = 0;
  int32_t length = 10, blocks = 8, internals = 4;
  uint64_t seed = 0;
  GptOptions gpt;
  bool fused = false, noDropout = false, noOptimizer = false;
};

/// Larger graphs are of no use and take minutes and many gigabytes.
constexpr int64_t kMaxOps = 2'000'000;

Expected<Problem> generate(const GenerateArguments &a) {
  if (a.kind == "chain")
    return makeChain(a.length);
  if (a.kind == "blocks")
    return makeBlocks(a.blocks, a.internals);
  if (a.kind == "gpt") {
    GptOptions options = a.gpt;
    options.unfusedAttention = !a.fused;
    options.dropout = !a.noDropout;
    options.optimizer = !a.noOptimizer;
    if (a.ops > 0)
      options = gptOptionsForOps(a.ops, options);
    if (Status status = checkGptOptions(options, kMaxOps); !status)
      return status.error();
    return makeGptStep(options);
  }
  RandomOptions options;
  options.ops = a.ops > 0 ? int32_t(a.ops) : options.ops;
  return a.kind == "random" ? makeRandomDag(a.seed, options)
                            : makeRandomTraining(a.seed, options);
}

Status checkOptions(const CLI::App &app, const GenerateArguments &a) {
  const bool isGpt = a.kind == "gpt";
  const bool isRandom = a.kind == "random" || a.kind == "training";
  auto onlyBy = [&](const char *kinds) {
    return std::string("is read by ") + kinds + " only, not by " + a.kind +
           "; drop it";
  };
  const std::string gpt = onlyBy("gpt"), blocks = onlyBy("blocks");
  return checkRules(
      app, {{"--ops", isGpt || isRandom, onlyBy("gpt, random and training")},
            {"--length", a.kind == "chain", onlyBy("chain")},
            {"--blocks", a.kind == "blocks", blocks},
            {"--internals", a.kind == "blocks", blocks},
            {"--seed", isRandom, onlyBy("random and training")},
            {"--layers", isGpt, gpt},
            {"--layers", app.count("--ops") == 0,
             "and --ops both say how long the step is; drop one of them"},
            {"--hidden", isGpt, gpt},
            {"--heads", isGpt, gpt},
            {"--seq", isGpt, gpt},
            {"--batch", isGpt, gpt},
            {"--vocab", isGpt, gpt},
            {"--fused", isGpt, gpt},
            {"--no-dropout", isGpt, gpt},
            {"--no-optimizer", isGpt, gpt}});
}

Status runGenerate(const CLI::App &app, const GenerateArguments &a) {
  if (Status status = checkOptions(app, a); !status)
    return status;
  Expected<Problem> problem = generate(a);
  if (!problem)
    return problem.error();
  if (Status status = problem->check(); !status)
    return status;
  Expected<std::string> text = writeGraphJson(*problem);
  if (!text)
    return text.error();
  if (a.output != "-")
    return writeTextFile(a.output, *text);
  std::fwrite(text->data(), 1, text->size(), stdout);
  return Status::success();
}

} // namespace

Action addGenerateCommand(CLI::App &app) {
  auto arguments = std::make_shared<GenerateArguments>();
  GenerateArguments &a = *arguments;
  app.add_option("kind", a.kind, "chain, blocks, gpt, random or training")
      ->required()
      ->check(CLI::IsMember({"chain", "blocks", "gpt", "random", "training"}));
  app.add_option("-o,--output", a.output, "File to write; - is standard output")
      ->capture_default_str();
  app.add_option("--ops", a.ops, "Ops of gpt (about), random and training")
      ->check(CLI::Range(int64_t(1), kMaxOps));
  app.add_option("--length", a.length, "Forward ops of a chain")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--blocks", a.blocks, "Blocks of a block chain")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--internals", a.internals, "Internal values of a block")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_option("--seed", a.seed, "Seed of random graphs")
      ->check(commandline::unsignedNumber())
      ->capture_default_str();
  app.add_option("--layers", a.gpt.layers, "Transformer layers")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  for (auto [name, target, what] :
       {std::tuple("--hidden", &a.gpt.hidden, "Hidden size"),
        std::tuple("--heads", &a.gpt.heads, "Attention heads"),
        std::tuple("--seq", &a.gpt.sequence, "Sequence length"),
        std::tuple("--batch", &a.gpt.batch, "Batch size"),
        std::tuple("--vocab", &a.gpt.vocabulary, "Vocabulary")})
    app.add_option(name, *target, what)
        ->check(CLI::Range(int64_t(1), int64_t(1'000'000)))
        ->capture_default_str();
  app.add_flag("--fused", a.fused, "One attention op instead of four");
  app.add_flag("--no-dropout", a.noDropout, "No dropout ops");
  app.add_flag("--no-optimizer", a.noOptimizer,
               "Gradients are outputs of the step");
  return [arguments, &app] { return runGenerate(app, *arguments); };
}

} // namespace ringi::tool
