#include "engine/checkpoint/transpose.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace bert {
namespace {

template <class Element>
void check(size_t count, size_t rows, size_t cols, size_t threads) {
  std::vector<Element> source(count * rows * cols), target(source.size());
  std::iota(source.begin(), source.end(), Element{1});
  run_transpose({source.data(), target.data(), sizeof(Element), count, rows, cols}, threads);
  for (size_t i = 0; i < count; ++i) {
    for (size_t row = 0; row < rows; ++row) {
      for (size_t col = 0; col < cols; ++col) {
        ASSERT_EQ(target[(i * cols + col) * rows + row], source[(i * rows + row) * cols + col])
            << i << ", " << row << ", " << col;
      }
    }
  }
}

TEST(Transpose, TurnsEachMatrixOfAnySize) {
  for (const size_t threads : {1, 3}) {
    check<uint32_t>(3, 33, 70, threads);
    check<uint32_t>(1, 1, 65, threads);
    check<uint16_t>(5, 64, 31, threads);
    check<uint16_t>(2, 7, 1, threads);
  }
}

}  // namespace
}  // namespace bert
