#include <gtest/gtest.h>

#include "bert/error.h"
#include "models/config/config.h"
#include "models/config/family.h"

namespace bert {
namespace {

// The settings have the form of the authors' files.
TEST(NewFamily, ReadsItsScalingOfRotaryPositions) {
  const ModelConfig config = parse_config(
      R"({"model_type": "new", "position_embedding_type": "rope", "rope_theta": 20000, "type_vocab_size": 0,
          "rope_scaling": {"factor": 8.0, "type": "ntk"}, "pack_qkv": true, "layer_norm_type": "layer_norm"})",
      "config.json");
  EXPECT_EQ(config.position_embedding_type, "rotary");
  EXPECT_EQ(config.rotary.theta, 20000);
  EXPECT_EQ(config.rotary.scaling, RotaryScaling::kNtk);
  EXPECT_EQ(config.rotary.factor, 8);
  EXPECT_EQ(config.type_vocab_size, 0u);
  EXPECT_EQ(find_family("new")->names.qkv, find_family("gte")->names.qkv);
}

TEST(NewFamily, RefusesWhatItDoesNotHave) {
  for (const char* field : {R"("position_embedding_type": "absolute")", R"("layer_norm_type": "rms_norm")",
                            R"("pack_qkv": false)", R"("logn_attention_scale": true)"}) {
    EXPECT_THROW(parse_config(std::string(R"({"model_type": "new", )") + field + "}", "config.json"), Error) << field;
  }
}

}  // namespace
}  // namespace bert
