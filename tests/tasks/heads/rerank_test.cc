// Compares scores of documents for a query with sentence-transformers 6.2 in float64. Also tests how a classifier's
// outputs for a pair become its score.
#include <gtest/gtest.h>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bert/tasks.h"
#include "bert/text_tasks.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

constexpr const char* kRerankQuery = "how do wings lift?";

// Loads tiny-rerank with additional files.
class RerankTest : public testing::Test {
 protected:
  Model load(const std::vector<std::pair<std::string, std::string>>& files = {}) {
    const std::filesystem::path data = test::find_test_data("family/tiny-rerank");
    for (const auto& entry : std::filesystem::directory_iterator(data)) {
      std::filesystem::copy(entry.path(), directory_.path() / entry.path().filename(),
                            std::filesystem::copy_options::overwrite_existing);
    }
    for (const auto& [name, text] : files) directory_.write(name, text);
    return Model::load(directory_.path().string());
  }

  static double score(const Model& model, const Reranker& reranker, const char* document) {
    const std::string_view documents[] = {document};
    return rerank(model, reranker, kRerankQuery, documents).front().score;
  }

  test::TemporaryDirectory directory_;
};

constexpr const char* kRerankModules = R"([{"idx": 0, "name": "0", "path": "",
  "type": "sentence_transformers.base.modules.transformer.Transformer"}])";
constexpr const char* kPrompts = R"({"model_type": "CrossEncoder", "default_prompt_name": "query",
  "prompts": {"query": "birds ", "other": "wings "}})";

TEST_F(RerankTest, AnEmptyDocumentIsASecondSegment) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const Model model = load();
  const Reranker reranker(model);
  EXPECT_EQ(reranker.method(), RerankMethod::kClassifier);
  EXPECT_EQ(reranker.score_name(), "sigmoid");
  EXPECT_NEAR(score(model, reranker, ""), 0.58059, 2e-6);
  EXPECT_NEAR(score(model, reranker, " "), 0.58059, 2e-6);
  EXPECT_NEAR(score(model, reranker, "Birds fly."), 0.296681, 2e-6);
}

TEST_F(RerankTest, APromptGoesBeforeTheQuery) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const Model model = load({{"modules.json", kRerankModules}, {"config_sentence_transformers.json", kPrompts}});
  const Reranker usual(model), other(model, {.prompt = "other"}), none(model, {.prompt_text = ""});
  EXPECT_NEAR(score(model, usual, ""), 0.795258, 2e-6);
  EXPECT_NEAR(score(model, usual, "Birds fly."), 0.763129, 2e-6);
  EXPECT_NEAR(score(model, other, "Birds fly."), 0.764242, 2e-6);
  EXPECT_NEAR(score(model, none, "Birds fly."), 0.296681, 2e-6);
  const std::string error = test::error_of(ErrorCode::kNotFound, [&] { Reranker(model, {.prompt = "queyr"}); });
  EXPECT_NE(error.find("prompt 'queyr' is not in"), std::string::npos) << error;
  EXPECT_NE(error.find("expected other, query"), std::string::npos) << error;
}

TEST_F(RerankTest, SegmentsFollowModelInputNames) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const Model model = load({{"tokenizer_config.json",
                             R"({"do_lower_case": true, "model_max_length": 128, "tokenizer_class": "BertTokenizer",
                                 "model_input_names": ["input_ids", "attention_mask"]})"}});
  EXPECT_FALSE(model.tokenizer().has_segments());
  const Reranker reranker(model);
  EXPECT_NEAR(score(model, reranker, "Birds fly."), 0.606222, 2e-6);
  EXPECT_NEAR(score(model, reranker, ""), 0.585142, 2e-6);
  EXPECT_EQ(model.notices().back(),
            "the second text of a pair has segment 0: token_type_ids is not among the tokenizer's model_input_names "
            "(tokenizer_config.json), as transformers 5 reads them");
}

TEST_F(RerankTest, AClassifierTakesNoOptionsOfEmbeddings) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const Model model = load();
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { Reranker(model, {.pooling = PoolingMode::kMean}); }),
            "pooling, normalize or dimensions given, expected them for a model that is compared by its embeddings");
}

TEST(Rerank, ByEmbeddingsIsTheModelsSimilarity) {
  const Model model = Model::builtin();
  const Reranker reranker(model);
  EXPECT_EQ(reranker.method(), RerankMethod::kEmbeddings);
  EXPECT_EQ(reranker.score_name(), "cosine");
  const TextVectors query{.dense = model.embed("a bird")}, document{.dense = model.embed("an airplane")};
  EXPECT_EQ(reranker.similarity(query, document).score, cosine_similarity(query.dense, document.dense));
}

ModelConfig config_of(const std::vector<std::string>& labels) {
  ModelConfig config;
  config.labels.assign(labels.begin(), labels.end());
  return config;
}

Relevance relevance_of(const ModelConfig& config, const std::vector<float>& values, size_t output = 0) {
  return relevance(config, {.rows = 1, .outputs = values.size(), .values = values}, output);
}

TEST(Relevance, FollowsTheActivationOfACrossEncoder) {
  const auto of = [](const std::string& activation, ProblemType problem = ProblemType::kUnspecified) {
    ModelConfig config = config_of({"LABEL_0"});
    config.activation_fn = activation;
    config.problem_type = problem;
    return relevance_of(config, {2});
  };
  const double sigmoid_of_2 = 0.88079707797788;
  EXPECT_NEAR(of("").score, sigmoid_of_2, 1e-12);
  EXPECT_EQ(of("").activation, "sigmoid");
  EXPECT_NEAR(of("", ProblemType::kRegression).score, sigmoid_of_2, 1e-12) << "as sentence-transformers 6.2";
  EXPECT_EQ(of("torch.nn.modules.linear.Identity").score, 2);
  EXPECT_EQ(of("torch.nn.modules.linear.Identity").activation, "identity");
  EXPECT_NEAR(of("torch.nn.modules.activation.Sigmoid", ProblemType::kRegression).score, sigmoid_of_2, 1e-12);
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { of("mine.Identity"); }),
            "activation_fn 'mine.Identity' of the model's files is not supported, expected Identity or Sigmoid of "
            "torch.nn");
}

TEST(Relevance, TellsDocumentsApartWhoseScoresRoundTo1) {
  const ModelConfig config = config_of({"LABEL_0"});
  const Relevance good = relevance_of(config, {37.53f}), better = relevance_of(config, {38.36f});
  EXPECT_EQ(good.score, better.score);
  EXPECT_LT(good.logit, better.logit);
}

TEST(Relevance, OfTwoLabelsIsTheSoftmaxOfTheRelevantOne) {
  const ModelConfig config = config_of({"irrelevant", "Relevant"});
  EXPECT_EQ(relevant_output(config), 1u);
  const Relevance found = relevance_of(config, {0.25f, 1.75f}, 1);
  EXPECT_NEAR(found.score, std::exp(1.75) / (std::exp(0.25) + std::exp(1.75)), 1e-15);
  EXPECT_EQ(found.logit, 1.5);
  EXPECT_EQ(found.activation, "softmax");
  EXPECT_NEAR(relevance_of(config, {0.25f, 1.75f}, 0).score, 1 - found.score, 1e-15);
}

TEST(Relevance, OfLabelsThatDoNotSayWhichOneNeedsTheirName) {
  const ModelConfig config = config_of({"LABEL_0", "LABEL_1"});
  EXPECT_EQ(relevant_output(config, "LABEL_1"), 1u);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { relevant_output(config); }),
            "a classifier of the labels 'LABEL_0' and 'LABEL_1', expected one that is called 'relevant': name it "
            "(relevant_label, --relevant-label), or see the scores of both (classify --pair)");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { relevant_output(config, "LABEL_2"); }),
            "relevant label 'LABEL_2', expected one of the model's: 'LABEL_0' and 'LABEL_1'");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             relevant_output(config_of({"a", "b", "relevant"}));
                           }),
            "a classifier of 3 labels, expected one or two: the relevance of a document (the command classify with "
            "--pair gives the scores of all)");
}

}  // namespace

}  // namespace bert
