//===- RuntimeTestSupport.h - Files and faulty devices ----------*- C++ -*-===//
//
// Part of Ringi. A device that is the host device but for one op, whose launch
// a test replaces or surrounds: how each proof is shown to be able to fail.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TEST_UNIT_RUNTIME_RUNTIMETESTSUPPORT_H
#define RINGI_TEST_UNIT_RUNTIME_RUNTIMETESTSUPPORT_H

#include "TestPrograms.h"
#include "ringi/Runtime/HostDevice.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <unistd.h>

namespace ringi::runtime::test {

/// A path in the test's temporary folder, removed at the end.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &name)
      : path(testing::TempDir() + "ringi-" + std::to_string(getpid()) + "-" +
             name) {}
  ~TemporaryFile() { std::remove(path.c_str()); }
  void write(const std::string &content) const {
    std::ofstream(path, std::ios::binary) << content;
  }
  const std::string path;
};

inline std::unique_ptr<Device> host(int threads = 1) {
  Expected<std::unique_ptr<Device>> device =
      makeHostDevice({.threads = threads, .gemm = "ref"});
  EXPECT_TRUE(device) << device.error().message;
  return std::move(*device);
}

/// Called instead of the launch of one op; `real` is that launch.
using Fault =
    std::function<void(const OpCall &call, Arena &arena, BoundOp &real)>;

/// The host device, except for the op number `op` of the program.
class FaultyDevice : public Device {
public:
  FaultyDevice(size_t op, Fault fault) : op(op), fault(std::move(fault)) {}

  std::string name() const override { return "faulty"; }
  Expected<std::unique_ptr<Arena>> makeArena(int64_t bytes) override {
    Expected<std::unique_ptr<Arena>> made = real->makeArena(bytes);
    if (made)
      arena = made->get();
    count = 0;
    return made;
  }
  Expected<std::unique_ptr<BoundOp>> bind(const OpCall &call) override {
    Expected<std::unique_ptr<BoundOp>> bound = real->bind(call);
    if (!bound || count++ != op)
      return bound;
    return std::unique_ptr<BoundOp>(
        std::make_unique<FaultyOp>(*this, call, std::move(*bound)));
  }
  Status copyIn(void *device, const void *data, int64_t bytes) override {
    return real->copyIn(device, data, bytes);
  }
  Status copyOut(void *data, const void *device, int64_t bytes) override {
    return real->copyOut(data, device, bytes);
  }
  Status fill(void *device, uint8_t pattern, int64_t bytes) override {
    return real->fill(device, pattern, bytes);
  }
  Status synchronize() override { return real->synchronize(); }
  int64_t allocationsInSteps() const override {
    return real->allocationsInSteps();
  }

private:
  struct FaultyOp : BoundOp {
    FaultyOp(FaultyDevice &device, const OpCall &call,
             std::unique_ptr<BoundOp> real)
        : device(device), call(call), real(std::move(real)),
          arena(*device.arena) {}
    void launch() override { device.fault(call, arena, *real); }
    FaultyDevice &device;
    OpCall call;
    std::unique_ptr<BoundOp> real;
    Arena &arena;
  };

  std::unique_ptr<Device> real = host();
  Arena *arena = nullptr;
  size_t op, count = 0;
  Fault fault;
};

} // namespace ringi::runtime::test

#endif // RINGI_TEST_UNIT_RUNTIME_RUNTIMETESTSUPPORT_H
