//===- DeviceSpec.cpp - What a device can do ------------------------------===//
//
// Part of Ringi. The table of built-in devices and the JSON reader.
//
//===----------------------------------------------------------------------===//

#include "ringi/Support/DeviceSpec.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

using namespace ringi;

static const std::vector<DeviceSpec> &builtinDevices() {
  static const std::vector<DeviceSpec> devices = {
      {"a100",
       {{"f64", 19.5e12}, {"f32", 19.5e12}, {"bf16", 312e12}, {"f16", 312e12}},
       2.039e12,
       4e-6,
       80LL << 30},
      {"b200",
       {{"f64", 37e12},
        {"f32", 75e12},
        {"bf16", 2250e12},
        {"f16", 2250e12},
        {"f8E4M3FN", 4500e12},
        {"f8E5M2", 4500e12},
        {"f4E2M1FN", 9000e12}},
       8.0e12,
       4e-6,
       180LL << 30},
      {"generic-cpu",
       {{"f64", 0.1e12}, {"f32", 0.2e12}, {"bf16", 0.2e12}, {"f16", 0.1e12}},
       40e9,
       1e-6,
       16LL << 30},
      {"h100",
       {{"f64", 67e12},
        {"f32", 67e12},
        {"bf16", 989e12},
        {"f16", 989e12},
        {"f8E4M3FN", 1979e12},
        {"f8E5M2", 1979e12}},
       3.35e12,
       4e-6,
       80LL << 30},
      {"h200",
       {{"f64", 67e12},
        {"f32", 67e12},
        {"bf16", 989e12},
        {"f16", 989e12},
        {"f8E4M3FN", 1979e12},
        {"f8E5M2", 1979e12}},
       4.8e12,
       4e-6,
       141LL * 1000 * 1000 * 1000},
      {"rtx4090",
       {{"f64", 1.29e12},
        {"f32", 82.6e12},
        {"bf16", 165e12},
        {"f16", 165e12},
        {"f8E4M3FN", 330e12},
        {"f8E5M2", 330e12}},
       1.008e12,
       4e-6,
       24LL << 30},
  };
  return devices;
}

double DeviceSpec::flopsFor(const std::string &elementType) const {
  if (auto it = flops.find(elementType); it != flops.end())
    return it->second;
  if (auto it = flops.find("f32"); it != flops.end())
    return it->second;
  double slowest = flops.begin()->second;
  for (const auto &[type, rate] : flops)
    slowest = std::min(slowest, rate);
  return slowest;
}

std::optional<DeviceSpec> ringi::findBuiltinDevice(const std::string &name) {
  for (const DeviceSpec &device : builtinDevices())
    if (device.name == name)
      return device;
  return std::nullopt;
}

std::vector<std::string> ringi::builtinDeviceNames() {
  std::vector<std::string> names;
  for (const DeviceSpec &device : builtinDevices())
    names.push_back(device.name);
  return names;
}

/// The positive number under `key`, or an error that names file and key.
static Expected<double> readNumber(const nlohmann::json &object,
                                   const std::string &key, double least,
                                   const std::string &path) {
  auto it = object.find(key);
  if (it == object.end())
    return Error::badInput("device file '" + path + "': key '" + key +
                           "' is missing");
  if (!it->is_number())
    return Error::badInput("device file '" + path + "': '" + key +
                           "' must be a number, but is " + it->dump());
  double value = it->get<double>();
  if (!(value >= least))
    return Error::badInput("device file '" + path + "': '" + key + "' is " +
                           it->dump() + ", but must be at least " +
                           nlohmann::json(least).dump());
  return value;
}

Expected<DeviceSpec> ringi::loadDeviceSpec(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return Error::badInput("cannot read device file '" + path +
                           "'; give a readable .json file or a built-in name");
  nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    return Error::badInput("device file '" + path + "' is not a JSON object");
  for (const auto &[key, value] : json.items())
    if (key != "name" && key != "flops" && key != "bandwidth" &&
        key != "launch" && key != "memory" && key != "measured")
      return Error::badInput("device file '" + path + "': unknown key '" + key +
                             "'; known are name, flops, bandwidth, launch, "
                             "memory, measured");
  DeviceSpec spec;
  spec.name = path;
  if (auto it = json.find("name"); it != json.end() && it->is_string())
    spec.name = it->get<std::string>();
  auto flops = json.find("flops");
  if (flops == json.end() || !flops->is_object() || flops->empty())
    return Error::badInput("device file '" + path +
                           "': 'flops' must map element types to FLOP/s");
  for (const auto &[type, rate] : flops->items()) {
    Expected<double> number = readNumber(*flops, type, 1, path);
    if (!number)
      return number.error();
    spec.flops[type] = *number;
  }
  Expected<double> bandwidth = readNumber(json, "bandwidth", 1, path);
  if (!bandwidth)
    return bandwidth.error();
  Expected<double> launch = readNumber(json, "launch", 0, path);
  if (!launch)
    return launch.error();
  Expected<double> memory = readNumber(json, "memory", 1, path);
  if (!memory)
    return memory.error();
  if (*memory > 9e18)
    return Error::badInput("device file '" + path +
                           "': 'memory' exceeds 9e18 bytes");
  spec.bandwidth = *bandwidth;
  spec.launch = *launch;
  spec.memory = static_cast<int64_t>(*memory);
  return spec;
}

Expected<DeviceSpec> ringi::resolveDevice(const std::string &nameOrPath) {
  if (nameOrPath.ends_with(".json"))
    return loadDeviceSpec(nameOrPath);
  if (std::optional<DeviceSpec> device = findBuiltinDevice(nameOrPath))
    return *device;
  std::string known;
  for (const std::string &name : builtinDeviceNames())
    known += (known.empty() ? "" : ", ") + name;
  return Error::badInput("unknown device '" + nameOrPath + "'; known are " +
                         known + ", or give a .json file");
}
