#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "bert/tokenizer.h"
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

const OwnHeadsModel& tiny() {
  static const OwnHeadsModel model(OwnHeadsModel::Shape::kQwen3);
  return model;
}

std::vector<float> encode(const Model& model, const std::vector<int32_t>& ids) {
  const TokenSequence one{ids, {}, {}};
  return model.encode({&one, 1})[0].last_hidden_state;
}

void expect_qwen3_layer(const json& settings, const OwnHeadsModel::Sight& sight, const std::string& prefix = "") {
  const test::TemporaryDirectory directory;
  tiny().write(directory, settings, prefix);
  const std::vector<int32_t> ids = test::some_ids(150);
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    const test::WithVariable variable("BERT_INFER_ISA", isa);
    const Model model = Model::load(directory.path().string());
    EXPECT_TRUE(test::within(1e-5, encode(model, ids), tiny().encode(ids, sight))) << isa << ", " << settings;
  }
}

TEST(Qwen3Family, IsCausalUnlessAFileSaysOtherwise) {
  expect_qwen3_layer({{"model_type", "qwen3"}}, {});
  expect_qwen3_layer({{"model_type", "qwen3"}, {"rope_theta", 500}}, {.thetas = {500, 500}}, "model.");
  for (const json& said : {json{{"use_bidirectional_attention", true}}, json{{"is_causal", false}}}) {
    json settings = {{"model_type", "qwen3"}};
    settings.update(said);
    expect_qwen3_layer(settings, {.is_causal = false});
  }
}

TEST(Qwen3Family, HasLocalLayersIfItsFileAsksForThem) {
  const json sliding = {
      {"model_type", "qwen3"}, {"use_sliding_window", true}, {"sliding_window", 4}, {"max_window_layers", 1}};
  expect_qwen3_layer(sliding, {.windows = {OwnHeadsModel::kUnlimited, 3}});
  json typed = sliding;
  typed["layer_types"] = {"sliding_attention", "full_attention"};
  expect_qwen3_layer(typed, {.windows = {3, OwnHeadsModel::kUnlimited}});
  typed["layer_types"] = {"full_attention", "full_attention"};
  typed["use_sliding_window"] = false;
  expect_qwen3_layer(typed, {});
  typed["layer_types"] = {"sliding_attention", "full_attention"};
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported, [&] { parse_config(typed.dump(), "config.json"); })
                .find("layer_types 'sliding_attention' is not supported"),
            std::string::npos)
      << "transformers 5.16 fails";
}

// More tokens at a text's end change no bit of the tokens before.
TEST(Qwen3Family, ReadsTheBeginningOfATextAsTheTextThatEndsThere) {
  const test::TemporaryDirectory directory;
  tiny().write(directory, {{"model_type", "qwen3"}});
  const Model model = Model::load(directory.path().string());
  const std::vector<float> whole = encode(model, test::some_ids(100)), beginning = encode(model, test::some_ids(37));
  EXPECT_TRUE(test::same_bits(beginning, {whole.data(), beginning.size()}));
}

// The classifier's input is the last token whose id is not pad_token_id.
TEST(Qwen3Family, ClassifiesByTheLastToken) {
  const test::TemporaryDirectory directory;
  OwnHeadsModel classifier(OwnHeadsModel::Shape::kQwen3);
  classifier.add("score.weight", {1, OwnHeadsModel::kHidden});
  classifier.write(directory,
                   {{"model_type", "qwen3"},
                    {"architectures", {"Qwen3ForSequenceClassification"}},
                    {"pad_token_id", 3},
                    {"num_labels", 1}},
                   "model.");
  const Model model = Model::load(directory.path().string());
  const std::vector<int32_t> ids = {5, 6, 7, 3, 3};
  const std::vector<double> hidden = classifier.encode(ids, {});
  double expected = 0;
  for (size_t i = 0; i < OwnHeadsModel::kHidden; ++i) {
    expected += hidden[2 * OwnHeadsModel::kHidden + i] * static_cast<double>(classifier.values("score.weight")[i]);
  }
  const TokenSequence one{ids, {}, {}};
  EXPECT_NEAR(static_cast<double>(model.logits(Head::kSequenceClassification, {&one, 1})[0].values[0]), expected, 1e-5);
}

// Without modules.json, the vector is the mean, or the last token's for a causal language model.
TEST(Qwen3Family, PoolsTheLastTokenOfALanguageModel) {
  const test::TemporaryDirectory plain, language;
  tiny().write(plain, {{"model_type", "qwen3"}, {"architectures", {"Qwen3Model"}}});
  tiny().write(language, {{"model_type", "qwen3"}, {"architectures", {"Qwen3ForCausalLM"}}}, "model.");
  const std::vector<std::string_view> texts = {"C D E"};
  const std::vector<float> last = Model::load(language.path().string()).embed(texts).vectors;
  const std::vector<double> hidden = tiny().encode({2, 3, 4, 1}, {});  // </s> ends the text
  EXPECT_TRUE(test::within(1e-5, last, std::vector<double>(hidden.end() - OwnHeadsModel::kHidden, hidden.end())));
  std::vector<double> mean(OwnHeadsModel::kHidden);
  for (size_t i = 0; i < hidden.size(); ++i) mean[i % OwnHeadsModel::kHidden] += hidden[i] / 4;
  EXPECT_TRUE(test::within(1e-5, Model::load(plain.path().string()).embed(texts).vectors, mean));
}

// voyage-4-nano multiplies each token's vector by linear.weight before the modules.
TEST(Qwen3Family, ProjectsTheTokensOfVoyagesClass) {
  const test::TemporaryDirectory directory;
  OwnHeadsModel voyage(OwnHeadsModel::Shape::kQwen3);
  voyage.add("linear.weight", {5, OwnHeadsModel::kHidden});
  json settings = {
      {"model_type", "qwen3"}, {"architectures", {"VoyageQwen3BidirectionalEmbedModel"}}, {"num_labels", 5}};
  voyage.write(directory, settings, "model.");
  directory.write("modules.json", R"([
      {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
      {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])");
  directory.write("1_Pooling/config.json", R"({"word_embedding_dimension": 5, "pooling_mode_mean_tokens": true})");
  const Model model = Model::load(directory.path().string());
  const std::vector<std::string_view> texts = {"C D E"};
  const std::vector<double> hidden = voyage.encode({2, 3, 4, 1}, {.is_causal = false});
  std::vector<double> expected(5);
  for (size_t i = 0; i < hidden.size(); ++i) {
    for (size_t o = 0; o < 5; ++o) {
      const size_t weight = o * OwnHeadsModel::kHidden + i % OwnHeadsModel::kHidden;
      expected[o] += hidden[i] / 4 * static_cast<double>(voyage.values("linear.weight")[weight]);
    }
  }
  EXPECT_TRUE(test::within(1e-5, model.embed(texts).vectors, expected));
  settings.erase("num_labels");
  voyage.write(directory, settings, "model.");
  EXPECT_THROW(Model::load(directory.path().string()), Error);
}

TEST(Qwen3Family, RefusesWhatItWouldComputeOtherwise) {
  const auto refused = [](json settings) {
    settings["model_type"] = "qwen3";
    EXPECT_THROW(parse_config(settings.dump(), "config.json"), Error) << settings;
  };
  refused({{"rope_scaling", {{"rope_type", "longrope"}, {"factor", 4.0}}}});
  refused({{"use_bidirectional_attention", true}, {"use_sliding_window", true}});
  refused({{"head_dim", 7}});
  refused({{"partial_rotary_factor", 0.5}});
}

// The library does not make this tokenizer from vocab.json and merges.txt.
TEST(Qwen3Family, NeedsItsTokenizerJson) {
  const test::TemporaryDirectory directory;
  directory.write("config.json", R"({"model_type": "qwen3"})");
  directory.write("vocab.json", R"({"a": 0})");
  directory.write("merges.txt", "#version: 0.2\n");
  const std::string error = test::error_of(ErrorCode::kNotFound, [&] { Tokenizer::load(directory.path()); });
  EXPECT_NE(error.find("no tokenizer, expected tokenizer.json"), error.npos) << error;
}

TEST(Qwen3Family, TakesNoTokensThatOthersDoNotSee) {
  const test::TemporaryDirectory directory;
  tiny().write(directory, {{"model_type", "qwen3"}});
  const Model model = Model::load(directory.path().string());
  const std::vector<int32_t> ids = {2, 3, 4};
  TokenSequence sequence{ids, {}, {}};
  sequence.unattended = 1;
  const std::string error = test::error_of(ErrorCode::kUnsupported, [&] { model.check(sequence); });
  EXPECT_NE(error.find("where attention is causal"), error.npos) << error;
}

TEST(Qwen3Family, MakesNoVectorsOfChunks) {
  const test::TemporaryDirectory directory;
  tiny().write(directory, {{"model_type", "qwen3"}});
  const Model model = Model::load(directory.path().string());
  const std::string error = test::error_of(ErrorCode::kUnsupported, [&] {
    model.vectors("C D", {.dense = EmbedOptions{}, .chunks = ChunkOptions{.tokens = 1}});
  });
  EXPECT_NE(error.find("is causal: a chunk's tokens would not see what follows"), error.npos) << error;
}

}  // namespace
}  // namespace bert
