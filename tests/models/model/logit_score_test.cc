#include "models/model/logit_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/tasks.h"
#include "bert/text_pipeline.h"
#include "tests/models/own_heads_model.h"
#include "tests/support/expect_error.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

// Tests a CrossEncoder that is a language model: a chat template contains the pair, and the score comes from the last
// token's logits of two vocabulary entries.
class LogitScoreTest : public testing::Test {
 protected:
  static constexpr int32_t kTrue = 5, kFalse = 9;
  static constexpr const char* kTemplate =
      "{%- set task = messages | selectattr('role', 'eq', 'system') | map(attribute='content') | first | "
      "default('J K') -%}\nC {{ task }} D\n"
      "{{ (messages | selectattr('role', 'eq', 'query') | first).content }} E "
      "{{ messages | selectattr('role', 'eq', 'document') | map(attribute='content') | first }}\nF G\n";

  void write(const nlohmann::json& score, bool is_tied = true) {
    if (!is_tied) tiny_.add("lm_head.weight", {Tiny::kVocab, Tiny::kHidden});
    tiny_.write(directory_, {{"model_type", type_},
                             {"architectures", {"SomeForCausalLM"}},
                             {"max_position_embeddings", 64},
                             {"tie_word_embeddings", is_tied}});
    std::filesystem::create_directories(directory_.path() / "1_LogitScore");
    directory_.write("1_LogitScore/config.json", score.dump());
    directory_.write("chat_template.jinja", kTemplate);
    const std::string package = "sentence_transformers.";
    directory_.write(
        "modules.json",
        nlohmann::json{
            {{"idx", 0}, {"name", "0"}, {"path", ""}, {"type", package + "base.modules.transformer.Transformer"}},
            {{"idx", 1},
             {"name", "1"},
             {"path", "1_LogitScore"},
             {"type", package + "cross_encoder.modules.logit_score.LogitScore"}}}
            .dump());
    directory_.write("config_sentence_transformers.json",
                     R"({"model_type": "CrossEncoder", "prompts": {"code": "L M"}, "default_prompt_name": null})");
  }
  Model load() const { return Model::load(directory_.path().string()); }

  // Returns the expected logit for tokens of one letter each.
  double expected(const std::string& letters, const std::string& output, std::optional<int32_t> other) const {
    std::vector<int32_t> ids;
    for (const char letter : letters) ids.push_back(letter - 'A');
    const std::vector<double> hidden = tiny_.encode(ids, {});
    const std::vector<float>& rows = tiny_.values(output);
    double logit = 0;
    for (size_t i = 0; i < Tiny::kHidden; ++i) {
      const double less = other ? static_cast<double>(rows[static_cast<size_t>(*other) * Tiny::kHidden + i]) : 0;
      logit += hidden[hidden.size() - Tiny::kHidden + i] *
               (static_cast<double>(rows[static_cast<size_t>(kTrue) * Tiny::kHidden + i]) - less);
    }
    return logit;
  }
  static constexpr const char* kWords = "embed_tokens.weight";

  using Tiny = test::OwnHeadsModel;
  Tiny tiny_{Tiny::Shape::kQwen3};
  std::string type_ = "qwen3";
  test::TemporaryDirectory directory_;
};

TextResult run(const Model& model, const TextTask& task, const TextItem& item, const TextOptions& options = {}) {
  const TextTaskRunner runner(model, task, options);
  std::vector<TextResult> results = runner.cut(item);
  TextResult* pass[] = {results.data()};
  runner.compute(pass);
  return std::move(results[0]);
}

double score_of(const Model& model, const Reranker& reranker, const char* query, const char* document) {
  const TextResult result = run(model, reranker.task(), {.text = query, .pair = document});
  return reranker.relevance(std::get<Logits>(result.output)).score;
}

float logit(const Model& model, const Reranker& reranker, const char* query, const char* document,
            const TextOptions& options = {}) {
  return std::get<Logits>(run(model, reranker.task(), {.text = query, .pair = document}, options).output).values.at(0);
}

TEST_F(LogitScoreTest, IsTheDifferenceOfTwoWordsAfterTheTemplate) {
  write({{"true_token_id", kTrue}, {"false_token_id", kFalse}});
  const Model model = load();
  ASSERT_EQ(model.notices().size(), 1u);
  EXPECT_NE(model.notices().front().find("Qwen2Tokenizer"), std::string::npos) << "this tokenizer is not Qwen2's";
  const Reranker reranker(model);
  EXPECT_EQ(reranker.method(), RerankMethod::kClassifier);
  EXPECT_EQ(reranker.score_name(), "sigmoid");
  const double value = expected("CJKDPQERSTFG", kWords, kFalse);
  EXPECT_NEAR(logit(model, reranker, "P Q", "R S T"), value, 1e-5);
  EXPECT_NEAR(score_of(model, reranker, "P Q", "R S T"), 1 / (1 + std::exp(-value)), 1e-6);
  EXPECT_NEAR(logit(model, reranker, "P Q", ""), expected("CJKDPQEFG", kWords, kFalse), 1e-5);
}

TEST_F(LogitScoreTest, IsAlsoOfModelsOfQwen2sShape) {
  tiny_ = Tiny(Tiny::Shape::kQwen2);
  type_ = "qwen2";
  write({{"true_token_id", kTrue}, {"false_token_id", kFalse}});
  const Model model = load();
  EXPECT_NEAR(logit(model, Reranker(model), "P Q", "R S T"), expected("CJKDPQERSTFG", kWords, kFalse), 1e-5);
}

TEST_F(LogitScoreTest, HasAnOutputLayerOfItsOwnAndOneWord) {
  write({{"true_token_id", kTrue}, {"false_token_id", nullptr}}, false);
  const Model model = load();
  EXPECT_NEAR(logit(model, Reranker(model), "P", "R"), expected("CJKDPERFG", "lm_head.weight", std::nullopt), 1e-5);
}

// As in peft, an adapter of the output layer does not change the word embeddings to which the layer is tied.
TEST_F(LogitScoreTest, HasTheMergedWeightsOfAnAdapter) {
  for (const bool is_tied : {true, false}) {
    tiny_ = Tiny(Tiny::Shape::kQwen3);
    write({{"true_token_id", kTrue}, {"false_token_id", nullptr}}, is_tied);
    const test::TemporaryDirectory adapter;
    std::vector<float> rows(Tiny::kVocab, 0), change(Tiny::kHidden);
    rows[kTrue] = 2;
    for (size_t i = 0; i < change.size(); ++i) change[i] = 0.01f * static_cast<float>(i);
    const std::string name = "base_model.model.lm_head.lora_";
    adapter.write("adapter_model.safetensors",
                  test::image_of({{name + "A.weight", "F32", {1, Tiny::kHidden}, test::bytes_of(change)},
                                  {name + "B.weight", "F32", {Tiny::kVocab, 1}, test::bytes_of(rows)}}));
    adapter.write("adapter_config.json", R"({"peft_type": "LORA", "r": 1, "lora_alpha": 1})");
    const Model model = Model::load(directory_.path().string(), {.threads = 1, .adapter = adapter.path().string()});
    std::vector<int32_t> ids;
    for (const char letter : std::string("CJKDPERFG")) ids.push_back(letter - 'A');
    const std::vector<double> hidden = tiny_.encode(ids, {});
    double changed = expected("CJKDPERFG", is_tied ? kWords : "lm_head.weight", std::nullopt);
    for (size_t i = 0; i < Tiny::kHidden; ++i) {
      changed += 2 * hidden[hidden.size() - Tiny::kHidden + i] * static_cast<double>(change[i]);
    }
    EXPECT_NEAR(logit(model, Reranker(model), "P", "R"), changed, 1e-5) << is_tied;
  }
}

TEST_F(LogitScoreTest, APromptIsTheInstruction) {
  write({{"true_token_id", kTrue}, {"false_token_id", kFalse}});
  const Model model = load();
  EXPECT_NEAR(logit(model, Reranker(model, {.prompt = "code"}), "P", "R"), expected("CLMDPERFG", kWords, kFalse), 1e-5);
  EXPECT_NEAR(logit(model, Reranker(model, {.prompt_text = "N"}), "P", "R"), expected("CNDPERFG", kWords, kFalse),
              1e-5);
}

TEST_F(LogitScoreTest, ATruncatedPairKeepsTheTemplatesEnd) {
  write({{"true_token_id", kTrue}, {"false_token_id", kFalse}});
  const Model model = load();
  const TextOptions options{.tokenize = TokenizeOptions{.max_length = 9}};
  // The vocabulary has no digits, so the number in each of the two texts by which the library finds the template's end
  // becomes the unknown token "A", which counts as part of the end.
  EXPECT_NEAR(logit(model, Reranker(model), "P Q", "R S T U V", options), expected("CJKDPQAFG", kWords, kFalse), 1e-5);
}

TEST_F(LogitScoreTest, ReadsALongDocumentInWindowsBesideTheWholeQuery) {
  write({{"true_token_id", kTrue}, {"false_token_id", kFalse}});
  const Model model = load();
  const Reranker reranker(model);
  const TextTaskRunner runner(model, reranker.task(),
                              {.tokenize = TokenizeOptions{.max_length = 10, .stride = 1}, .windows = true});
  std::vector<TextResult> windows = runner.cut({.text = "P", .pair = "R S T U V"});
  const std::vector<std::string> letters = {"CJKDPERSFG", "CJKDPESTFG", "CJKDPETUFG", "CJKDPEUVFG"};
  ASSERT_EQ(windows.size(), letters.size());
  for (size_t i = 0; i < windows.size(); ++i) {
    TextResult* pass[] = {&windows[i]};
    runner.compute(pass);
    EXPECT_EQ(windows[i].input.window, i);
    EXPECT_EQ(windows[i].tokens.encoding.truncated_tokens, 0u);
    EXPECT_NEAR(std::get<Logits>(windows[i].output).values.at(0), expected(letters[i], kWords, kFalse), 1e-5);
  }
  const std::vector<TextResult> refused = runner.cut({.text = "P Q I", .pair = "R S"});
  ASSERT_TRUE(refused[0].error);
  EXPECT_STREQ(refused[0].error->what(),
               "windows of 10 tokens (max_length) that share 1 have no room for text beside the 10 other tokens");
}

TEST_F(LogitScoreTest, HasItsTemplateInEitherFile) {
  write({{"true_token_id", kTrue}, {"false_token_id", kFalse}});
  std::filesystem::remove(directory_.path() / "chat_template.jinja");
  directory_.write("tokenizer_config.json", nlohmann::json{{"chat_template", kTemplate}}.dump());
  directory_.write("sentence_bert_config.json", R"({"modality_config": {"message": {"method": "forward"}}})");
  const Model model = load();
  EXPECT_NEAR(logit(model, Reranker(model), "P", "R"), expected("CJKDPERFG", kWords, kFalse), 1e-5);
  directory_.write("sentence_bert_config.json", R"({"modality_config": {"text": {"method": "forward"}}})");
  const std::string texts = test::error_of(ErrorCode::kUnsupported, [&] { Reranker{load()}; });
  EXPECT_NE(texts.find("modality_config without 'message' is not supported"), std::string::npos) << texts;
  std::filesystem::remove(directory_.path() / "sentence_bert_config.json");
  directory_.write("tokenizer_config.json", "{}");
  const std::string missing = test::error_of(ErrorCode::kUnsupported, [&] { Reranker{load()}; });
  EXPECT_NE(missing.find("no chat_template, expected"), std::string::npos) << missing;
}

TEST_F(LogitScoreTest, SaysWhatItCannotDo) {
  write({{"true_token_id", kTrue}, {"false_token_id", kFalse}});
  const Model model = load();
  const TextResult alone = run(model, HeadOptions{Head::kSequenceClassification}, {.text = "P"});
  EXPECT_STREQ(alone.error->what(), "a text without its pair, expected a query and a document");
  const std::string embedding = test::error_of(ErrorCode::kUnsupported, [&] { (void)model.embed("P"); });
  EXPECT_NE(embedding.find("expected one that makes vectors: rerank with it"), std::string::npos) << embedding;
  std::filesystem::remove(directory_.path() / "modules.json");
  const Model without = load();
  const std::string language = test::error_of(ErrorCode::kUnsupported, [&] { Reranker{without}; });
  EXPECT_TRUE(language.starts_with("the model is a SomeForCausalLM without modules.json, expected one that says how"))
      << language;
  EXPECT_EQ(Reranker(without, {.pooling = PoolingMode::kLastToken}).method(), RerankMethod::kEmbeddings);
  write({{"true_token_id", 40}});
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { load(); }).find("LogitScore: token 40, expected 0 to 39"),
            std::string::npos);
  write({{"false_token_id", kFalse}});
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { load(); }).find("true_token_id"), std::string::npos);
}

}  // namespace
}  // namespace bert
