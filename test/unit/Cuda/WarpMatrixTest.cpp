//===- WarpMatrixTest.cpp - Fragments against a plain product -------------===//
//
// Part of Ringi. Loads tiles by loadTiles, multiplies them and compares every
// element with the product of the matrices: the layouts of the PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "kernels/WarpMatrix.h"

#include <gtest/gtest.h>

#include <vector>

using namespace ringi;
using namespace ringi::cuda;

namespace {

/// d[16][8] = a[16][16] * b[16][8], b given by columns (plain loads) or by rows
/// (transposed loads).
template <bool ByRows>
__global__ void productKernel(const BFloat16 *a, const BFloat16 *b, float *d) {
  int lane = int(threadIdx.x);
  FragmentA left;
  loadTiles(left.word, a + (lane % 16) * 16 + lane / 16 * 8);
  uint32_t words[4];
  if (ByRows)
    loadTilesTransposed(words, b + (lane % 16) * 16 + lane / 16 * 8);
  else
    loadTiles(words, b + (lane % 8 + lane / 16 * 8) * 16 + lane / 8 % 2 * 8);
  FragmentB right{{words[0], words[1]}};
  FragmentD result{};
  multiply(result, left, right, BFloat16());
  for (int i = 0; i < 4; ++i)
    d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = result.value[i];
}

template <bool ByRows> void checkProduct() {
  alignas(16) BFloat16 a[16 * 16], b[16 * 16];
  for (int i = 0; i < 256; ++i) {
    a[i] = fromFloat<BFloat16>(float(i % 13) - 6);
    b[i] = fromFloat<BFloat16>(float(i % 7) - 3);
  }
  std::vector<float> d(16 * 8);
  launch("product", productKernel<ByRows>, {dim3(1), dim3(32), 0}, nullptr, a,
         b, d.data());
  EXPECT_TRUE(emulation::takeFaults().empty());
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      float expected = 0.0f;
      for (int k = 0; k < 16; ++k)
        expected += toFloat(a[row * 16 + k]) *
                    toFloat(ByRows ? b[k * 16 + column] : b[column * 16 + k]);
      EXPECT_EQ(d[row * 8 + column], expected) << row << ", " << column;
    }
  }
}

TEST(WarpMatrix, MultipliesRowsByRows) { checkProduct<false>(); }

TEST(WarpMatrix, MultipliesRowsByColumns) { checkProduct<true>(); }

TEST(HalfTypes, RoundToNearestEven) {
  EXPECT_EQ(fromFloat<BFloat16>(1.0f).bits, 0x3f80);
  // Exactly between two values: to the even one.
  EXPECT_EQ(fromFloat<BFloat16>(1.00390625f).bits, 0x3f80);
  EXPECT_EQ(fromFloat<BFloat16>(1.01171875f).bits, 0x3f82);
  EXPECT_EQ(fromFloat<Float16>(65520.0f).bits, 0x7c00);
  EXPECT_TRUE(std::isnan(toFloat(fromFloat<BFloat16>(NAN))));
}

} // namespace
