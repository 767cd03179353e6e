#include "engine/layers/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/kernels/kernels.h"

namespace bert {
namespace {

TEST(Softmax, SharesOneByTheExponentials) {
  const std::vector<float> logits = {1, -2, 0.5f, 30};
  std::vector<float> shares(4), scratch(attention_scratch_floats(4, 1));
  softmax_row(logits.data(), shares.data(), 4, scratch.data(), kernels_for({}));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(double{logit});
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(shares[i], std::exp(double{logits[i]}) / sum, 1e-7) << i;
}

}  // namespace
}  // namespace bert
