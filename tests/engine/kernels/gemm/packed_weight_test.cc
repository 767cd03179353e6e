#include "engine/kernels/gemm/packed_weight.h"

#include <gtest/gtest.h>

#include <limits>

namespace bert {
namespace {

TEST(PackedWeight, HasPanelsWhenTheyAreWhole) {
  PackedWeight packed;
  EXPECT_EQ(packed.panels(), nullptr);
  float* room = packed.begin(48);
  ASSERT_NE(room, nullptr);
  EXPECT_EQ(packed.panels(), nullptr);
  packed.finish();
  EXPECT_EQ(packed.panels(), room);
}

TEST(PackedWeight, IsMadeByOneCaller) {
  PackedWeight packed;
  EXPECT_NE(packed.begin(16), nullptr);
  EXPECT_EQ(packed.begin(16), nullptr);
}

// Without memory for panels, products read the stored weight.
TEST(PackedWeight, StaysAsItIsWithoutMemory) {
  PackedWeight packed;
  EXPECT_EQ(packed.begin(std::numeric_limits<size_t>::max()), nullptr);
  EXPECT_EQ(packed.panels(), nullptr);
}

class Permit : public PanelsPermit {
 public:
  bool grants(size_t bytes) noexcept override {
    granted += may_begin ? bytes : 0;
    return may_begin;
  }
  bool may_begin = false;
  size_t granted = 0;
};

TEST(PackedWeight, WaitsForItsOwner) {
  Permit permit;
  PackedWeight packed(permit, {});
  EXPECT_EQ(packed.begin(16), nullptr);
  permit.may_begin = true;
  float* room = packed.begin(16);
  ASSERT_NE(room, nullptr);
  EXPECT_EQ(packed.begin(16), nullptr);
  EXPECT_EQ(permit.granted, 16 * sizeof(float));
  EXPECT_FALSE(packed.is_ready());
  packed.finish();
  EXPECT_EQ(packed.panels(), nullptr);
  EXPECT_TRUE(packed.is_ready());
  EXPECT_TRUE(packed.publish());
  EXPECT_FALSE(packed.publish());
  EXPECT_FALSE(packed.is_ready());
  EXPECT_EQ(packed.panels(), room);
}

}  // namespace
}  // namespace bert
