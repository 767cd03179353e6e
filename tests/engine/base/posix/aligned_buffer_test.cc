#include "engine/base/aligned_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace bert {
namespace {

TEST(AlignedBuffer, StartsOnACacheLine) {
  for (const size_t size : {1, 15, 16, 17, 1000}) {
    const AlignedBuffer<float> buffer(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kAlignment, 0u);
    EXPECT_EQ(buffer.size(), size);
  }
}

TEST(AlignedBuffer, OfManyBytesStartsOnAHugePageAndHoldsThemAll) {
  constexpr size_t kHugePage = size_t{2} << 20;
  AlignedBuffer<char> buffer(3 * kHugePage + 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kHugePage, 0u);
  for (size_t i = 0; i < buffer.size(); ++i) buffer.data()[i] = static_cast<char>(i % 127);
  for (size_t i = 0; i < buffer.size(); ++i) ASSERT_EQ(buffer.data()[i], static_cast<char>(i % 127)) << i;
}

TEST(AlignedBuffer, OfNothingHasNoMemory) {
  EXPECT_EQ(AlignedBuffer<float>(0).data(), nullptr);
  EXPECT_EQ(AlignedBuffer<float>().size(), 0u);
}

TEST(AlignedBuffer, RefusesASizeThatOverflows) {
  constexpr size_t kHuge = std::numeric_limits<size_t>::max();
  EXPECT_THROW(AlignedBuffer<float>{kHuge}, std::bad_alloc);
  EXPECT_THROW(AlignedBuffer<float>{kHuge / sizeof(float)}, std::bad_alloc);
  EXPECT_THROW(AlignedBuffer<float>{kHuge / sizeof(float) - kAlignment + 1}, std::bad_alloc);
}

TEST(AlignedBuffer, IsEmptyAfterItWasMoved) {
  AlignedBuffer<float> first(8);
  const float* memory = first.data();
  const AlignedBuffer<float> second = std::move(first);
  EXPECT_EQ(second.data(), memory);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT: tests a moved buffer
  EXPECT_EQ(first.size(), 0u);       // NOLINT
}

TEST(RoundUp, GivesTheNextMultiple) {
  EXPECT_EQ(round_up(0, 16), 0u);
  EXPECT_EQ(round_up(1, 16), 16u);
  EXPECT_EQ(round_up(16, 16), 16u);
  EXPECT_EQ(round_up(17, 16), 32u);
}

}  // namespace
}  // namespace bert
