#include "models/encoder/rotary_kinds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/config/config.h"

namespace bert {
namespace {

std::vector<Rotary> kinds_of(const char* json) { return rotary_kinds(parse_config(json, "config.json")); }

TEST(RotaryKinds, AreThoseOfGlobalAndOfLocalLayers) {
  EXPECT_EQ(kinds_of(R"({"model_type": "modernbert"})").size(), 2u);
  EXPECT_EQ(kinds_of(R"({"model_type": "eurobert"})").size(), 1u);
  EXPECT_EQ(kinds_of(R"({"model_type": "bert"})").size(), 0u);
}

// With heads of 64, linear scaling divides each frequency by 4, and NTK scaling multiplies the first one by 4^(-2 /
// 64).
TEST(RotaryKinds, AreScaled) {
  EXPECT_EQ(kinds_of(R"({"model_type": "eurobert"})")[0].frequencies(1)[0], 1.0f);
  EXPECT_EQ(
      kinds_of(R"({"model_type": "eurobert", "rope_scaling": {"rope_type": "linear", "factor": 4}})")[0].frequencies(
          1)[0],
      0.25f);
  EXPECT_NEAR(kinds_of(R"({"model_type": "new", "rope_scaling": {"type": "ntk", "factor": 4}})")[0].frequencies(1)[0],
              1 / std::pow(4, 2.0 / 64), 1e-6);
}

}  // namespace
}  // namespace bert
