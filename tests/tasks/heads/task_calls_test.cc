// Tests the tasks for many texts: how each tokenizes its texts, and that its results equal those of the functions that
// it calls.
#include "bert/task_calls.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/firing_models.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

const std::vector<std::string> kCandidateLabels = {"lovely", "a story"};

TextOptions call_options(const Model& model, const TaskCall& call, TextOptions options = {}) {
  options.tokenize = default_tokenize_options(model, call.computation());
  call.adjust(options);
  return options;
}

std::vector<std::pair<std::string, double>> named_scores(const std::vector<LabelScore>& labels) {
  std::vector<std::pair<std::string, double>> scores;
  for (const LabelScore& label : labels) scores.emplace_back(label.label, label.score);
  return scores;
}

std::vector<std::pair<std::string, double>> named_scores(const TaskOutput& output) {
  return named_scores(std::get<std::vector<LabelScore>>(output));
}

// Returns the call's result for one input, with a pass for each of its items.
TaskOutput call_result(const Model& model, const TaskCall& call, const TextItem& input) {
  std::vector<TextResult> results;
  for (TextItem& item : call.items(input)) {
    results.push_back(run_one(model, call.computation(), std::move(item), call_options(model, call)));
  }
  EXPECT_EQ(results.size(), call.item_count());
  return call.result(std::vector<TaskSequence>(results.begin(), results.end()));
}

TEST(TaskCalls, ClassifyByTheModelsLabels) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  const Model model = Model::load(directory.path().string());
  const TaskCallPtr call = classify_call(model);
  EXPECT_FALSE(call->reads_tokens());
  const auto found = named_scores(call_result(model, *call, {.text = "the quick fox", .pair = "the dog"}));
  const Encoding encoding = model.tokenizer().tokenize("the quick fox", "the dog");
  const TokenSequence sequence = model.sequence(encoding);
  EXPECT_EQ(found, named_scores(label_scores(model.config(),
                                             model.logits(Head::kSequenceClassification, {&sequence, 1}).front())));
}

TEST(TaskCalls, ScoreEachLabelBesideTheText) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  const Model model = Model::load(directory.path().string());
  const TaskCallPtr call = zero_shot_call(model, kCandidateLabels, {.hypothesis_template = "do {}"});
  const std::vector<TextItem> items = call->items({.text = "the quick fox"});
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[1].text, "the quick fox");
  EXPECT_EQ(items[1].pair, "do a story");
  std::vector<Logits> logits;
  for (const TextItem& item : items) {
    logits.push_back(std::get<Logits>(run_one(model, call->computation(), item, call_options(model, *call)).output));
  }
  EXPECT_EQ(named_scores(call_result(model, *call, {.text = "the quick fox"})),
            named_scores(zero_shot_scores(model.config(), kCandidateLabels, logits)));

  // The text is truncated separately for each hypothesis, as the hypothesis's length allows. Windows are the same for
  // all labels.
  EXPECT_EQ(call_options(model, *call).tokenize->truncation, Truncation::kOnlyFirst);
  EXPECT_EQ(call_options(model, *call).tokenize->pair_tokens, 0u);
  EXPECT_EQ(call_options(model, *call, {.windows = true}).tokenize->pair_tokens,
            model.tokenizer().tokenize("do a story", {.add_special_tokens = false}).size());

  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { zero_shot_call(model, {}); }),
            "no candidate labels, expected at least one");
  test::error_of(ErrorCode::kInvalidArgument,
                 [&] { zero_shot_call(model, kCandidateLabels, {.hypothesis_template = "do"}); });
  test::error_of(ErrorCode::kNotFound, [&] { zero_shot_call(Model::builtin(), kCandidateLabels); });
}

TEST(TaskCalls, TagTextsAndWords) {
  const test::TemporaryDirectory directory;
  test::write_firing_tagger(directory, {{"fox", "B-ANIMAL"}, {"dog", "B-PET"}});
  const Model model = Model::load(directory.path().string());
  const TaskCallPtr call = tag_call(model);
  EXPECT_TRUE(call->reads_tokens());
  const auto found = std::get<std::vector<Entity>>(call_result(model, *call, {.text = "the fox and the dog"}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].entity, "ANIMAL");
  EXPECT_EQ(found[1].start, 16u);
  const std::vector<std::string> words = {"the", "fox"};
  const auto labels = std::get<std::vector<WordLabel>>(call_result(model, *call, {.words = words}));
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[0].label, "O");
  EXPECT_EQ(labels[1].label, "B-ANIMAL");
  EXPECT_TRUE(
      std::get<std::vector<WordLabel>>(call_result(model, *call, {.words = std::vector<std::string>()})).empty());
  const TaskCallPtr simple = tag_call(model, {.of_words = Aggregation::kSimple});
  test::error_of(ErrorCode::kInvalidArgument, [&] { call_result(model, *simple, {.words = words}); });
}

TEST(TaskCalls, TagByTheCallersLabels) {
  const test::TemporaryDirectory directory;
  test::write_firing_gliner(directory);
  const Model model = Model::load(directory.path().string());
  const TaskCallPtr call = tag_call(model, LabelRequest{.labels = {"coding"}});
  EXPECT_FALSE(call->reads_tokens());
  const auto found = std::get<std::vector<Entity>>(call_result(model, *call, {.text = "the brown fox"}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].word, find_entities(model, "the brown fox", {.labels = {"coding"}})[0].word);
}

TEST(TaskCalls, ScoreClassesInWindows) {
  const Model model = Model::builtin();
  const TaskCallPtr call = classify_call(model, ClassRequest{.labels = {"a", "b"}}, {.scores = WindowScores::kLargest});
  const SequenceOutput first = std::vector<LabelScore>{{"a", 0.75}, {"b", 0.25}};
  const SequenceOutput second = std::vector<LabelScore>{{"b", 0.5}, {"a", 0.5}};
  const Encoding none;
  const std::vector<TaskSequence> windows = {{first, none}, {second, none}};
  const std::vector<LabelScore> expected = {{"a", 0.75}, {"b", 0.5}};
  EXPECT_EQ(named_scores(call->result(windows)), named_scores(expected));
  const TaskCallPtr best = classify_call(model, ClassRequest{.labels = {"a", "b"}}, {.top_k = 1});
  EXPECT_EQ(named_scores(best->result(windows)), named_scores(std::vector<LabelScore>{{"a", 0.625}}));
}

TEST(TaskCalls, FillTheMasksOfAPair) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-mlm");
  const Model model = Model::load(folder.string());
  const TaskCallPtr call = fill_mask_call(model, 2);
  const auto masks = std::get<std::vector<std::vector<MaskCandidate>>>(
      call_result(model, *call, {.text = "a [MASK]", .pair = "two [MASK]"}));
  ASSERT_EQ(masks.size(), 2u);
  EXPECT_EQ(masks[1].size(), 2u);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText, [&] { call_result(model, *call, {.text = "none"}); }),
            "no mask, expected '[MASK]' in the text");
  const std::vector<std::string> words = {masks[0][1].token, masks[0][1].token};
  EXPECT_EQ(target_ids(model.tokenizer(), words), std::vector<int32_t>{masks[0][1].id});
  test::error_of(ErrorCode::kNotFound, [] { fill_mask_call(Model::builtin(), 1); });
}

TEST(TaskCalls, AnswerFromWindowsOfTheContext) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  const Model model = Model::load(folder.string());
  const TaskCallPtr call = answer_call(model, {.top_k = 3}, 64);
  EXPECT_TRUE(call->reads_tokens());
  const TextOptions whole = call_options(model, *call), windows = call_options(model, *call, {.windows = true});
  EXPECT_EQ(whole.tokenize->truncation, Truncation::kOnlySecond);
  EXPECT_EQ(whole.tokenize->max_length, model.max_length());
  EXPECT_EQ(windows.tokenize->max_length, 64u);
  EXPECT_EQ(call_options(model, *call, {.fits_stride = true}).tokenize->stride, kAnswerStride);
  const auto found =
      std::get<std::vector<Answer>>(call_result(model, *call, {.text = "who sings?", .pair = "a bird sings"}));
  EXPECT_EQ(found.size(), 3u);
}

TEST(TaskCalls, RankDocumentsByTheBestOfTheirWindows) {
  const Model model = Model::builtin();
  const Reranker reranker(model);
  const TaskCallPtr call = rerank_call(model, reranker, "a bird");
  ASSERT_NE(call->query(), nullptr);
  EXPECT_EQ(call->query()->text, "a bird");
  const TextResult query = run_one(model, call->computation(), *call->query());
  const TextResult far = run_one(model, call->computation(), {.text = "a stone"});
  const TextResult near = run_one(model, call->computation(), {.text = "a bird"});
  const std::vector<TaskSequence> read = {query, far, near};
  const auto found = std::get<Relevance>(call->result(read));
  EXPECT_EQ(found.score, reranker.similarity(query.vectors(), near.vectors()).score);
  EXPECT_GT(found.score, reranker.similarity(query.vectors(), far.vectors()).score);

  const Relevance some[] = {{1, 0, {}}, {1, 2, {}}, {1, 2, {}}, {1, 1, {}}};
  EXPECT_EQ(best_first(some), (std::vector<size_t>{1, 2, 3, 0}));
}

TEST(TaskCalls, ChoicesShareTheirScores) {
  std::vector<Relevance> choices = {{0, 1, {}}, {0, 1, {}}};
  choice_scores(choices);
  EXPECT_EQ(choices[0].score, 0.5);
  EXPECT_EQ(choices[1].score, 0.5);
}

}  // namespace
}  // namespace bert
