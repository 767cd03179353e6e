// The tasks in one call, against the reference pipelines and against the calls that they are made of.
#include "bert/text_tasks.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/models/tasks/pipeline_cases.h"
#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

const std::vector<std::string> kLabels = {"lovely", "a story"};

TEST(TextTasks, TagsATextInWindows) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const Model model = Model::load(folder.string());
  size_t compared = 0;
  for (const test::Json& c : test::pipeline_cases(folder)) {
    if (!c["results"].contains("simple") || model.tokenizer().tokenize(c["text"].get<std::string>()).size() > 128) {
      continue;
    }
    const test::Json& expected = c["results"]["simple"];
    const std::vector<Entity> found = tag(model, c["text"].get<std::string>());
    ASSERT_EQ(found.size(), expected.size()) << c["id"];
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].word, expected[i]["word"].get<std::string>());
      EXPECT_NEAR(found[i].score, expected[i]["score"].get<double>(), 1e-5);
    }
    ++compared;
  }
  EXPECT_GT(compared, 20u);
  // Nothing of a long text is cut off.
  std::string text;
  for (size_t i = 0; i < 400; ++i) text += "A bird is bathing in a sink. ";
  const std::vector<Entity> all = tag(model, text, {.aggregation = Aggregation::kNone});
  ASSERT_FALSE(all.empty());
  EXPECT_GT(all.back().end, text.size() - 30);
}

TEST(TextTasks, FillsMasks) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-mlm");
  const Model model = Model::load(folder.string());
  const std::string text = test::pipeline_cases(folder)[0]["text"];
  const Encoding encoding = model.tokenizer().tokenize(text);
  const TokenSequence sequence = model.sequence(encoding);
  const Logits logits =
      model.logits(Head::kMaskedLm, {&sequence, 1}, {.only_id = mask_token_id(model.tokenizer())}).front();
  const auto expected = mask_candidates(model.tokenizer(), encoding.ids, logits, 3);
  const auto found = fill_masks(model, text, {.top_k = 3});
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[0][i].id, expected[0][i].id);
    EXPECT_EQ(found[0][i].score, expected[0][i].score);
  }
  const std::vector<std::string> targets = {expected[0][2].token, expected[0][2].token};
  const auto targeted = fill_masks(model, text, {.targets = targets});
  ASSERT_EQ(targeted[0].size(), 1u);
  EXPECT_EQ(targeted[0][0].score, expected[0][2].score);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText, [&] { fill_masks(model, "no mask"); }),
            "no mask, expected '[MASK]' in the text");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { fill_masks(model, text, {.targets = {"no such"}}); }),
            "target 'no such': not a token of the model's vocabulary");
}

TEST(TextTasks, AnswersAsTheReference) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  const Model model = Model::load(folder.string());
  for (const test::Json& c : test::pipeline_cases(folder)) {
    const std::string question = c["question"], context = c["context"];
    if (c["windows"] != 1) continue;
    const test::Json& expected = c["results"]["possible"];
    const std::vector<Answer> found = answer(model, question, context,
                                             {.top_k = c["options"].value("top_k", size_t{1}),
                                              .max_answer_tokens = c["options"].value("max_answer_len", size_t{15}),
                                              .align_to_words = c["options"].value("align_to_words", true)});
    ASSERT_EQ(found.size(), expected.size()) << c["id"];
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].answer, expected[i]["answer"].get<std::string>());
      EXPECT_NEAR(found[i].score, expected[i]["score"].get<double>(), 1e-5);
    }
  }
}

TEST(TextTasks, RanksDocumentsByAClassifier) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-rerank");
  const Model model = Model::load(folder.string());
  const Reranker reranker(model);
  for (const test::Json& c : test::pipeline_cases(folder)) {
    std::vector<std::string> texts;
    for (const test::Json& document : c["documents"]) texts.push_back(document["text"]);
    const std::vector<std::string_view> documents(texts.begin(), texts.end());
    const std::vector<RankedDocument> ranked = rerank(model, reranker, c["query"].get<std::string>(), documents);
    ASSERT_EQ(ranked.size(), texts.size());
    for (size_t i = 0; i < ranked.size(); ++i) {
      if (i > 0) {
        EXPECT_GE(ranked[i - 1].score, ranked[i].score);
      }
      const test::Json& document = c["documents"][ranked[i].index];
      // The reference was asked to cut at 128 tokens, and read a query without a document alone.
      if (document["input_ids"].size() == 128 || document["text"] == "") continue;
      EXPECT_NEAR(ranked[i].score, document["score"].get<double>(), 1e-5);
    }
  }
}

TEST(TextTasks, RankDocumentsByTheirVectors) {
  const Model model = Model::builtin();
  const std::vector<std::string_view> documents = {"The stock market fell.", "A cat sat on the mat.",
                                                   "A cat sat on the mat."};
  const std::vector<RankedDocument> ranked = rerank(model, Reranker(model), "a cat on a mat", documents);
  ASSERT_EQ(ranked.size(), 3u);
  EXPECT_EQ(ranked[0].index, 1u);  // of equal ones the first
  EXPECT_EQ(ranked[1].index, 2u);
  EXPECT_EQ(ranked[0].score, ranked[1].score);
  EXPECT_EQ(ranked[0].score, cosine_similarity(model.embed("a cat on a mat"), model.embed(documents[1])));
  EXPECT_TRUE(rerank(model, Reranker(model), "a cat", {}).empty());
}

TEST(TextTasks, ClassifyByLabelsOfTheModelOrOfTheCaller) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  const Model model = Model::load(directory.path().string());
  const std::vector<LabelScore> scores = classify(model, "the quick fox", "the dog");
  const Encoding encoding = model.tokenizer().tokenize("the quick fox", "the dog");
  const TokenSequence sequence = model.sequence(encoding);
  const std::vector<LabelScore> expected =
      label_scores(model.config(), model.logits(Head::kSequenceClassification, {&sequence, 1}).front());
  ASSERT_EQ(scores.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(scores[i].label, expected[i].label);
    EXPECT_EQ(scores[i].score, expected[i].score);
  }
  const std::vector<LabelScore> labels = zero_shot(model, "the quick fox", kLabels);
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_NEAR(labels[0].score + labels[1].score, 1, 1e-12);
  EXPECT_GE(labels[0].score, labels[1].score);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { zero_shot(model, "the quick fox", {}); }),
            "no candidate labels, expected at least one");
}

TEST(TextTasks, NameTheHeadThatAModelDoesNotHave) {
  const Model model = Model::builtin();
  for (const auto& call : {std::function<void()>([&] { tag(model, "a"); }),
                           {[&] { classify(model, "a"); }},
                           {[&] { zero_shot(model, "a", kLabels); }},
                           {[&] { answer(model, "a", "b"); }}}) {
    EXPECT_NE(test::error_of(ErrorCode::kNotFound, call).find("has no head for"), std::string::npos);
  }
}

}  // namespace
}  // namespace bert
