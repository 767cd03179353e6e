#include <gtest/gtest.h>

#include "tests/models/tasks/pipeline_cases.h"

namespace bert {
namespace {

void expect_entities(const std::vector<Entity>& got, const test::Json& expected, const std::string& text) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].entity, expected[i].contains("entity") ? expected[i]["entity"] : expected[i]["entity_group"]);
    EXPECT_EQ(got[i].word, expected[i]["word"]);
    EXPECT_NEAR(got[i].score, expected[i]["score"].get<double>(), 1e-5);
    EXPECT_EQ(test::code_points(text, got[i].start), expected[i]["start"]);
    EXPECT_EQ(test::code_points(text, got[i].end), expected[i]["end"]);
  }
}

TEST(Tag, FindsTheReferencesEntitiesByEveryAggregation) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const Model model = Model::load(folder.string());
  size_t cases = 0;
  for (const test::Json& c : test::pipeline_cases(folder)) {
    SCOPED_TRACE(c["id"]);
    const std::string text = c["text"];
    const bool windowed = c.contains("options") && c["options"].contains("stride");
    const std::vector<Encoding> encodings = model.tokenizer().tokenize_windows(
        text, std::nullopt, {.max_length = 128, .stride = windowed ? c["options"]["stride"].get<size_t>() : 0});
    // Without a stride what does not fit is cut.
    const std::vector<Encoding> used(encodings.begin(), windowed ? encodings.end() : encodings.begin() + 1);
    const std::vector<Logits> logits = test::logits_of(model, Head::kTokenClassification, used);
    for (const auto& [name, aggregation] : {std::pair{"none", Aggregation::kNone},
                                            {"simple", Aggregation::kSimple},
                                            {"first", Aggregation::kFirst},
                                            {"average", Aggregation::kAverage},
                                            {"max", Aggregation::kMax}}) {
      if (!c["results"].contains(name)) continue;
      SCOPED_TRACE(name);
      expect_entities(find_entities(model, text, test::windows_of(used, logits), aggregation), c["results"][name],
                      text);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 92u);
}

}  // namespace
}  // namespace bert
