#include "engine/tensor/matrix.h"

#include <gtest/gtest.h>

#include <array>

namespace bert {
namespace {

TEST(MatrixView, StepsByItsStride) {
  std::array<float, 12> memory{};
  const MatrixView view{memory.data(), 3, 2, 4};
  EXPECT_EQ(view.row(2), memory.data() + 8);
  const MatrixView lower = view.row_range(1, 2);
  EXPECT_EQ(lower.data, memory.data() + 4);
  EXPECT_EQ(lower.rows, 2u);
  EXPECT_EQ(lower.cols, 2u);
  EXPECT_EQ(lower.stride, 4u);
}

TEST(WeightView, StepsByItsFormatsSize) {
  const std::array<uint16_t, 12> memory{};
  const WeightView weight{memory.data(), WeightFormat::kF16, 3, 4};
  EXPECT_EQ(weight.row(2).data, memory.data() + 8);
  EXPECT_EQ(weight.row(2).format, WeightFormat::kF16);
}

}  // namespace
}  // namespace bert
