#include "tasks/labels/gliner/gliner_settings.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

GlinerSettings read_gliner(const std::string& members, std::vector<std::string>* notices = nullptr) {
  const std::string text = "{" + members + "}";
  const MemorySource files({{"gliner_config.json", text}}, "DIR");
  std::vector<std::string> own;
  return read_gliner_settings(files, notices == nullptr ? own : *notices).value();
}

TEST(GlinerSettings, HaveTheReferencesDefaults) {
  const GlinerSettings settings = read_gliner("");
  EXPECT_EQ(settings.form, EntityForm::kMarkerV0);
  EXPECT_EQ(settings.text.name, "");
  EXPECT_FALSE(settings.text.config);
  EXPECT_FALSE(settings.labels);
  EXPECT_EQ(settings.hidden_size, 512u);
  EXPECT_EQ(settings.max_width, 12u);
  EXPECT_EQ(settings.max_words, 384u);
  EXPECT_EQ(settings.lstm_layers, 1u);
  EXPECT_EQ(settings.pooling, WordPooling::kFirst);
  EXPECT_TRUE(settings.reads_label_token);
  EXPECT_FALSE(settings.label_token_id);
}

TEST(GlinerSettings, AreThoseOfTheFile) {
  const GlinerSettings settings = read_gliner(R"(
      "model_type": "gliner_bi_encoder_token", "span_mode": "token_level", "model_name": "a/b", "labels_encoder": "c/d",
      "labels_encoder_config": {"model_type": "bert", "hidden_size": 48}, "num_rnn_layers": 0, "max_len": 7,
      "subtoken_pooling": "mean", "ent_token": "[E]", "sep_token": "[S]", "embed_ent_token": false,
      "encoder_config": {"model_type": "distilbert", "dim": 24, "n_heads": 3},
      "class_token_index": 9, "vocab_size": 12)");
  EXPECT_EQ(settings.form, EntityForm::kWords);
  EXPECT_EQ(settings.text.config->hidden_size, 24u);
  EXPECT_EQ(settings.labels->name, "c/d");
  EXPECT_EQ(settings.labels->config->hidden_size, 48u);
  EXPECT_EQ(settings.pooling, WordPooling::kMean);
  EXPECT_EQ(settings.label_token_id, 9);
  EXPECT_EQ(settings.vocab_size, 12u);
  EXPECT_EQ(settings.label_token + settings.separator_token, "[E][S]");
  EXPECT_FALSE(settings.reads_label_token);
}

TEST(GlinerSettings, OfAnotherKindOfDirectoryAreNone) {
  std::vector<std::string> notices;
  EXPECT_FALSE(read_gliner_settings(MemorySource({}, "DIR"), notices));
}

TEST(GlinerSettings, RefuseOtherFormsByName) {
  const auto refusal = [](const std::string& members) {
    return test::error_of(ErrorCode::kUnsupported, [&] { read_gliner(members); });
  };
  EXPECT_EQ(refusal(R"("model_type": "gliner_streaming_span")"),
            "'DIR/gliner_config.json': model_type 'gliner_streaming_span' is not supported, expected a uni-encoder or "
            "a bi-encoder of spans or tokens");
  EXPECT_EQ(
      refusal(R"("labels_decoder": "gpt2")"),
      "'DIR/gliner_config.json': labels_decoder a value is not supported, expected none: entities alone are found");
  EXPECT_EQ(
      refusal(R"("span_mode": "conv_max")"),
      "'DIR/gliner_config.json': span_mode 'conv_max' is not supported, expected marker, markerV0 or token_level");
  for (const char* members :
       {R"("relations_layer": "none")", R"("post_fusion_schema": "l2l-l2t")", R"("fuse_layers": true)",
        R"("represent_spans": true)", R"("precomputed_prompts_mode": true)", R"("words_splitter_type": "spacy")",
        R"("span_encoder_config": {"model_type": "rnn"})", R"("model_type": "gliner_uni_encoder_token_relex")"}) {
    EXPECT_NE(refusal(members), "") << members;
  }
}

TEST(GlinerSettings, RefuseWrongValues) {
  const auto refusal = [](const std::string& members) {
    return test::error_of(ErrorCode::kInvalidFile, [&] { read_gliner(members); });
  };
  EXPECT_NE(refusal(R"("max_width": 0)").find("max_width"), std::string::npos);
  EXPECT_NE(refusal(R"("hidden_size": 33)").find("an even number"), std::string::npos);
  EXPECT_NE(refusal(R"("subtoken_pooling": "median")").find("first, last, mean or max"), std::string::npos);
  EXPECT_NE(refusal(R"("encoder_config": {"hidden_size": 32})").find("encoder_config.model_type"), std::string::npos);
}

}  // namespace
}  // namespace bert
