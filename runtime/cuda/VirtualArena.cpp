//===- VirtualArena.cpp - Device memory with an unmapped end ----*- C++ -*-===//
//
// Part of Ringi. CUDA driver virtual memory management: reserve, create, map,
// permit; one granule of addresses behind the arena stays unmapped.
//
//===----------------------------------------------------------------------===//

#include "VirtualArena.h"

#include "CudaCall.h"

namespace ringi::cuda {

namespace {

using runtime::Arena;

/// The driver functions that an arena needs.
struct Driver {
  decltype(&cuMemGetAllocationGranularity) granularity;
  decltype(&cuMemAddressReserve) reserve;
  decltype(&cuMemAddressFree) freeAddresses;
  decltype(&cuMemCreate) create;
  decltype(&cuMemRelease) release;
  decltype(&cuMemMap) map;
  decltype(&cuMemUnmap) unmap;
  decltype(&cuMemSetAccess) setAccess;

  static Expected<Driver> load() {
    Driver driver{};
    Status status;
    auto find = [&](auto &slot, const char *name) {
      using Function = std::remove_reference_t<decltype(slot)>;
      Expected<Function> function = driverFunction<Function>(name);
      if (function)
        slot = *function;
      else if (status)
        status = function.error();
    };
    find(driver.granularity, "cuMemGetAllocationGranularity");
    find(driver.reserve, "cuMemAddressReserve");
    find(driver.freeAddresses, "cuMemAddressFree");
    find(driver.create, "cuMemCreate");
    find(driver.release, "cuMemRelease");
    find(driver.map, "cuMemMap");
    find(driver.unmap, "cuMemUnmap");
    find(driver.setAccess, "cuMemSetAccess");
    if (!status)
      return status.error();
    return driver;
  }
};

class VirtualArena : public Arena {
public:
  explicit VirtualArena(const Driver &driver) : driver(driver) {}
  VirtualArena(const VirtualArena &) = delete;
  VirtualArena &operator=(const VirtualArena &) = delete;

  ~VirtualArena() override {
    if (mapped)
      driver.unmap(base, mappedBytes);
    if (handle)
      driver.release(handle);
    if (base)
      driver.freeAddresses(base, reservedBytes);
  }

  Status init(int device, int64_t bytes) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    size_t granule = 0;
    if (Status status =
            check(driver.granularity(&granule, &properties,
                                     CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                  "cuMemGetAllocationGranularity");
        !status)
      return status;
    size = bytes;
    mappedBytes = (size_t(bytes) + granule - 1) / granule * granule;
    reservedBytes = mappedBytes + granule;
    if (Status status = check(driver.reserve(&base, reservedBytes, 0, 0, 0),
                              "cuMemAddressReserve");
        !status)
      return status;
    if (Status status = check(
            driver.create(&handle, mappedBytes, &properties, 0), "cuMemCreate");
        !status)
      return status;
    if (Status status =
            check(driver.map(base, mappedBytes, 0, handle, 0), "cuMemMap");
        !status)
      return status;
    mapped = true;
    CUmemAccessDesc access{};
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return check(driver.setAccess(base, mappedBytes, &access, 1),
                 "cuMemSetAccess");
  }

  std::byte *data() override {
    return reinterpret_cast<std::byte *>(base) + (mappedBytes - size_t(size));
  }
  int64_t bytes() const override { return size; }

private:
  Driver driver;
  CUdeviceptr base = 0;
  CUmemGenericAllocationHandle handle = 0;
  size_t mappedBytes = 0, reservedBytes = 0;
  int64_t size = 0;
  bool mapped = false;
};

/// Plain device memory: no fence, and reports say so through the device's name.
class PlainArena : public Arena {
public:
  PlainArena(void *memory, int64_t bytes) : memory(memory), size(bytes) {}
  PlainArena(const PlainArena &) = delete;
  PlainArena &operator=(const PlainArena &) = delete;
  ~PlainArena() override { cudaFree(memory); }
  std::byte *data() override { return static_cast<std::byte *>(memory); }
  int64_t bytes() const override { return size; }

private:
  void *memory;
  int64_t size;
};

} // namespace

Expected<std::unique_ptr<Arena>> makeVirtualArena(int device, int64_t bytes) {
  if (Expected<Driver> driver = Driver::load()) {
    auto arena = std::make_unique<VirtualArena>(*driver);
    if (Status status = arena->init(device, bytes); !status)
      return status.error();
    return std::unique_ptr<Arena>(std::move(arena));
  }
  void *memory = nullptr;
  if (Status status = check(cudaMalloc(&memory, size_t(bytes)), "cudaMalloc");
      !status)
    return status.error();
  return std::unique_ptr<Arena>(std::make_unique<PlainArena>(memory, bytes));
}

} // namespace ringi::cuda
