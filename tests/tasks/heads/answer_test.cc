#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"
#include "tests/tasks/heads/pipeline_cases.h"

namespace bert {
namespace {

TEST(Answer, FindsTheReferencesAnswers) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  const Model model = Model::load(folder.string());
  size_t cases = 0;
  for (const test::Json& c : test::pipeline_cases(folder)) {
    SCOPED_TRACE(c["id"]);
    const std::string context = c["context"];
    const test::Json& options = c["options"];
    const auto max_length = options.value("max_seq_len", size_t{128});
    const std::vector<Encoding> windows =
        model.tokenizer().tokenize_windows(c["question"].get<std::string>(), context,
                                           {.max_length = max_length,
                                            .truncation = Truncation::kOnlySecond,
                                            .stride = options.value("doc_stride", max_length / 2)});
    EXPECT_EQ(windows.size(), c["windows"]);
    const std::vector<Logits> logits = test::logits_of(model, Head::kQuestionAnswering, windows);
    for (const bool no_answer : {false, true}) {
      const test::Json& expected = c["results"][no_answer ? "impossible" : "possible"];
      const std::vector<Answer> got = find_answers(context, test::windows_of(windows, logits),
                                                   {.top_k = options.value("top_k", size_t{1}),
                                                    .max_answer_tokens = options.value("max_answer_len", size_t{15}),
                                                    .no_answer = no_answer,
                                                    .align_to_words = options.value("align_to_words", true)});
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].answer, expected[i]["answer"].get<std::string>());
        EXPECT_NEAR(got[i].score, expected[i]["score"].get<double>(), 1e-5);
        EXPECT_EQ(test::code_points(context, got[i].start), expected[i]["start"]);
        EXPECT_EQ(test::code_points(context, got[i].end), expected[i]["end"]);
      }
    }
    ++cases;
  }
  EXPECT_EQ(cases, 90u);
}

Encoding pair_of(std::string_view question, std::string_view context) {
  return Tokenizer::from_vocabulary(test::tiny_vocabulary(18), "").tokenize(question, context);
}

// The score is calculated by hand. The token that is typed in the question takes its share of the probabilities, as in
// the reference, but is never the answer.
TEST(Answer, IsNeverTheFirstTokensNameTypedInTheQuestion) {
  for (const char* question : {"[CLS] fox", "fox fox fox fox [CLS]"}) {
    const Encoding encoding = pair_of(question, "lazy dog");
    const size_t dog = encoding.size() - 2;
    Logits logits{.rows = encoding.size(), .outputs = 2, .values = std::vector<float>(2 * encoding.size())};
    for (size_t i = 1; i < encoding.size(); ++i) {
      const float logit = i == dog ? 2 : encoding.ids[i] == encoding.ids[0] ? 5 : 0;
      logits.values[2 * i] = logits.values[2 * i + 1] = logit;
    }
    const TokenLogits window{&encoding, &logits};
    const std::vector<Answer> answers = find_answers("lazy dog", {&window, 1}, {.top_k = 9});
    ASSERT_EQ(answers.size(), 3u) << question;
    EXPECT_EQ(answers[0].answer, "dog");
    EXPECT_EQ(answers[0].start, 5u);
    // The sum is over [CLS] and lazy, the typed token, and dog.
    const double share = std::exp(2) / (2 + std::exp(5) + std::exp(2));
    EXPECT_NEAR(answers[0].score, share * share, 1e-12);
  }
}

TEST(Answer, TakesAnyNumberForAsManyAsThereAre) {
  const Encoding encoding = pair_of("do", "the quick brown lazy dog");
  const Logits logits{.rows = encoding.size(), .outputs = 2, .values = std::vector<float>(2 * encoding.size())};
  const TokenLogits window{&encoding, &logits};
  for (const bool align : {false, true}) {
    EXPECT_EQ(find_answers("the quick brown lazy dog", {&window, 1},
                           {.top_k = SIZE_MAX, .max_answer_tokens = SIZE_MAX, .align_to_words = align})
                  .size(),
              15u);  // 5 + 4 + 3 + 2 + 1
  }
}

TEST(Answer, RefusesOutputsThatAreNotOfTheWindow) {
  const Encoding encoding = pair_of("do", "lazy dog"), empty;
  const size_t tokens = encoding.size();
  const auto refusal = [&](const Encoding& of, const Logits& logits, std::string_view context) {
    const TokenLogits window{&of, &logits};
    return test::error_of(ErrorCode::kInvalidArgument, [&] { find_answers(context, {&window, 1}); });
  };
  const Logits good{tokens, 2, std::vector<float>(2 * tokens)};
  EXPECT_EQ(refusal(encoding, good, "lazy dog"), "");
  EXPECT_EQ(refusal(encoding, {tokens - 1, 2, std::vector<float>(2 * tokens - 2)}, "lazy dog"),
            "10 outputs as [5, 2], expected [6, 2] for 6 tokens");
  EXPECT_NE(refusal(encoding, {tokens, 1, std::vector<float>(tokens)}, "lazy dog"), "");
  EXPECT_NE(refusal(encoding, {tokens, 2, {}}, "lazy dog"), "");
  EXPECT_EQ(refusal(empty, {0, 2, {}}, ""), "a window of no token, expected a pair's");
  Encoding ids_only;
  ids_only.ids = encoding.ids;
  EXPECT_EQ(refusal(ids_only, good, "lazy dog"), "0 offsets for 6 tokens, expected as many");
  Encoding without_words = encoding;
  without_words.word_ids.clear();
  EXPECT_EQ(refusal(without_words, good, "lazy dog"), "0 word ids for 6 tokens, expected as many");
  EXPECT_EQ(refusal(encoding, good, "lazy"), "token 4 is said to be bytes 5 to 8 of the text, expected them in its 4");
}

}  // namespace
}  // namespace bert
