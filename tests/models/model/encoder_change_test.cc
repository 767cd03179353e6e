#include "models/model/encoder_change.h"

#include <gtest/gtest.h>

#include "models/config/config.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

ModelConfig small_bert() { return parse_config(R"({"model_type": "bert", "num_hidden_layers": 3})", "config.json"); }

TEST(EncoderChange, IsNoneUnlessAsked) {
  ModelConfig config = small_bert();
  const EncoderChange change = change_encoder(config, {}, std::nullopt, "DIR");
  EXPECT_EQ(change.family->model_type, "bert");
  EXPECT_EQ(change.experiment, "");
  EXPECT_EQ(config.num_hidden_layers, 3u);
}

TEST(EncoderChange, LeavesOutLayersAndReplacesPositions) {
  ModelConfig config = small_bert();
  const EncoderChange change = change_encoder(config, {.kind = Positions::kSinusoidal}, 2, "DIR");
  EXPECT_EQ(config.num_hidden_layers, 2u);
  EXPECT_EQ(change.experiment.rfind("an experiment: positions sinusoidal", 0), 0u) << change.experiment;
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { change_encoder(config, {}, 9, "DIR"); }),
            "layers 9, expected 1 to 2, the layers of 'DIR'");
}

}  // namespace
}  // namespace bert
