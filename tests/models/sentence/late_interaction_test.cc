// Tests late-interaction models: the settings from a directory's files, the tokens of queries and documents, and their
// vectors. The expected tokens are found by hand. tests/reference/compare_late_interaction.py compares the vectors with
// the reference's.
#include "models/sentence/late_interaction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "bert/text_pipeline.h"
#include "bert/vectors.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

constexpr const char* kTransformer =
    R"({"type": "sentence_transformers.base.modules.transformer.Transformer", "path": ""})";
constexpr const char* kNormalize = R"({"type": "sentence_transformers.base.modules.normalize.Normalize", "path": "n"})";

class LateInteractionTest : public test::TinyModelTest {
 protected:
  // Loads a MultiVectorEncoder without a Dense. transformer: the settings of its Transformer.
  Model multi_vector(const std::string& transformer, const std::string& library = "", const std::string& mask = "{}") {
    directory_.write("modules.json", std::string("[") + kTransformer +
                                         R"(, {"type": "sentence_transformers.x.MultiVectorMask", "path": "m"}, )" +
                                         kNormalize + "]");
    directory_.write("m/config.json", mask);
    directory_.write("n/config.json", R"({"module_input_name": "token_embeddings"})");
    directory_.write("sentence_bert_config.json", "{" + transformer + "}");
    directory_.write("config_sentence_transformers.json", R"({"model_type": "MultiVectorEncoder")" + library + "}");
    return load();
  }
  static std::vector<std::string> tokens(const Model& model, const RoleEncoding& encoded) {
    std::vector<std::string> tokens;
    for (const int32_t id : encoded.encoding.ids) tokens.emplace_back(model.tokenizer().token(id));
    return tokens;
  }
};

using Words = std::vector<std::string>;

TEST_F(LateInteractionTest, FillsQueriesWithMasksThatNoTokenAttendsTo) {
  const Model model = multi_vector(R"("query_expansion": {"strategy": "fixed", "length": 7})");
  const RoleEncoding query = tokenize(model, "the fox", TextRole::kQuery);
  EXPECT_EQ(tokens(model, query), (Words{"[CLS]", "the", "fox", "[SEP]", "[MASK]", "[MASK]", "[MASK]"}));
  EXPECT_EQ(query.unattended, 3u);
  EXPECT_EQ(query.encoding.special_tokens_mask.size(), 7u);
  EXPECT_EQ(tokenize(model, "the fox", TextRole::kDocument).encoding.size(), 4u);
  const TokenVectors vectors = model.vectors("the fox", {.tokens = true, .role = TextRole::kQuery}).tokens;
  EXPECT_EQ(vectors.tokens, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6}));
  // The other tokens have the vectors that they have without the three that are not attended to.
  const TokenVectors document = model.vectors("the fox", {.tokens = true, .role = TextRole::kDocument}).tokens;
  EXPECT_TRUE(test::same_bits(std::span<const float>(vectors.values).first(document.values.size()), document.values));
  for (size_t i = 0; i < vectors.tokens.size(); ++i) {
    double square = 0;
    for (size_t c = 0; c < 24; ++c) square += std::pow(static_cast<double>(vectors.values[i * 24 + c]), 2);
    EXPECT_NEAR(square, 1, 1e-6);
  }
}

TEST_F(LateInteractionTest, AttendsToTheExpansionWhereTheFilesSaySo) {
  const Model model = multi_vector(R"("query_expansion": {"strategy": "min", "length": 6, "attend": true,
                                      "token": "fox"})");
  const RoleEncoding query = tokenize(model, "the", TextRole::kQuery);
  EXPECT_EQ(tokens(model, query), (Words{"[CLS]", "the", "[SEP]", "fox", "fox", "fox"}));
  EXPECT_EQ(query.unattended, 0u);
  EXPECT_EQ(query.expansion, 3u);
  EXPECT_EQ(tokenize(model, "the the the the the the the", TextRole::kQuery).encoding.size(), 9u) << "min: not cut";
}

TEST_F(LateInteractionTest, LeavesSkippedWordsOfDocumentsOut) {
  const Model model = multi_vector("", R"(, "prompts": {"query": "fox ", "document": "the "})",
                                   R"({"skiplist_words": ["fox", "not in the vocabulary"]})");
  EXPECT_EQ(model.vectors("fox", {.tokens = true, .role = TextRole::kDocument}).tokens.tokens,
            (std::vector<uint32_t>{0, 1, 3}));
  EXPECT_EQ(model.vectors("fox", {.tokens = true, .role = TextRole::kQuery}).tokens.tokens,
            (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_NE(model.notices().back().find("'not in the vocabular"), std::string::npos) << model.notices().back();
  const TokenVectorSettings settings = token_vector_settings(model);
  EXPECT_EQ(settings.size, 24u);
  EXPECT_EQ(settings.query.prompt, "fox ");
  EXPECT_TRUE(settings.query.skipped_words.empty());
  EXPECT_EQ(settings.document.skipped_words.size(), 2u);
}

TEST_F(LateInteractionTest, ReadsStanfordsFiles) {
  const Model plain = load({},
                           [](test::TinyTensors& tensors) {
                             tensors["linear.weight"] = {{2, 24}, std::vector<float>(48, 0.0f)};
                             tensors["linear.weight"].values[0] = tensors["linear.weight"].values[25] =
                                 1;  // keeps the first two components
                           },
                           {.threads = 2, .ignore_unexpected = true});
  std::ifstream file(directory_.path() / "config.json");
  std::string config((std::istreambuf_iterator<char>(file)), {});
  config.replace(config.find("BertModel"), 9, "HF_ColBERT");
  directory_.write("config.json", config);
  directory_.write("artifact.metadata", R"({"query_token_id": "fox", "doc_token_id": "the", "query_maxlen": 8,
                                            "doc_maxlen": 6, "attend_to_mask_tokens": false})");
  const Model model = Model::load(directory_.path().string(), {.threads = 2});
  EXPECT_EQ(token_vector_settings(model).size, 2u);
  EXPECT_EQ(tokens(model, tokenize(model, "the", TextRole::kQuery)),
            (Words{"[CLS]", "fox", "the", "[SEP]", "[MASK]", "[MASK]", "[MASK]", "[MASK]"}));
  EXPECT_EQ(tokens(model, tokenize(model, "fox fox fox fox", TextRole::kDocument)),
            (Words{"[CLS]", "the", "fox", "fox", "fox", "[SEP]"}));
  const TokenVectors vectors = model.vectors("fox", {.tokens = true, .role = TextRole::kDocument}).tokens;
  const std::vector<float> hidden = plain.encode("the fox").last_hidden_state;
  const double x = hidden[24], y = hidden[25], length = std::sqrt(x * x + y * y);
  EXPECT_NEAR(vectors.values[2], x / length, 1e-6);
  EXPECT_NEAR(vectors.values[3], y / length, 1e-6);
}

TEST_F(LateInteractionTest, InsertsPyLatesMarkersAsTokensAndNormalises) {
  directory_.write("modules.json", std::string("[") + kTransformer + "]");
  directory_.write("config_sentence_transformers.json",
                   R"({"model_type": "ColBERT", "query_prefix": "fox ", "document_prefix": "[none] ",
                       "do_query_expansion": false, "document_length": 7})");
  const Model model = load();
  EXPECT_EQ(tokens(model, tokenize(model, "the", TextRole::kQuery)), (Words{"[CLS]", "fox", "the", "[SEP]"}));
  EXPECT_EQ(tokenize(model, "the the the the the the", TextRole::kDocument).encoding.size(), 7u);
  EXPECT_EQ(tokenize(model, "", TextRole::kQuery).encoding.size(), 3u);
  EXPECT_NE(test::refusal(ErrorCode::kUnsupported, [&] { model.embed("the"); }).find("late interaction"),
            std::string::npos);
}

TEST_F(LateInteractionTest, HasTheSameVectorsInAPipelineAndFromSequences) {
  const Model model = multi_vector(R"("query_expansion": {"strategy": "fixed", "length": 9})");
  const std::vector<std::string_view> texts = {"the fox", "a dog", "the", "fox dog the a"};
  const VectorTexts all = model.vectors(texts, {.tokens = true, .role = TextRole::kQuery});
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(test::same_bits(all.vectors[i].tokens.values,
                                model.vectors(texts[i], {.tokens = true, .role = TextRole::kQuery}).tokens.values));
  }
}

TEST_F(LateInteractionTest, RefusesWhatItCannotDo) {
  EXPECT_NE(
      test::refusal(ErrorCode::kNotFound, [&] { load().vectors("the", {.tokens = true, .role = TextRole::kQuery}); })
          .find("expected a late-interaction model"),
      std::string::npos);
  const auto refused = [&](const std::string& transformer) {
    return test::refusal(ErrorCode::kInvalidFile, [&] { multi_vector(transformer); });
  };
  EXPECT_NE(refused(R"("query_expansion": {"strategy": "fixed"})").find("length"), std::string::npos);
  EXPECT_NE(refused(R"("query_expansion": {"strategy": "wide", "length": 3})").find("fixed or min"), std::string::npos);
  EXPECT_NE(refused(R"("query_expansion": {"strategy": "min", "length": 3, "token": "nowhere"})").find("vocabulary"),
            std::string::npos);
  EXPECT_NE(refused(R"("query_length": 0)").find("query_length"), std::string::npos);
  const Model model = multi_vector("");
  const Ids ids = {2, 5, 3};
  const TokenSequence none_left{.ids = ids, .unattended = 3};
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument,
                          [&] {
                            model.vectors({&none_left, 1}, {.tokens = true, .role = TextRole::kQuery});
                          })
                .find("expected fewer"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
