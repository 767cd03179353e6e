#include <gtest/gtest.h>

#include "tests/models/families/pre_norm_model.h"

namespace bert {
namespace {

TEST(XlmRobertaXlFamily, HasANormBeforeEachBlock) {
  const test::PreNormModel model({.before_attention = "attention.self_attn_layer_norm",
                                  .before_feed_forward = "LayerNorm",
                                  .last = "encoder.LayerNorm"},
                                 2);
  model.check({{"model_type", "xlm-roberta-xl"}, {"pad_token_id", 1}});
}

}  // namespace
}  // namespace bert
