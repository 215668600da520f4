//===- main.cpp - ringi-model: forward models as MLIR -----------*- C++ -*-===//
//
// Part of Ringi. Writes mlp, deepnet or gpt2 as a forward function in the ringi
// dialect; exit code 2 and one error for sizes that do not fit together.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include "../CommandLine.h"

#include "ringi/InitAllRingi.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

#include <CLI/CLI.hpp>

#include <map>

using namespace mlir;
using namespace ringi::model;

namespace {

struct Options {
  std::string output = "-";
  std::string dtype = "f32";
  std::string preset, attention = "unfused";
  MlpConfig mlp;
  DeepNetConfig deepnet;
  Gpt2Config gpt2;
};

int fail(const std::string &message) {
  llvm::errs() << "ringi-model: error: " << message << "\n";
  return 2;
}

/// Layers, hidden size, heads, sequence, batch and vocabulary of the published
/// sizes; `nano` is for tests and reads bytes as tokens.
const std::map<std::string, Gpt2Config> &presets() {
  static const std::map<std::string, Gpt2Config> all = {
      {"nano", {4, 64, 4, 64, 4, 256, 0.0, false}},
      {"124m", {12, 768, 12, 1024, 4, 50257, 0.0, false}},
      {"355m", {24, 1024, 16, 1024, 4, 50257, 0.0, false}},
      {"774m", {36, 1280, 20, 1024, 4, 50257, 0.0, false}},
      {"1558m", {48, 1600, 25, 1024, 4, 50257, 0.0, false}}};
  return all;
}

/// Every layer is written out, so that the text grows with their number.
constexpr int64_t kMaxLayers = 100000;

void addSize(CLI::App *app, const std::string &name, int64_t &value,
             const std::string &what, int64_t largest = int64_t(1) << 24) {
  app->add_option(name, value, what)
      ->capture_default_str()
      ->check(CLI::Range(int64_t(1), largest));
}

void declareMlp(CLI::App &app, Options &options) {
  CLI::App *mlp = app.add_subcommand(
      "mlp", "linear layers with relu, cross-entropy over classes");
  addSize(mlp, "--layers", options.mlp.layers, "linear layers", kMaxLayers);
  addSize(mlp, "--input", options.mlp.input, "input features");
  addSize(mlp, "--hidden", options.mlp.hidden, "features between layers");
  addSize(mlp, "--classes", options.mlp.classes, "classes");
  addSize(mlp, "--batch", options.mlp.batch, "samples per step");
}

void declareDeepNet(CLI::App &app, Options &options) {
  CLI::App *deepnet = app.add_subcommand(
      "deepnet", "residual linear-gelu-linear blocks, squared error");
  addSize(deepnet, "--blocks", options.deepnet.blocks, "residual blocks",
          kMaxLayers);
  addSize(deepnet, "--dim", options.deepnet.dim, "features");
  addSize(deepnet, "--batch", options.deepnet.batch, "samples per step");
}

/// Declares gpt2's options; a preset fills in what is not given explicitly.
void declareGpt2(CLI::App &app, Options &options) {
  CLI::App *gpt2 = app.add_subcommand(
      "gpt2", "GPT-2 with tied embeddings, cross-entropy over the vocabulary");
  Gpt2Config &config = options.gpt2;
  std::vector<std::string> names;
  for (const auto &[name, sizes] : presets())
    names.push_back(name);
  gpt2->add_option("--preset", options.preset,
                   "published sizes; other options override them")
      ->check(CLI::IsMember(names))
      ->default_str("nano");
  addSize(gpt2, "--layers", config.layers, "transformer layers", kMaxLayers);
  addSize(gpt2, "--hidden", config.hidden, "hidden size");
  addSize(gpt2, "--heads", config.heads, "attention heads");
  addSize(gpt2, "--seq", config.seq, "tokens per sequence");
  addSize(gpt2, "--batch", config.batch, "sequences per step");
  addSize(gpt2, "--vocab", config.vocab, "vocabulary size");
  gpt2->add_option("--dropout", config.dropout,
                   "probability on embedding, attention and residuals")
      ->capture_default_str()
      ->check(ringi::commandline::number(0, 0.999));
  gpt2->add_option("--attention", options.attention,
                   "fused (no quadratic matrix, no dropout on the "
                   "probabilities) or unfused")
      ->capture_default_str()
      ->check(CLI::IsMember({"fused", "unfused"}));
}

/// Sizes that were not given on the command line come from the preset.
void applyPreset(const CLI::App &app, Options &options) {
  if (options.preset.empty())
    return;
  const CLI::App *gpt2 = app.get_subcommand("gpt2");
  const Gpt2Config &preset = presets().at(options.preset);
  Gpt2Config &config = options.gpt2;
  auto take = [&](const char *name, int64_t &value, int64_t presetValue) {
    if (gpt2->count(name) == 0)
      value = presetValue;
  };
  take("--layers", config.layers, preset.layers);
  take("--hidden", config.hidden, preset.hidden);
  take("--heads", config.heads, preset.heads);
  take("--seq", config.seq, preset.seq);
  take("--batch", config.batch, preset.batch);
  take("--vocab", config.vocab, preset.vocab);
}

FloatType parseDtype(Builder builder, const std::string &text) {
  if (text == "f64")
    return builder.getF64Type();
  if (text == "bf16")
    return builder.getBF16Type();
  if (text == "f16")
    return builder.getF16Type();
  return builder.getF32Type();
}

OwningOpRef<ModuleOp> build(const CLI::App &app, MLIRContext *context,
                            const Options &options) {
  FloatType dtype = parseDtype(Builder(context), options.dtype);
  if (app.got_subcommand("mlp"))
    return buildMlp(context, dtype, options.mlp);
  if (app.got_subcommand("deepnet"))
    return buildDeepNet(context, dtype, options.deepnet);
  return buildGpt2(context, dtype, options.gpt2);
}

/// The name of the first op that makes a value of more than 2^53 elements,
/// whose bytes nothing could count; empty if there is none.
std::string findOversized(ModuleOp module) {
  std::string found;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      double elements = 1;
      for (int64_t size : tensor ? tensor.getShape() : ArrayRef<int64_t>())
        elements *= double(size);
      if (elements <= double(int64_t(1) << 53))
        continue;
      auto name = dyn_cast<NameLoc>(op->getLoc());
      found = name ? name.getName().str() : op->getName().getStringRef().str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("ringi-model: writes forward models as MLIR in the ringi "
               "dialect, ready for ringi-opt --ringi-train");
  app.require_subcommand(0, 1);
  app.fallthrough();
  app.add_option("-o,--output", options.output, "output file")
      ->capture_default_str();
  app.add_option("--dtype", options.dtype,
                 "element type of parameters and activations")
      ->capture_default_str()
      ->check(CLI::IsMember({"f64", "f32", "bf16", "f16"}));
  declareMlp(app, options);
  declareDeepNet(app, options);
  declareGpt2(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    return fail(std::string(error.what()) + "; see ringi-model --help");
  }
  if (app.get_subcommands().empty())
    return fail("no model given; give mlp, deepnet or gpt2");
  applyPreset(app, options);
  options.gpt2.fusedAttention = options.attention == "fused";
  if (app.got_subcommand("gpt2") &&
      options.gpt2.hidden % options.gpt2.heads != 0)
    return fail("hidden size " + std::to_string(options.gpt2.hidden) +
                " is not a multiple of " + std::to_string(options.gpt2.heads) +
                " heads; choose --hidden or --heads so that it is");

  DialectRegistry registry;
  ringi::registerAllDialects(registry);
  registry.insert<func::FuncDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = build(app, &context, options);
  if (std::string name = findOversized(*module); !name.empty())
    return fail("'" + name +
                "' makes more than 2^53 elements; choose smaller sizes");
  if (failed(verify(*module)))
    return fail("these sizes give an invalid model; see the errors above");

  std::string message;
  auto file = openOutputFile(options.output, &message);
  if (!file)
    return fail("cannot write '" + options.output + "': " + message);
  OpPrintingFlags flags;
  flags.enableDebugInfo(true, /*prettyForm=*/false).printNameLocAsPrefix(true);
  module->print(file->os(), flags);
  file->os() << "\n";
  file->os().flush();
  if (std::error_code error = file->os().error()) {
    file->os().clear_error();
    return fail("cannot write '" + options.output + "': " + error.message());
  }
  file->keep();
  return 0;
}
