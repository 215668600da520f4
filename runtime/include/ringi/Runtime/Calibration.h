//===- Calibration.h - What a device reaches --------------------*- C++ -*-===//
//
// Part of Ringi. Measures, through the Device interface alone, the rates that
// predicted times and model FLOPs utilisation are made from. `ringi-run
// --calibrate` writes them as the JSON that DeviceSpec.h reads.
//
// A rate is what one GEMM in a row of equal ones reaches: a step that mixes
// shapes stays below it.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_CALIBRATION_H
#define RINGI_RUNTIME_CALIBRATION_H

#include "ringi/Runtime/Device.h"

namespace ringi::runtime {

/// One square product of [size, size] matrices.
struct GemmRate {
  program::ElementType type;
  int64_t size = 0;
  /// FLOP/s, counting 2 * size^3.
  double flops = 0;
};

struct Calibration {
  /// Device::model().
  std::string device;
  /// By type, sizes ascending; types without a GEMM on the device are missing.
  std::vector<GemmRate> gemm;
  /// Bytes per second, read and written, of an addition that fits no cache.
  double bandwidth = 0;
  /// Seconds of a kernel that does nothing, launched as steps launch theirs.
  double launch = 0;
  /// Device memory in bytes.
  int64_t memory = 0;

  /// The best rate of `type`; 0 when it was not measured.
  double bestRate(program::ElementType type) const;
};

struct CalibrationOptions {
  /// Each number is the best of several runs that take about this long.
  double seconds = 0.1;
  /// Sizes double from 128 up to this, while one product takes less than
  /// `seconds` and its matrices a quarter of the free memory.
  int64_t largestGemm = 8192;
};

/// Errors: no memory for the smallest measurement, a device without any GEMM, a
/// launch that fails.
Expected<Calibration> calibrate(Device &device,
                                const CalibrationOptions &options = {});

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_CALIBRATION_H
