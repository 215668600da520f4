//===- Numbers.h - Storing a real number as any element type ----*- C++ -*-===//
//
// Part of Ringi. Conversions for data that enters or leaves a program on the
// host, and the generator behind random data: round to nearest even, no
// allocation.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_CORE_NUMBERS_H
#define RINGI_RUNTIME_CORE_NUMBERS_H

#include "ringi/Program/StepProgram.h"

#include <array>
#include <cstring>

namespace ringi::runtime::detail {

/// Writes `value` as element `index` of an array of `type`; integers truncate.
/// Types below 8 bits are not stored element by element and stay unchanged.
void storeElement(program::ElementType type, std::byte *array, int64_t index,
                  double value);

/// Reads one element; 0 for types below 8 bits and f8.
double loadElement(program::ElementType type, const std::byte *array,
                   int64_t index);

/// Philox4x32-10 (Salmon et al. 2011): four random words per counter.
std::array<uint32_t, 4> philox(uint64_t key, std::array<uint32_t, 4> counter);

} // namespace ringi::runtime::detail

#endif // RINGI_RUNTIME_CORE_NUMBERS_H
