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
  const ConstMatrixView right = view.column_range(1, 1);
  EXPECT_EQ(right.row(1), memory.data() + 5);
  EXPECT_EQ(right.cols, 1u);
  EXPECT_EQ(right.stride, 4u);
}

TEST(WeightView, StepsByItsTypesSize) {
  const std::array<uint16_t, 12> memory{};
  const WeightView weight{memory.data(), DType::kF16, 3, 4};
  EXPECT_EQ(weight.row(2), memory.data() + 8);
}

}  // namespace
}  // namespace bert
