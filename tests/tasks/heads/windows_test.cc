#include "bert/windows.h"

#include <gtest/gtest.h>

#include <array>

#include "bert/text_tasks.h"
#include "tests/support/expect_error.h"
#include "tests/support/firing_models.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

Entity entity(size_t start, size_t end, double score = 0.9, const std::string& label = "x") {
  return {label, score, "", start, end, start, end};
}

std::vector<std::pair<size_t, size_t>> places(const std::vector<Entity>& entities) {
  std::vector<std::pair<size_t, size_t>> all;
  for (const Entity& one : entities) all.emplace_back(one.start, one.end);
  return all;
}

using Places = std::vector<std::pair<size_t, size_t>>;

// The results are found by hand, for the windows [0, 20), [12, 32) and [24, 40).
TEST(MergeWindows, KeepTheReadingFartherFromAnEdge) {
  const auto merged = [](std::vector<Entity> first, std::vector<Entity> second, std::vector<Entity> third = {}) {
    return places(
        merge_windows({{{0, 20}, std::move(first)}, {{12, 32}, std::move(second)}, {{24, 40}, std::move(third)}}));
  };
  // The first entity is 6 words from its window's end, the second is 0 words from its window's beginning. So the first
  // is kept.
  EXPECT_EQ(merged({entity(10, 14)}, {entity(12, 14)}), (Places{{10, 14}}));
  // The first entity is 0 words from its window's end, the second is 4 words from its window's beginning. So the second
  // is kept.
  EXPECT_EQ(merged({entity(16, 20)}, {entity(16, 22)}), (Places{{16, 22}}));
  // Both are 3 words from an edge. The higher score wins; if scores are equal, the first window wins.
  EXPECT_EQ(merged({entity(14, 16, 0.5)}, {entity(16, 18, 0.6)}), (Places{{14, 16}, {16, 18}}));
  EXPECT_EQ(merge_windows({{{0, 20}, {entity(15, 17, 0.5)}}, {{12, 32}, {entity(15, 17, 0.6)}}})[0].score, 0.6);
  // An entity of only one window is kept. An entity of two windows is listed once.
  EXPECT_EQ(merged({entity(2, 4), entity(17, 18)}, {entity(17, 18), entity(26, 29)}, {entity(26, 29), entity(38, 40)}),
            (Places{{2, 4}, {17, 18}, {26, 29}, {38, 40}}));
  // Entities of one window may overlap, because they are nested or have several labels.
  EXPECT_EQ(merged({entity(2, 9), entity(3, 5), entity(3, 5, 0.8, "y")}, {}), (Places{{2, 9}, {3, 5}, {3, 5}}));
}

TEST(MergeWindows, TakesTheMeanOfScoresOrTheLargest) {
  const std::vector<std::vector<LabelScore>> windows = {{{"a", 0.75}, {"b", 0.25}, {"a", 0.125}},
                                                        {{"b", 0.5}, {"a", 0.25}, {"a", 0.25}}};
  const std::vector<LabelScore> mean = merge_windows(windows, WindowScores::kMean);
  ASSERT_EQ(mean.size(), 3u);
  EXPECT_EQ(mean[0].label, "a");
  EXPECT_EQ(mean[0].score, 0.5);
  EXPECT_EQ(mean[1].label, "b");
  EXPECT_EQ(mean[1].score, 0.375);
  EXPECT_EQ(mean[2].score, 0.1875);
  const std::vector<LabelScore> largest = merge_windows(windows, WindowScores::kLargest);
  EXPECT_EQ(largest[0].score, 0.75);
  EXPECT_EQ(largest[1].score, 0.5);
  EXPECT_EQ(largest[2].score, 0.25);
  const std::vector<std::vector<LabelScore>> others = {{{"a", 1}}, {{"b", 1}}};
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { merge_windows(others, WindowScores::kMean); }),
            "windows with other labels, expected those of the first window");
}

// Returns places 11 words apart. No step of windows is a multiple of 11, so the entities have all distances from a
// window's edge.
std::vector<size_t> fox_places() {
  std::vector<size_t> places;
  for (size_t place = 0; place + 1 < 12000; place += 11) places.push_back(place);
  places.push_back(11998);
  return places;
}

void expect_foxes(const std::vector<Entity>& found, const std::string& text, const std::string& label) {
  std::vector<size_t> expected;
  for (size_t at = text.find("brown fox"); at != text.npos; at = text.find("brown fox", at + 1)) expected.push_back(at);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].start, expected[i]);
    ASSERT_EQ(found[i].end, expected[i] + 9);
    ASSERT_EQ(found[i].word, "brown fox");
    ASSERT_EQ(found[i].entity, label);
  }
}

TEST(Windows, FindEveryEntityOfTwelveThousandWordsOnce) {
  const std::string text = test::text_with_foxes(12000, fox_places());
  const test::TemporaryDirectory spans, tagger;
  test::write_firing_gliner(spans);
  test::write_firing_tagger(tagger, {{"brown", "B-ANIMAL"}, {"fox", "I-ANIMAL"}});
  const Model gliner = Model::load(spans.path().string(), {.threads = 2});
  const Model tags = Model::load(tagger.path().string(), {.threads = 2});
  for (const size_t stride : {6, 17}) {
    const LabelRequest request{.labels = {"coding", "dog"}};
    expect_foxes(find_entities(gliner, text, request, {.stride = stride}), text, "coding");
  }
  expect_foxes(find_entities(gliner, text, {.labels = {"coding"}}), text, "coding");
  const auto cut = find_entities(gliner, text, {.labels = {"coding"}}, {.long_text = LongText::kCut});
  EXPECT_LT(cut.size(), 10u);
  EXPECT_GT(cut.truncated_tokens, 10'000u);
  EXPECT_NE(test::error_of(ErrorCode::kInvalidArgument, [&] { tag(tags, text, {.stride = 15}); })
                .find("expected at most 1024"),
            std::string::npos);
  for (const size_t stride : {4, 9}) expect_foxes(tag(tags, text, {.stride = stride}), text, "ANIMAL");
}

// A window's score is the score of a run on that window alone. The document's score is that of its best window.
TEST(Windows, RankALongDocumentByItsBestWindow) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {});
  const Model model = Model::load(directory.path().string(), {.threads = 2});
  const Reranker reranker(model);
  const std::string query = "the lazy dog", document = test::text_with_foxes(90, {3, 40, 77});
  const std::vector<std::string_view> documents = {"the dog", document};
  const std::vector<Encoding> windows = model.tokenizer().tokenize_windows(
      query, document, {.max_length = model.max_length(), .truncation = Truncation::kOnlySecond, .stride = 5});
  ASSERT_GT(windows.size(), 5u);
  std::optional<double> best;
  for (const Encoding& window : windows) {
    const TokenSequence sequence = model.sequence(window);
    const double score = reranker.relevance(model.logits(Head::kSequenceClassification, {&sequence, 1}).front()).score;
    if (!best || score > *best) best = score;
  }
  const std::vector<std::string_view> short_one = {"the dog"};
  const double alone = rerank(model, reranker, query, short_one)[0].score;
  const std::vector<RankedDocument> ranked = rerank(model, reranker, query, documents, {.stride = 5});
  ASSERT_EQ(ranked.size(), 2u);
  EXPECT_GE(ranked[0].score, ranked[1].score);
  for (const RankedDocument& one : ranked) EXPECT_EQ(one.score, one.index == 1 ? *best : alone);
}

TEST(Windows, RankByTheBestVectorOfADocument) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const Model model = Model::load(directory.path().string(), {.threads = 2});
  const Reranker reranker(model);
  const std::string document = test::text_with_foxes(90, {3, 40, 77});
  const std::vector<std::string_view> documents = {document};
  const VectorRequest request{.dense = EmbedOptions{}};
  TextOptions cut{.tokenize = default_tokenize_options(model, request), .windows = true};
  cut.tokenize->stride = 5;
  Texts texts(documents);
  TextPipeline pipeline(model, request, texts, cut);
  const TextVectors query = model.vectors("the lazy dog", request);
  double best = -2;
  size_t windows = 0;
  for (TextResult window; pipeline.next(window); ++windows) {
    best = std::max(best, reranker.similarity(query, window.vectors()).score);
  }
  ASSERT_GT(windows, 3u);
  EXPECT_EQ(rerank(model, reranker, "the lazy dog", documents, {.stride = 5})[0].score, best);
}

TEST(Windows, GiveTheMeanOfAClassifiersProbabilities) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  const Model model = Model::load(directory.path().string(), {.threads = 2});
  const std::string text = test::text_with_foxes(90, {3, 40, 77});
  std::array<double, 3> sums{}, largest{};
  const std::vector<Encoding> windows =
      model.tokenizer().tokenize_windows(text, std::nullopt, {.max_length = model.max_length(), .stride = 5});
  ASSERT_GT(windows.size(), 3u);
  for (const Encoding& window : windows) {
    const TokenSequence sequence = model.sequence(window);
    const std::vector<double> scores =
        softmax(model.logits(Head::kSequenceClassification, {&sequence, 1}).front().values);
    for (size_t i = 0; i < 3; ++i) {
      sums[i] += scores[i];
      largest[i] = std::max(largest[i], scores[i]);
    }
  }
  for (const WindowScores how : {WindowScores::kMean, WindowScores::kLargest}) {
    for (const LabelScore& one : classify(model, text, {}, {.stride = 5, .scores = how})) {
      const size_t label = one.label == "contradiction" ? 0 : one.label == "neutral" ? 1 : 2;
      EXPECT_EQ(one.score,
                how == WindowScores::kMean ? sums[label] / static_cast<double>(windows.size()) : largest[label]);
    }
  }
}

// The windows of a text are the same beside a short hypothesis and a long one.
TEST(Windows, AreTheSameForAllHypotheses) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  const Model model = Model::load(directory.path().string(), {.threads = 2});
  const std::string text = test::text_with_foxes(60, {3, 40});
  const std::vector<std::string> labels = {"dog", "quick brown fox"};
  std::vector<std::string> pairs;
  for (const std::string& label : labels) pairs.push_back(hypothesis("do {}", label));
  TextOptions options{.tokenize = TokenizeOptions{}, .windows = true};
  zero_shot_call(model, labels, {.hypothesis_template = "do {}"})->adjust(options);
  EXPECT_EQ(options.tokenize->pair_tokens, 4u);
  std::vector<std::vector<Encoding>> windows;
  for (const std::string& pair : pairs) {
    windows.push_back(model.tokenizer().tokenize_windows(
        text, pair,
        {.max_length = model.max_length(), .truncation = Truncation::kOnlyFirst, .stride = 3, .pair_tokens = 4}));
  }
  ASSERT_EQ(windows[0].size(), windows[1].size());
  ASSERT_GT(windows[0].size(), 3u);
  std::vector<std::vector<LabelScore>> scores;
  for (size_t i = 0; i < windows[0].size(); ++i) {
    EXPECT_EQ(windows[0][i].offsets[1], windows[1][i].offsets[1]);
    std::vector<Logits> logits;
    for (const auto& of_label : windows) {
      const TokenSequence sequence = model.sequence(of_label[i]);
      logits.push_back(model.logits(Head::kSequenceClassification, {&sequence, 1}).front());
    }
    scores.push_back(zero_shot_scores(model.config(), labels, logits));
  }
  const std::vector<LabelScore> expected = merge_windows(scores, WindowScores::kMean);
  const std::vector<LabelScore> found =
      zero_shot(model, text, labels, {.hypothesis_template = "do {}", .windows = {.stride = 3}});
  ASSERT_EQ(found.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found[i].label, expected[i].label);
    EXPECT_EQ(found[i].score, expected[i].score);
  }
}

}  // namespace
}  // namespace bert
