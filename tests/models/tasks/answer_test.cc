#include <gtest/gtest.h>

#include "tests/models/tasks/pipeline_cases.h"

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
        EXPECT_EQ(got[i].answer, expected[i]["answer"]);
        EXPECT_NEAR(got[i].score, expected[i]["score"].get<double>(), 1e-5);
        EXPECT_EQ(test::code_points(context, got[i].start), expected[i]["start"]);
        EXPECT_EQ(test::code_points(context, got[i].end), expected[i]["end"]);
      }
    }
    ++cases;
  }
  EXPECT_EQ(cases, 90u);
}

}  // namespace
}  // namespace bert
