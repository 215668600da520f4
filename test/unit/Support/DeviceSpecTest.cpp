//===- DeviceSpecTest.cpp - Devices by name and by file -------------------===//
//
// Part of Ringi. The built-in table, the JSON reader and each of its messages.
//
//===----------------------------------------------------------------------===//

#include "ringi/Support/DeviceSpec.h"
#include "ringi/Support/ExitCode.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace ringi;

namespace {

/// Writes `text` to a fresh .json file and returns its path.
std::string write(const std::string &text) {
  static int count = 0;
  std::string path =
      testing::TempDir() + "/ringi_device_" + std::to_string(count++) + ".json";
  std::ofstream(path) << text;
  return path;
}

std::string errorOf(const std::string &text) {
  Expected<DeviceSpec> spec = loadDeviceSpec(write(text));
  return spec ? "" : spec.error().message;
}

TEST(DeviceSpec, BuiltinEntriesAreComplete) {
  std::vector<std::string> names = builtinDeviceNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string &name : names) {
    std::optional<DeviceSpec> spec = findBuiltinDevice(name);
    ASSERT_TRUE(spec) << name;
    EXPECT_GT(spec->bandwidth, 0) << name;
    EXPECT_GT(spec->memory, 0) << name;
    for (const char *type : {"f64", "f32", "bf16", "f16"})
      EXPECT_TRUE(spec->flops.count(type)) << name << " " << type;
  }
  EXPECT_EQ(resolveDevice("a100")->flopsFor("bf16"), 312e12);
}

TEST(DeviceSpec, UnknownTypesRunAtTheRateOfF32OrTheSlowest) {
  EXPECT_EQ(findBuiltinDevice("a100")->flopsFor("f8E5M2"), 19.5e12);
  DeviceSpec spec;
  spec.flops = {{"bf16", 5}, {"f16", 3}};
  EXPECT_EQ(spec.flopsFor("f64"), 3);
}

TEST(DeviceSpec, ReadsAFile) {
  std::string path =
      write(R"({"name": "mine", "flops": {"f32": 2e12}, "bandwidth": 1e11,
                "launch": 0, "memory": 1000, "measured": {"any": "thing"}})");
  Expected<DeviceSpec> spec = resolveDevice(path);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->name, "mine");
  EXPECT_EQ(spec->flopsFor("f32"), 2e12);
  EXPECT_EQ(spec->bandwidth, 1e11);
  EXPECT_EQ(spec->launch, 0);
  EXPECT_EQ(spec->memory, 1000);
}

TEST(DeviceSpec, MessagesNameFileAndKey) {
  EXPECT_NE(errorOf("[]").find("is not a JSON object"), std::string::npos);
  EXPECT_NE(errorOf("{").find("is not a JSON object"), std::string::npos);
  EXPECT_NE(errorOf(R"({"speed": 1})").find("unknown key 'speed'"),
            std::string::npos);
  EXPECT_NE(errorOf("{}").find("'flops' must map element types to FLOP/s"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"flops": {"f32": "fast"}})")
                .find("'f32' must be a number, but is \"fast\""),
            std::string::npos);
  EXPECT_NE(
      errorOf(R"({"flops": {"f32": 1}})").find("key 'bandwidth' is missing"),
      std::string::npos);
  EXPECT_NE(errorOf(R"({"flops": {"f32": 1}, "bandwidth": 0})")
                .find("'bandwidth' is 0, but must be at least 1"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"flops": {"f32": 1}, "bandwidth": 1, "launch": 0,
                        "memory": 1e19})")
                .find("'memory' exceeds 9e18 bytes"),
            std::string::npos);
}

TEST(DeviceSpec, UnknownNamesListTheKnownOnes) {
  Expected<DeviceSpec> spec = resolveDevice("abacus");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().message,
            "unknown device 'abacus'; known are a100, b200, generic-cpu, h100, "
            "h200, rtx4090, or give a .json file");
  EXPECT_EQ(spec.error().exitCode(), 2);
  Expected<DeviceSpec> missing = resolveDevice("/nowhere/device.json");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("cannot read device file"),
            std::string::npos);
}

TEST(ExitCode, IsTwoUntilAPlanIsRefused) {
  EXPECT_EQ(failureExitCode(), 2);
  notePlanRefused();
  EXPECT_EQ(failureExitCode(), 1);
}

} // namespace
