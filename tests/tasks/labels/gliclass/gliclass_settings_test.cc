#include "tasks/labels/gliclass/gliclass_settings.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

ClassSettings read_gliclass(const std::string& members) {
  const std::string text = R"({"model_type": "GLiClass", "encoder_config": {"model_type": "bert", "hidden_size": 48})" +
                           (members.empty() ? "" : ", " + members) + "}";
  std::vector<std::string> notices;
  return read_class_settings(MemorySource({{"config.json", text}}, "DIR"), notices).value();
}

TEST(ClassSettings, HaveTheReferencesDefaults) {
  const ClassSettings settings = read_gliclass("");
  EXPECT_EQ(settings.form, ClassForm::kUniEncoder);
  EXPECT_EQ(settings.scorer, ClassScorer::kDot);
  EXPECT_EQ(settings.pooling, ClassPooling::kFirst);
  EXPECT_EQ(settings.hidden_size, 48u);
  EXPECT_EQ(settings.activation, Activation::kGelu);
  EXPECT_FALSE(settings.labels || settings.has_lstm || settings.normalizes || settings.pools_text_alone ||
               settings.labels_first || settings.averages_labels);
  EXPECT_TRUE(settings.reads_label_token);
  EXPECT_EQ(settings.label_token_id, 30522);
  EXPECT_EQ(settings.separator_token_id, 30523);
}

TEST(ClassSettings, AreThoseOfTheFile) {
  const ClassSettings settings = read_gliclass(R"(
      "architecture_type": "uni-encoder", "scorer_type": "mlp", "pooling_strategy": "abs_max", "use_lstm": true,
      "projector_hidden_act": "relu", "extract_text_features": true, "prompt_first": true, "embed_class_token": false,
      "class_token_pooling": "average", "class_token_index": 7, "text_token_index": 8, "normalize_features": true)");
  EXPECT_EQ(settings.scorer, ClassScorer::kTwoVectors);
  EXPECT_EQ(settings.pooling, ClassPooling::kAbsoluteMax);
  EXPECT_EQ(settings.activation, Activation::kRelu);
  EXPECT_TRUE(settings.has_lstm && settings.normalizes && settings.pools_text_alone && settings.labels_first &&
              settings.averages_labels);
  EXPECT_FALSE(settings.reads_label_token);
  EXPECT_EQ(settings.label_token_id, 7);
  EXPECT_EQ(settings.separator_token_id, 8);
}

// gliclass reads these settings only for a uni-encoder.
TEST(ClassSettings, OfABiEncoderAreFewer) {
  const ClassSettings settings = read_gliclass(R"(
      "architecture_type": "bi-encoder-fused", "use_lstm": true, "extract_text_features": true,
      "class_token_pooling": "average", "label_model_name": "a/b",
      "label_model_config": {"model_type": "bert", "hidden_size": 24, "num_attention_heads": 3})");
  EXPECT_EQ(settings.form, ClassForm::kFusedBiEncoder);
  EXPECT_EQ(settings.labels->hidden_size, 24u);
  EXPECT_EQ(settings.label_model, "a/b");
  EXPECT_FALSE(settings.has_lstm || settings.pools_text_alone || settings.averages_labels);
}

TEST(ClassSettings, OfAnotherKindOfDirectoryAreNone) {
  std::vector<std::string> notices;
  EXPECT_FALSE(read_class_settings(MemorySource({}, "DIR"), notices));
  EXPECT_FALSE(read_class_settings(MemorySource({{"config.json", R"({"model_type": "bert"})"}}, "DIR"), notices));
}

TEST(ClassSettings, RefuseOtherFormsByName) {
  const auto refusal = [](const std::string& members, ErrorCode code = ErrorCode::kUnsupported) {
    return test::error_of(code, [&] { read_gliclass(members); });
  };
  EXPECT_EQ(refusal(R"("architecture_type": "decoder-kv")"),
            "'DIR/config.json': architecture_type 'decoder-kv' is not supported, expected one of uni-encoder, "
            "bi-encoder, bi-encoder-fused");
  EXPECT_EQ(refusal(R"("scorer_type": "cross-attn")"),
            "'DIR/config.json': scorer_type 'cross-attn' is not supported, expected one of simple, weighted-dot, mlp");
  EXPECT_NE(refusal(R"("scorer_type": "hopfield")").find("scorer_type 'hopfield' is not supported"), std::string::npos);
  for (const char* field : {"use_segment_embeddings", "squeeze_layers", "use_calibrator", "multimodal"}) {
    EXPECT_EQ(refusal('"' + std::string(field) + R"(": true)"),
              "'DIR/config.json': " + std::string(field) + " true is not supported, expected false");
  }
  EXPECT_EQ(refusal(R"("encoder_layer_id": 3)"),
            "'DIR/config.json': encoder_layer_id 3 is not supported, expected -1, the last");
  EXPECT_EQ(refusal(R"("hidden_size": 12, "scorer_type": "mlp")", ErrorCode::kInvalidFile),
            "'DIR/config.json': hidden_size: found 12, expected 48, as in encoder_config");
  EXPECT_NE(refusal(R"("architecture_type": "bi-encoder", "label_model_name": "a/b", "pooling_strategy": "rms",
                       "label_model_config": {"model_type": "bert"})")
                .find("pooling_strategy 'rms' is not supported"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
