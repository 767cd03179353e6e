// Compares the sum of a score's terms with the score of the vectors, and the scores without a word with the scores for
// the ids that remain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bert/explain.h"
#include "bert/tasks.h"
#include "bert/token_vectors.h"
#include "tests/models/tiny_m3_test.h"
#include "tests/support/random.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

constexpr size_t kPairs = 200;
constexpr size_t kModelWidth = 24;

const VectorRequest kDense{.dense = EmbedOptions{}};

std::vector<std::pair<std::string, std::string>> pairs_of_texts(const std::vector<std::string>& words) {
  test::Random random(47);
  const auto text = [&] {
    std::string joined;
    const size_t count = 1 + random.below(9);
    for (size_t i = 0; i < count; ++i) joined += (i == 0 ? "" : " ") + words[random.below(words.size())];
    return joined;
  };
  std::vector<std::pair<std::string, std::string>> pairs;
  for (size_t i = 0; i < kPairs; ++i) pairs.emplace_back(text(), text());
  return pairs;
}

std::vector<std::pair<std::string, std::string>> tiny_pairs() {
  return pairs_of_texts(
      {"the", "quick", "brown", "fox", "jumps", "foxs", "lazy", "dog", "dogs", "unheard", "filler20"});
}

std::vector<std::pair<std::string, std::string>> english_pairs() {
  return pairs_of_texts({"cats", "a dog", "eats", "quietly,", "Berlin's", "unbelievable", "rain", "the bank", "of",
                         "rivers", "and", "loans", "1984", "embeddings", "are", "not", "similar."});
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

class ExplainScoreTest : public test::TinyModelTest {
 protected:
  void write_dense(const std::string& folder, size_t out, size_t in, uint64_t seed) {
    test::Random random(seed);
    directory_.write(
        folder + "/model.safetensors",
        test::image_of({{"linear.bias", "F32", {out}, test::bytes_of(random.numbers(out, 0.3f))},
                        {"linear.weight", "F32", {out, in}, test::bytes_of(random.numbers(out * in, 0.3f))}}));
  }

  static void expect_sums_to_cosine(const Model& model, const EmbedOptions& options,
                                    const std::vector<std::pair<std::string, std::string>>& pairs) {
    for (const auto& [a, b] : pairs) {
      const ScoreExplanation why = explain_texts(model, {.dense = options}, {.text = a}, {.text = b});
      ASSERT_EQ(why.kind, ExplanationKind::kTokenPairs);
      EXPECT_EQ(why.function, "cosine");
      const double score = cosine_similarity(model.embed(a, options), model.embed(b, options));
      EXPECT_EQ(why.score, score);
      EXPECT_NEAR(sum(why.pairs), score, 1e-6) << a << " | " << b;
      EXPECT_NEAR(sum(why.group_pairs()), score, 1e-6);
      EXPECT_NEAR(why.remainder, 0, 1e-6);
      ASSERT_EQ(why.pairs.size(), why.a.rows.size() * why.b.rows.size());
    }
  }
};

TEST_F(ExplainScoreTest, PairsOfTokensSumToTheCosine) {
  const Model model = load();
  for (const PoolingMode mode : {PoolingMode::kMean, PoolingMode::kMeanSqrtLength, PoolingMode::kWeightedMean}) {
    SCOPED_TRACE(name(mode));
    expect_sums_to_cosine(model, {.pooling = mode}, tiny_pairs());
  }
  expect_sums_to_cosine(model, {.dimensions = 10}, tiny_pairs());
}

TEST_F(ExplainScoreTest, SlowPairsOfTheBuiltinModelSumToTheCosine) {
  expect_sums_to_cosine(Model::builtin(), {}, english_pairs());
}

TEST_F(ExplainScoreTest, SlowPairsOfMiniLmSumToTheCosine) {
  BERT_MINILM_OR_SKIP(folder);
  expect_sums_to_cosine(Model::load(folder.string()), {}, english_pairs());
}

// The expected terms are calculated by hand from the vectors of two tokens.
TEST_F(ExplainScoreTest, APairIsTheProductOfTwoTokens) {
  const Model model = load();
  const ScoreExplanation why = explain_texts(model, kDense, {.text = "the foxs"}, {.text = "dog"});
  EXPECT_EQ(why.a.rows, (std::vector<std::string>{"[CLS]", "the", "fox", "##s", "[SEP]"}));
  EXPECT_EQ(why.a.groups, (std::vector<std::string>{"the", "foxs", "[CLS]", "[SEP]"}));
  EXPECT_EQ(why.a.group_of_row, (std::vector<size_t>{2, 0, 1, 1, 3}));
  const EncodedText a = model.encode("the foxs"), b = model.encode("dog");
  const std::vector<float> mean_a = model.embed("the foxs"), mean_b = model.embed("dog");
  const double norms = std::sqrt(similarity(SimilarityFunction::kDot, mean_a, mean_a) *
                                 similarity(SimilarityFunction::kDot, mean_b, mean_b));
  for (size_t i = 0; i < 5; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (size_t c = 0; c < kModelWidth; ++c) {
        product += static_cast<double>(a.last_hidden_state[i * kModelWidth + c]) *
                   static_cast<double>(b.last_hidden_state[j * kModelWidth + c]);
      }
      EXPECT_NEAR(why.pairs[i * 3 + j], product / 15 / norms, 1e-6);
    }
  }
}

TEST_F(ExplainScoreTest, BiasesOfLinearModulesAreATermOfTheirOwn) {
  write_modules({{"Pooling", R"({"pooling_mode": ["mean", "weightedmean"]})"},
                 {"Normalize", "{}"},
                 {"Dense", R"({"in_features": 48, "out_features": 48, "use_residual": true,
                               "activation_function": "torch.nn.modules.linear.Identity"})"},
                 {"Dense", R"({"in_features": 48, "out_features": 10,
                               "activation_function": "torch.nn.modules.linear.Identity"})"},
                 {"Normalize", "{}"}});
  write_dense("3", 48, 48, 1);
  write_dense("4", 10, 48, 2);
  const Model model = load();
  expect_sums_to_cosine(model, {}, tiny_pairs());
  const ScoreExplanation why = explain_texts(model, kDense, {.text = "fox"}, {.text = "dog"});
  EXPECT_EQ(why.a.rows, (std::vector<std::string>{"[CLS]", "fox", "[SEP]", kConstantTerm}));
  EXPECT_EQ(why.a.places.back(), why.a.encoding.size());
}

TEST_F(ExplainScoreTest, DotProductsOfNormalizedAndOtherVectorsAreSumsToo) {
  directory_.write("config_sentence_transformers.json", R"({"similarity_fn_name": "dot"})");
  write_modules({{"Pooling", "{}"}});
  const Model model = load();
  for (const EmbedOptions& options :
       {EmbedOptions{}, EmbedOptions{.normalize = true}, EmbedOptions{.normalize = true, .dimensions = 7}}) {
    for (const auto& [a, b] : tiny_pairs()) {
      const ScoreExplanation why = explain_texts(model, {.dense = options}, {.text = a}, {.text = b});
      const double score = similarity(SimilarityFunction::kDot, model.embed(a, options), model.embed(b, options));
      EXPECT_EQ(why.function, "dot");
      EXPECT_NEAR(sum(why.pairs), score, 1e-6 * std::max(1.0, std::abs(score)));
    }
  }
}

TEST_F(ExplainScoreTest, WordsLeftOutEqualRunsOnTheirIds) {
  const Model model = load();
  const auto without = [&](std::vector<int32_t> ids, const TextWord& word) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(word.first);
    ids.erase(begin, begin + static_cast<std::ptrdiff_t>(word.tokens));
    return ids;
  };
  for (const PoolingMode mode : {PoolingMode::kCls, PoolingMode::kMax, PoolingMode::kLastToken, PoolingMode::kPooler}) {
    const EmbedOptions options{.pooling = mode};
    for (const auto& [a, b] : tiny_pairs()) {
      const ScoreExplanation why = explain_texts(model, {.dense = options}, {.text = a}, {.text = b});
      ASSERT_EQ(why.kind, ExplanationKind::kWordsLeftOut);
      EXPECT_NE(why.not_additive.find(name(mode)), std::string::npos) << why.not_additive;
      const std::vector<float> of_a = model.embed(a, options), of_b = model.embed(b, options);
      EXPECT_EQ(why.score, cosine_similarity(of_a, of_b));
      double rest = why.score;
      for (const bool is_a : {true, false}) {
        const ExplainedText& text = is_a ? why.a : why.b;
        ASSERT_EQ(text.without.size(), text.words.size());
        for (size_t w = 0; w < text.words.size(); ++w) {
          const std::vector<int32_t> ids = without(text.encoding.ids, text.words[w]);
          const TokenSequence one{.ids = ids};
          const std::vector<float> vector = model.embed({&one, 1}, options);
          EXPECT_EQ(text.without[w], is_a ? cosine_similarity(vector, of_b) : cosine_similarity(of_a, vector));
          rest -= why.score - text.without[w];
        }
      }
      EXPECT_NEAR(why.remainder, rest, 1e-12);
    }
  }
}

TEST_F(ExplainScoreTest, NamesWhatIsNotLinear) {
  write_modules({{"Pooling", "{}"}, {"Dense", R"({"in_features": 24, "out_features": 10})"}});
  write_dense("2", 10, kModelWidth, 1);
  const ScoreExplanation why = explain_texts(load(), kDense, {.text = "fox"}, {.text = "dog"});
  EXPECT_EQ(why.kind, ExplanationKind::kWordsLeftOut);
  EXPECT_EQ(why.not_additive, "the module Dense 24 to 10, Tanh is not linear");
  directory_.write("config_sentence_transformers.json", R"({"similarity_fn_name": "manhattan"})");
  EXPECT_EQ(
      explain_texts(Model::load(directory_.path().string()), kDense, {.text = "fox"}, {.text = "dog"}).not_additive,
      "the similarity manhattan is no product of two vectors");
}

TEST_F(ExplainScoreTest, EntriesOfTheVocabularySumToTheSparseSimilarity) {
  for (const char* settings :
       {R"({"model_type": "SparseEncoder"})", R"({"model_type": "SparseEncoder", "similarity_fn_name": "cosine"})"}) {
    test::write_tiny_splade(directory_, R"({"pooling_strategy": "max"})", settings);
    const Model model = Model::load(directory_.path().string());
    const VectorRequest request{.sparse = SparseOptions{}};
    for (const auto& [a, b] : tiny_pairs()) {
      const ScoreExplanation why = explain_texts(model, request, {.text = a}, {.text = b});
      ASSERT_EQ(why.kind, ExplanationKind::kEntries);
      const double score =
          similarity(model.sparse().similarity, model.vectors(a, request).sparse, model.vectors(b, request).sparse);
      double total = 0;
      for (const EntryTerm& entry : why.entries) {
        total += entry.term;
        EXPECT_EQ(entry.token, model.tokenizer().token(entry.id));
      }
      EXPECT_EQ(why.score, score);
      EXPECT_NEAR(total, score, 1e-6 * std::max(1.0, score));
      EXPECT_TRUE(std::is_sorted(why.entries.begin(), why.entries.end(),
                                 [](const EntryTerm& x, const EntryTerm& y) { return x.term > y.term; }));
    }
  }
}

TEST_F(ExplainScoreTest, MatchesSumToMaxSim) {
  write_modules({});
  directory_.write("config_sentence_transformers.json",
                   R"({"model_type": "ColBERT", "query_length": 12, "skiplist_words": ["the"]})");
  const Model model = load({.positions = 128});
  for (const auto& [a, b] : tiny_pairs()) {
    const ScoreExplanation why = explain_texts(model, {.tokens = true}, {.text = a}, {.text = b});
    ASSERT_EQ(why.kind, ExplanationKind::kMatches);
    EXPECT_EQ(why.function, "maxsim");
    const TokenVectors query = model.vectors(a, {.tokens = true, .role = TextRole::kQuery}).tokens;
    const TokenVectors document = model.vectors(b, {.tokens = true, .role = TextRole::kDocument}).tokens;
    EXPECT_NEAR(sum(why.pairs), MaxSim(1).score(query.values, document.values, query.size), 1e-6);
    EXPECT_NEAR(why.remainder, 0, 1e-6);
  }
}

TEST_F(ExplainScoreTest, MeansOfMatchesAreDividedByTheQuerysVectors) {
  test::write_tiny_m3(directory_);
  const Model model = Model::load(directory_.path().string());
  for (const auto& [a, b] : tiny_pairs()) {
    const ScoreExplanation why = explain_texts(model, {.tokens = true}, {.text = a}, {.text = b});
    EXPECT_EQ(why.function, "meanmaxsim");
    EXPECT_NEAR(sum(why.pairs), why.score, 1e-6);
  }
}

TEST_F(ExplainScoreTest, APromptIsPartOfTheText) {
  directory_.write("config_sentence_transformers.json",
                   R"({"prompts": {"query": "the "}, "default_prompt_name": "query"})");
  write_modules({{"Pooling", "{}"}});
  const Model model = load();
  const ScoreExplanation why = explain_texts(model, kDense, {.text = "fox"}, {.text = "dog"});
  EXPECT_EQ(why.a.text, "the fox");
  EXPECT_EQ(why.a.words.size(), 2u);
  EXPECT_EQ(why.score, cosine_similarity(model.embed("fox"), model.embed("dog")));
}

TEST_F(ExplainScoreTest, RefusesWhatItCannotExplain) {
  const Model model = load();
  const auto refuse = [&](const VectorRequest& request, const TextItem& a) {
    return test::refusal(ErrorCode::kInvalidArgument, [&] { explain_texts(model, request, a, {.text = "dog"}); });
  };
  EXPECT_NE(refuse({}, {.text = "fox"}).find("no kind"), std::string::npos);
  EXPECT_NE(refuse(kDense, {.text = "fox", .pair = "dog"}).find("a pair to explain"), std::string::npos);
  EXPECT_NE(refuse(kDense, {.ids = std::vector<int32_t>{2, 5, 3}}).find("ids to explain"), std::string::npos);
}

}  // namespace
}  // namespace bert
