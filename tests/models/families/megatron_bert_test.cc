#include <gtest/gtest.h>

#include "tests/models/families/pre_norm_model.h"

namespace bert {
namespace {

TEST(MegatronBertFamily, HasANormBeforeEachBlock) {
  const test::PreNormModel model(
      {.before_attention = "attention.ln", .before_feed_forward = "ln", .last = "encoder.ln"}, 0);
  model.check({{"model_type", "megatron-bert"}, {"layer_norm_eps", 1e-5}});
}

}  // namespace
}  // namespace bert
