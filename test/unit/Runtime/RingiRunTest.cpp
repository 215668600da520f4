//===- RingiRunTest.cpp - The tool as scripts see it ----------------------===//
//
// Part of Ringi. Exit codes, report keys, trace, info and error lines.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTestSupport.h"

#include <nlohmann/json.hpp>

#include <set>
#include <sys/wait.h>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::program::test;
using namespace ringi::runtime::test;
using Json = nlohmann::json;

namespace {

struct Outcome {
  int exitCode = -1;
  /// Standard output and error together.
  std::string text;
};

Outcome run(const std::string &arguments) {
  Outcome outcome;
  std::string command = std::string(RINGI_RUN_PATH) + " " + arguments + " 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return outcome;
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof(buffer), pipe))
    outcome.text.append(buffer, count);
  int status = pclose(pipe);
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

void expectError(const std::string &arguments, int exitCode,
                 const std::string &part) {
  Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exitCode, exitCode) << outcome.text;
  EXPECT_NE(outcome.text.find(part), std::string::npos) << outcome.text;
}

class RingiRun : public testing::Test {
protected:
  TemporaryFile keep{"keep.rgp"}, again{"again.rgp"}, report{"report.json"},
      trace{"trace.json"}, state{"state.safetensors"}, broken{"broken.rgp"};

  void SetUp() override {
    for (bool recompute : {false, true}) {
      ProgramBuilder builder =
          perceptron({.recompute = recompute, .optimizer = OpKind::AdamW});
      ProgramFile &file = builder.finish();
      ASSERT_TRUE(saveProgram(file.program, file.segments,
                              (recompute ? again : keep).path));
    }
  }

  Json readJson(const TemporaryFile &file) {
    std::ifstream stream(file.path);
    Json json = Json::parse(stream, nullptr, false);
    EXPECT_FALSE(json.is_discarded());
    return json;
  }
};

TEST_F(RingiRun, EverythingAtOnce) {
  Outcome outcome =
      run(again.path + " --steps 4 --threads 2 --verify --audit --compare " +
          keep.path + " --report " + report.path + " --trace " + trace.path +
          " --save " + state.path);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  Json json = readJson(report);
  for (const char *key : {"program",
                          "device",
                          "strategy",
                          "steps",
                          "live_peak_bytes",
                          "planned_peak_bytes",
                          "measured_peak_bytes",
                          "saved_activation_bytes",
                          "recompute_flops_percent",
                          "step_seconds_median",
                          "loss",
                          "verified",
                          "bit_equal",
                          "arena_bytes",
                          "process_delta_bytes",
                          "audit_equal",
                          "device_model",
                          "device_delta_bytes",
                          "model_flops",
                          "product_type",
                          "calibrated_flops",
                          "mfu_percent",
                          "tokens_per_second"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["device"], "host");
  EXPECT_EQ(json["steps"], 4);
  EXPECT_EQ(json["loss"].size(), 4u);
  EXPECT_EQ(json["measured_peak_bytes"], json["planned_peak_bytes"]);
  EXPECT_EQ(json["arena_bytes"], json["planned_peak_bytes"]);
  EXPECT_EQ(json["recompute_flops_percent"], 20.0);
  EXPECT_EQ(json["model_flops"].get<double>(),
            json["total_flops"].get<double>() -
                json["recompute_flops"].get<double>());
  EXPECT_TRUE(json["mfu_percent"].is_null());
  EXPECT_TRUE(json["device_delta_bytes"].is_null());
  EXPECT_EQ(json["saved_activation_bytes"], 256);
  EXPECT_EQ(json["bit_equal"], true);
  EXPECT_EQ(json["audit_equal"], true);
  EXPECT_EQ(json["audit_clones"], 12);
  std::set<std::string> proofs;
  for (const auto &[name, verdict] : json["verified"].items()) {
    proofs.insert(name);
    EXPECT_NE(verdict, false) << name;
  }
  EXPECT_EQ(proofs, (std::set<std::string>{"accounting", "fence", "poison",
                                           "poison_on_free", "starve",
                                           "no_allocation"}));

  Json events = readJson(trace)["traceEvents"];
  int slices = 0;
  double peak = 0;
  for (const Json &event : events) {
    slices += event["ph"] == "X";
    if (event["ph"] == "C")
      peak = std::max(peak, event["args"]["bytes"].get<double>());
  }
  EXPECT_EQ(slices, 19);
  EXPECT_EQ(peak, json["live_peak_bytes"].get<double>());

  // The saved state continues at step 5.
  outcome = run(keep.path + " --load " + state.path);
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_NE(outcome.text.find("step 5: loss"), std::string::npos);
}

TEST_F(RingiRun, CalibratesAndReportsUtilisation) {
  TemporaryFile calibration{"calibration.json"};
  Outcome outcome = run("--threads 1 --calibrate " + calibration.path);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.text;
  Json device = readJson(calibration);
  ASSERT_TRUE(device["flops"].contains("f32")) << outcome.text;
  outcome = run(keep.path + " --threads 1 --calibration " + calibration.path +
                " --report " + report.path);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  Json json = readJson(report);
  EXPECT_EQ(json["device_model"], device["name"]);
  EXPECT_EQ(json["product_type"], "f32");
  EXPECT_EQ(json["calibrated_flops"], device["flops"]["f32"]);
  EXPECT_NEAR(json["mfu_percent"].get<double>(),
              100 * json["model_flops"].get<double>() /
                  (json["step_seconds_median"].get<double>() *
                   json["calibrated_flops"].get<double>()),
              1e-9);

  device["name"] = "abacus";
  calibration.write(device.dump());
  expectError(keep.path + " --threads 1 --calibration " + calibration.path, 2,
              "is of device 'abacus', this device is 'host ");
  calibration.write("{}");
  expectError(keep.path + " --calibration " + calibration.path, 2,
              "'flops' must map element types to FLOP/s");
  expectError(keep.path + " --calibration /nonexistent.json", 2,
              "cannot read device file");
  expectError(keep.path + " --calibrate " + calibration.path, 2,
              "--calibrate runs no program, but '");
  expectError("--calibrate " + keep.path, 2, "does not end in .json");
  expectError("--calibrate /nonexistent/d.json", 2,
              "cannot write '/nonexistent/d.json'");
}

TEST_F(RingiRun, DifferentBitsExitWithOne) {
  // Two programs of the same model and names, one of which decays weights.
  ProgramBuilder builder = perceptron({.optimizer = OpKind::AdamW});
  ProgramFile &file = builder.finish();
  for (auto &op : file.program.ops)
    op->attributes->weight_decay = 0.5;
  ASSERT_TRUE(saveProgram(file.program, file.segments, broken.path));
  Outcome outcome = run(keep.path + " --steps 2 --compare " + broken.path +
                        " --report " + report.path);
  EXPECT_EQ(outcome.exitCode, 1) << outcome.text;
  EXPECT_NE(outcome.text.find("of step 1 differs, element"), std::string::npos)
      << outcome.text;
  EXPECT_EQ(readJson(report)["bit_equal"], false);
}

TEST_F(RingiRun, InfoRunsNothing) {
  Outcome outcome = run(again.path + " --info");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_NE(outcome.text.find("recomputes op 2"), std::string::npos);
  EXPECT_NE(outcome.text.find("planned peak"), std::string::npos);
  EXPECT_EQ(outcome.text.find("step 1"), std::string::npos);
}

TEST_F(RingiRun, DebugPrintsTheSameChecksumsForCloneAndOrigin) {
  Outcome outcome = run(again.path + " --debug");
  EXPECT_EQ(outcome.exitCode, 0);
  std::vector<std::string> dropouts;
  size_t at = 0;
  while ((at = outcome.text.find(" dropout ", at)) != std::string::npos) {
    at += 9;
    dropouts.push_back(outcome.text.substr(at, 16));
  }
  ASSERT_EQ(dropouts.size(), 2u) << outcome.text;
  EXPECT_EQ(dropouts[0], dropouts[1]);
}

TEST_F(RingiRun, Help) {
  Outcome outcome = run("--help");
  EXPECT_EQ(outcome.exitCode, 0);
  for (const char *option :
       {"--steps", "--input", "--seed", "--lr", "--threads", "--device",
        "--verify", "--audit", "--compare", "--save", "--load", "--report",
        "--trace", "--info", "--calibrate", "--calibration"})
    EXPECT_NE(outcome.text.find(option), std::string::npos) << option;
}

TEST_F(RingiRun, BadInputExitsWithTwo) {
  expectError("", 2, "program is required");
  expectError(keep.path + " --unknown", 2, "--unknown");
  expectError(keep.path + " --steps 0", 2, "--steps");
  expectError(keep.path + " --steps many", 2, "--steps");
  expectError(keep.path + " --lr -1", 2, "--lr");
  expectError("/nonexistent.rgp", 2,
              "error: cannot read '/nonexistent.rgp': No such file");
  expectError(keep.path + " --device tpu", 2, "unknown device 'tpu'");
  expectError(keep.path + " --gemm magic", 2, "magic");
  expectError(keep.path + " --threads -2", 2, "cannot use -2 threads");
  expectError(keep.path + " --input x", 2, "cannot read --input 'x'");
  expectError(keep.path + " --input y=random", 2,
              "the program has no input 'y'; its inputs are: x, t");
  expectError(keep.path + " --input x=/nonexistent", 2, "input 'x': cannot");
  expectError(keep.path + " --load /nonexistent", 2, "cannot read");
  expectError(keep.path + " --compare /nonexistent", 2, "cannot read");
  expectError(keep.path + " --report /nonexistent/r.json", 2,
              "cannot write '/nonexistent/r.json'");
  expectError(keep.path + " --trace /nonexistent/t.json", 2, "cannot write");
  expectError(keep.path + " --save /nonexistent/s", 2, "cannot write");
}

TEST_F(RingiRun, DamagedProgramsExitWithTwo) {
  std::ifstream stream(keep.path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(stream)), {});
  broken.write(content.substr(0, content.size() / 2));
  expectError(broken.path, 2, "is truncated or damaged");
  content[content.size() / 2] ^= 1;
  broken.write(content);
  expectError(broken.path, 2, "its checksum does not match");
  broken.write("");
  expectError(broken.path, 2, "0 bytes are too few");

  // A size doubled, with a good checksum: the semantic verifier's turn.
  ProgramBuilder builder = perceptron();
  ProgramFile &file = builder.finish();
  file.program.buffers[10]->bytes *= 2;
  ASSERT_TRUE(saveProgram(file.program, file.segments, broken.path));
  expectError(broken.path, 2, "1024 bytes, its values and workspaces need 512");
}

TEST_F(RingiRun, TooLittleMemoryIsAnError) {
  // Two tensors of 2^45 bytes.
  ProgramBuilder b("huge");
  auto x = b.input("x", ElementType::F32, {uint64_t(1) << 43}, Role::Input,
                   Initializer::Normal);
  b.output("y", b.unary(OpKind::Relu, {x}), Role::Output);
  ProgramFile &file = b.finish();
  ASSERT_TRUE(saveProgram(file.program, file.segments, broken.path));
  expectError(broken.path, 2, "the arena needs 70368744177664 bytes, ");
  expectError(broken.path, 2,
              "inputs alone take 35184372088832, so no plan fits");
}

} // namespace
