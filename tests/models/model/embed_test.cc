// Tests Model::embed on small models that the tests write, and on a trained one.
#include "bert/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/share.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

class EmbedTest : public test::TinyModelTest {};

TEST_F(EmbedTest, EmbedsByTheMeanOfAllTokensUnlessToldOtherwise) {
  const Model model = load();
  EXPECT_EQ(model.pooling().modes, std::vector{PoolingMode::kMean});
  EXPECT_FALSE(model.pooling().normalize);
  EXPECT_FALSE(model.pooling().declared);
  const EncodedText encoded = model.encode("The fox");
  std::vector<double> mean(24), first(24), largest(24, -1e9);
  for (size_t token = 0; token < 4; ++token) {
    for (size_t c = 0; c < 24; ++c) {
      const double value = encoded.last_hidden_state[token * 24 + c];
      mean[c] += value / 4;
      if (token == 0) first[c] = value;
      largest[c] = std::max(largest[c], value);
    }
  }
  EXPECT_TRUE(test::within(1e-7, model.embed("The fox"), mean));
  EXPECT_TRUE(test::within(0, model.embed("The fox", {.pooling = PoolingMode::kCls}), first));
  EXPECT_TRUE(test::within(0, model.embed("The fox", {.pooling = PoolingMode::kMax}), largest));
  EXPECT_TRUE(test::same_bits(model.embed("The fox", {.pooling = PoolingMode::kPooler}), encoded.pooler_output));
}

// string_view can be constructed from two pointers. Two literals must not become the two ends of one text.
TEST_F(EmbedTest, TakesTwoLiteralsAndRangesOfStringsAsTexts) {
  const Model model = load();
  const std::string_view views[] = {"The fox", "quick"};
  const std::vector<float> expected = model.embed(std::span<const std::string_view>(views)).vectors;
  const std::vector<std::string> strings = {"The fox", "quick"};
  const char* const literals[] = {"The fox", "quick"};
  EXPECT_EQ(model.embed({"The fox", "quick"}).vectors, expected);
  EXPECT_EQ(model.embed(strings).vectors, expected);
  EXPECT_EQ(model.embed(literals).vectors, expected);
  EXPECT_EQ(model.embed(std::vector<std::string_view>(views, views + 2)).vectors, expected);
  EXPECT_EQ(model.embed({"The fox", "quick"}, {.normalize = true}).vectors,
            model.embed(views, {.normalize = true}).vectors);
  ASSERT_EQ(model.encode({"The fox", "quick"}).size(), 2u);
  EXPECT_EQ(model.encode(strings)[1].last_hidden_state, model.encode("quick").last_hidden_state);
  const VectorRequest request = {.dense = EmbedOptions()};
  EXPECT_EQ(model.vectors({"The fox", "quick"}, request).vectors.size(), 2u);
  EXPECT_EQ(model.vectors(strings, request).vectors.size(), 2u);
  const std::vector<Encoding> encodings = model.tokenizer().tokenize({"The fox", "quick"});
  ASSERT_EQ(encodings.size(), 2u);
  EXPECT_EQ(encodings[1].ids, model.tokenizer().tokenize("quick").ids);
}

TEST_F(EmbedTest, NormalizesWhereItIsAskedTo) {
  const std::vector<float> vector = load().embed("The fox", {.normalize = true});
  double square = 0;
  for (const float value : vector) square += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_NEAR(square, 1, 1e-6);
}

TEST_F(EmbedTest, FollowsTheModelsOwnPoolingSettings) {
  test::write_tiny_model(directory_);
  directory_.write("modules.json", R"([
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  std::filesystem::create_directory(directory_.path() / "1_Pooling");
  directory_.write("1_Pooling/config.json", R"({"word_embedding_dimension": 24, "pooling_mode_cls_token": true,
    "pooling_mode_mean_tokens": false, "pooling_mode_max_tokens": false, "pooling_mode_mean_sqrt_len_tokens": false})");
  const Model model = Model::load(directory_.path().string(), {.threads = 1});
  EXPECT_EQ(model.pooling().modes, std::vector{PoolingMode::kCls});
  EXPECT_TRUE(model.pooling().normalize);
  EXPECT_TRUE(model.pooling().declared);
}

TEST_F(EmbedTest, RefusesThePoolerByNameWhereThereIsNone) {
  const Model model = load({.pooler = false});
  EXPECT_FALSE(model.has_pooler());
  EXPECT_TRUE(model.encode("The fox").pooler_output.empty());
  EXPECT_FALSE(model.embed("The fox").empty());
  const std::string error =
      test::refusal(ErrorCode::kNotFound, [&] { model.embed("The fox", {.pooling = PoolingMode::kPooler}); });
  EXPECT_NE(error.find("pooler"), std::string::npos) << error;
}

TEST_F(EmbedTest, CutsItsVectorsBeforeItNormalizesThem) {
  const Model model = load();
  const std::vector<float> whole = model.embed("the fox", {.normalize = false});
  const std::vector<float> cut = model.embed("the fox", {.normalize = false, .dimensions = 5});
  EXPECT_TRUE(test::same_bits(cut, std::span(whole).first(5)));
  double norm = 0;
  for (const float value : model.embed("the fox", {.normalize = true, .dimensions = 5})) {
    norm += static_cast<double>(value) * static_cast<double>(value);
  }
  EXPECT_NEAR(norm, 1, 1e-6);
  EXPECT_EQ(model.embedding_size({.dimensions = 5}), 5u);
  EXPECT_THROW(model.embed("the fox", {.dimensions = 0}), Error);
  EXPECT_THROW(model.embed("the fox", {.dimensions = whole.size() + 1}), Error);
}

TEST_F(EmbedTest, PutsAPromptBeforeTheText) {
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  directory_.write("1_Pooling/config.json", "{}");
  directory_.write("config_sentence_transformers.json",
                   R"({"prompts": {"query": "the quick ", "plain": ""}, "default_prompt_name": "query"})");
  const Model model = load();
  EXPECT_EQ(model.embed("fox"), model.embed("the quick fox", {.prompt = "plain"}));
  EXPECT_NE(model.embed("fox"), model.embed("fox", {.prompt = "plain"}));
  try {
    model.embed("fox", {.prompt = "passage"});
    ADD_FAILURE() << "was embedded";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("prompt 'passage' is not in the model in"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("expected plain, query"), std::string::npos) << error.what();
  }
  EXPECT_EQ(model.embed("fox", {.prompt_text = "the quick "}), model.embed("fox"));
  EXPECT_EQ(model.embed("fox", {.prompt_text = ""}), model.embed("fox", {.prompt = "plain"}));
  EXPECT_EQ(
      test::refusal(ErrorCode::kInvalidArgument, [&] { model.embed("fox", {.prompt = "plain", .prompt_text = "a "}); }),
      "prompt 'plain' and the prompt text 'a ' given, expected one of them");
  EXPECT_EQ(model.prompt_names(), (std::vector<std::string>{"plain", "query"}));
  EXPECT_EQ(model.default_prompt_name(), "query");
}

// The expected cosines are the reference's for the mean of the last layer's tokens, with [CLS] and [SEP].
TEST(StsBenchmark, HasTheReferencesCosines) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own");
  BERT_TEST_DATA_OR_SKIP(path, "eval/stsb_dev.own-bert-tiny-pretrained.jsonl");
  const Model model = Model::load(folder.string());
  std::ifstream file(path);
  double worst = 0;
  size_t lines = 0;
  const test::Share share(8);
  for (std::string line; std::getline(file, line); ++lines) {
    if (!share.has(lines)) continue;
    const auto json = nlohmann::json::parse(line);
    const Ids a = json["ids_a"], b = json["ids_b"];
    ASSERT_EQ(model.tokenizer().tokenize(json["a"].get<std::string>()).ids, a) << "line " << lines + 1;
    ASSERT_EQ(model.tokenizer().tokenize(json["b"].get<std::string>()).ids, b) << "line " << lines + 1;
    const std::vector<float> vectors = model.embed(std::vector<TokenSequence>{{.ids = a}, {.ids = b}});
    const std::span<const float> all(vectors);
    const double got = cosine_similarity(all.first(128), all.last(128));
    const double error = std::abs(got - json["cosine"].get<double>());
    EXPECT_LE(error, 1e-6) << "line " << lines + 1 << ": " << got << ", expected " << json["cosine"];
    worst = std::max(worst, error);
  }
  EXPECT_EQ(lines, 1500u);
  std::printf("STS-B dev: largest error of a cosine %.3g\n", worst);
}

}  // namespace
}  // namespace bert
