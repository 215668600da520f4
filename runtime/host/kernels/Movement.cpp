//===- Movement.cpp - Copies, permutations and casts ----------------------===//
//
// Part of Ringi. slice, pad_slice and concat are strided blocks; transpose and
// broadcast read with any stride per dimension; cast rounds once, also from f64
// to 16 bits.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Parallel.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

/// Offset in the source of the `index`-th line of all dimensions before `last`.
int64_t lineOffset(const GatherArgs &args, int64_t index, int last) {
  int64_t offset = 0;
  for (int d = last - 1; d >= 0; --d) {
    offset += index % args.shape[d] * args.stride[d];
    index /= args.shape[d];
  }
  return offset;
}

template <typename Word>
void gatherWords(const GatherArgs &args, const Threads &threads) {
  const Word *from = static_cast<const Word *>(args.from);
  Word *to = static_cast<Word *>(args.to);
  const int last = args.rank - 1;
  const int64_t width = args.shape[last], stride = args.stride[last];
  int64_t lines = 1;
  for (int d = 0; d < last; ++d)
    lines *= args.shape[d];

  if (stride != 1 && last > 0 && args.stride[last - 1] == 1) {
    // A matrix transpose: short runs of one source line feed several lines.
    constexpr int64_t kRun = 16;
    const int64_t height = args.shape[last - 1];
    const int64_t strips = (height + kRun - 1) / kRun;
    parallelFor(threads, lines / height * strips, 2 * lines * width,
                [&](int64_t begin, int64_t end, int) {
                  for (int64_t strip = begin; strip < end; ++strip) {
                    const int64_t matrix = strip / strips;
                    const int64_t first = strip % strips * kRun;
                    const int64_t run = least(kRun, height - first);
                    const Word *source =
                        from + lineOffset(args, matrix, last - 1) + first;
                    Word *line = to + (matrix * height + first) * width;
                    for (int64_t j = 0; j < width; ++j)
                      for (int64_t i = 0; i < run; ++i)
                        line[i * width + j] = source[j * stride + i];
                  }
                });
    return;
  }
  parallelFor(threads, lines, lines * width,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t index = begin; index < end; ++index) {
                  const Word *source = from + lineOffset(args, index, last);
                  Word *line = to + index * width;
                  if (stride == 1) {
                    std::memcpy(line, source,
                                sizeof(Word) * static_cast<size_t>(width));
                    continue;
                  }
                  for (int64_t i = 0; i < width; ++i)
                    line[i] = source[i * stride];
                }
              });
}

/// Rounded so that rounding the result again to fewer bits equals rounding
/// `value` once: inexact results get an odd last bit.
float roundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  const uint32_t bits = bitsOf(nearest);
  const double back = nearest;
  if (back == value || value != value || (bits & 1u))
    return nearest;
  const bool tooLarge = (back > value) == (back > 0);
  return floatOf(tooLarge ? bits - 1 : bits + 1);
}

double readAny(DataType type, const void *data, int64_t at) {
  switch (type) {
  case DataType::F64:
    return static_cast<const double *>(data)[at];
  case DataType::I64:
    return static_cast<double>(static_cast<const int64_t *>(data)[at]);
  case DataType::I32:
    return static_cast<const int32_t *>(data)[at];
  case DataType::I8:
    return static_cast<const int8_t *>(data)[at];
  default:
    return readOne<float>(type, data, at);
  }
}

/// Integers truncate and saturate; NaN becomes zero.
template <typename Integer>
Integer toInteger(double value, double low, double high) {
  if (!(value == value))
    return 0;
  if (value <= low)
    return static_cast<Integer>(low);
  if (value >= high)
    return high >= 9.2e18 ? static_cast<Integer>(INT64_MAX)
                          : static_cast<Integer>(high);
  return static_cast<Integer>(value);
}

void writeAny(DataType type, void *data, int64_t at, double value) {
  switch (type) {
  case DataType::F64:
    static_cast<double *>(data)[at] = value;
    return;
  case DataType::F32:
    static_cast<float *>(data)[at] = static_cast<float>(value);
    return;
  case DataType::BF16:
    fromFloat(roundToOdd(value), static_cast<BFloat16 *>(data) + at);
    return;
  case DataType::F16:
    fromFloat(roundToOdd(value), static_cast<Float16 *>(data) + at);
    return;
  case DataType::I64:
    static_cast<int64_t *>(data)[at] =
        toInteger<int64_t>(value, -0x1p63, 0x1p63);
    return;
  case DataType::I32:
    static_cast<int32_t *>(data)[at] =
        toInteger<int32_t>(value, -2147483648.0, 2147483647.0);
    return;
  case DataType::I8:
    static_cast<int8_t *>(data)[at] = toInteger<int8_t>(value, -128, 127);
    return;
  }
}

bool isNarrowFloat(DataType type) {
  return type == DataType::F32 || type == DataType::BF16 ||
         type == DataType::F16;
}

} // namespace

void copy(const CopyArgs &args, const Threads &threads) {
  const int64_t piece = args.zerosBefore + args.bytes + args.zerosAfter;
  parallelFor(
      threads, args.outer, args.outer * piece / 4,
      [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
          char *to = static_cast<char *>(args.to) + i * args.toStride;
          std::memset(to, 0, static_cast<size_t>(args.zerosBefore));
          to += args.zerosBefore;
          std::memcpy(
              to, static_cast<const char *>(args.from) + i * args.fromStride,
              static_cast<size_t>(args.bytes));
          std::memset(to + args.bytes, 0, static_cast<size_t>(args.zerosAfter));
        }
      });
}

void gather(const GatherArgs &args, const Threads &threads) {
  switch (args.elementBytes) {
  case 1:
    return gatherWords<uint8_t>(args, threads);
  case 2:
    return gatherWords<uint16_t>(args, threads);
  case 4:
    return gatherWords<uint32_t>(args, threads);
  default:
    return gatherWords<uint64_t>(args, threads);
  }
}

void cast(const CastArgs &args, const Threads &threads) {
  parallelChunks(threads, args.count, 2, [&](int64_t first, int64_t size) {
    if (isNarrowFloat(args.from) && isNarrowFloat(args.to)) {
      float from[kChunk], to[kChunk];
      const float *x = readChunk<float>(args.from, args.x, first, size, from);
      float *y = resultChunk<float>(args.to, args.y, first, to);
      // In place the two may be the same bytes.
      for (int64_t i = 0; i < size; ++i)
        y[i] = x[i];
      storeChunk<float>(args.to, y, args.y, first, size);
      return;
    }
    for (int64_t i = first; i < first + size; ++i)
      writeAny(args.to, args.y, i, readAny(args.from, args.x, i));
  });
}

} // namespace ringi::runtime::RINGI_ISA
