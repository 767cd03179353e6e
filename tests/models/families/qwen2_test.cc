#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "models/config/config.h"
#include "tests/models/own_heads_model.h"
#include "tests/support/compare.h"
#include "tests/support/environment.h"
#include "tests/support/expect_error.h"
#include "tests/support/isa.h"

namespace bert {
namespace {

using nlohmann::json;
using test::OwnHeadsModel;

std::vector<float> encode_qwen2(const Model& model, const std::vector<int32_t>& ids) {
  const TokenSequence one{ids, {}, {}};
  return model.encode({&one, 1})[0].last_hidden_state;
}

TEST(Qwen2Family, IsCausalUnlessItsFileSaysOtherwise) {
  const OwnHeadsModel tiny(OwnHeadsModel::Shape::kQwen2);
  const std::vector<int32_t> ids = test::some_ids(60);
  for (const bool is_causal : {true, false}) {
    const test::TemporaryDirectory directory;
    json settings = {{"model_type", "qwen2"}, {"rope_theta", 700}};
    if (!is_causal) settings.update({{"is_causal", false}, {"auto_map", {{"AutoModel", "modeling_qwen.Qwen2Model"}}}});
    tiny.write(directory, settings, "model.");
    const std::vector<double> expected = tiny.encode(ids, {.is_causal = is_causal, .thetas = {700, 700}});
    for (const char* isa : test::kKernelIsas) {
      if (!test::cpu_has(isa)) continue;
      const test::WithVariable variable("BERT_INFER_ISA", isa);
      EXPECT_TRUE(test::within(1e-5, encode_qwen2(Model::load(directory.path().string()), ids), expected)) << isa;
    }
  }
}

// The head size is hidden / heads if config.json does not have it.
TEST(Qwen2Family, ReadsTheFieldsOfItsConfiguration) {
  const ModelConfig config = parse_config(
      R"({"model_type": "qwen2", "hidden_size": 1536, "num_attention_heads": 12, "num_key_value_heads": 2})",
      "config.json");
  EXPECT_EQ(config.head_dim(), 128u);
  EXPECT_EQ(config.key_value_heads(), 2u);
  EXPECT_TRUE(config.causal_attention);
  EXPECT_EQ(config.layer_norm_eps, 1e-6);
}

TEST(Qwen2Family, RefusesCodeOfItsOwnThatMayAttendBothWays) {
  const std::string error = test::error_of(ErrorCode::kUnsupported, [] {
    parse_config(R"({"model_type": "qwen2", "auto_map": {"AutoModel": "modeling_qwen.Qwen2Model"}})", "config.json");
  });
  EXPECT_NE(error.find("auto_map {\"AutoModel\":\"modeling_qwen.Qwen2Model\"} is not supported, expected none, or "
                       "is_causal beside it"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace bert
