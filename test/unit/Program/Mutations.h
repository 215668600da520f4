//===- Mutations.h - Damage that gets past the trailer ---------*- C++ -*-===//
//
// Part of Ringi. What the fuzz tests of loader and runtime share.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TEST_UNIT_PROGRAM_MUTATIONS_H
#define RINGI_TEST_UNIT_PROGRAM_MUTATIONS_H

#include "ringi/Program/StepProgram.h"

#include <cstring>
#include <random>

namespace ringi::program::test {

using Bytes = std::vector<std::byte>;

/// Makes the trailer's checksum right again, as a careful attacker would.
inline void repairChecksum(Bytes &file) {
  if (file.size() < 32)
    return;
  uint64_t sum = checksum(file.data(), file.size() - 16);
  std::memcpy(file.data() + file.size() - 16, &sum, 8);
}

/// Changes one to six aligned words of 32 bits, so that sizes and indices
/// change plausibly.
inline void changeWords(Bytes &file, std::mt19937 &random) {
  for (int flips = 1 + int(random() % 6); flips > 0; --flips) {
    size_t at = random() % (file.size() - 40) / 4 * 4;
    uint32_t word;
    std::memcpy(&word, file.data() + at, 4);
    switch (random() % 4) {
    case 0:
      word += 1;
      break;
    case 1:
      word = random();
      break;
    case 2:
      word ^= 1u << random() % 32;
      break;
    default:
      std::memcpy(&word, file.data() + random() % (file.size() - 40), 4);
    }
    std::memcpy(file.data() + at, &word, 4);
  }
}

} // namespace ringi::program::test

#endif // RINGI_TEST_UNIT_PROGRAM_MUTATIONS_H
