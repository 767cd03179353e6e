// Tests whole GLiClass models: the encoder's input and the labels' scores.
#include "tasks/labels/gliclass/gliclass.h"

#include <gtest/gtest.h>

#include "bert/text_pipeline.h"
#include "tasks/labels/label_request.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliclass.h"

namespace bert {
namespace {

Model tiny_gliclass(const test::TinyGliClass& form = {}, size_t threads = 2) {
  const test::TemporaryDirectory directory;
  test::write_tiny_gliclass(directory, form);
  return Model::load(directory.path().string(), {.threads = threads, .copy_weights = true});
}

Encoding read_with(const Model& model, std::string_view text, ClassRequest request, TokenizeOptions options = {}) {
  return tokenize_with_labels(model, text, prepare_labels(model, std::move(request)), options);
}

std::vector<std::string> tokens_of(const Model& model, const Encoding& encoding) {
  std::vector<std::string> tokens;
  for (const int32_t id : encoding.ids) tokens.emplace_back(model.tokenizer().token(id));
  return tokens;
}

TEST(GliClass, PutsTheLabelsBeforeTheText) {
  const Model model = tiny_gliclass();
  const Encoding encoding = read_with(model, "The fox", {.labels = {"dog", "lazy fox"}});
  EXPECT_EQ(tokens_of(model, encoding), (std::vector<std::string>{"[CLS]", "<<LABEL>>", "dog", "<<LABEL>>", "lazy",
                                                                  "fox", "<<SEP>>", "the", "fox", "[SEP]"}));
  EXPECT_EQ(encoding.word_ids, (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, -1, 0, 1, -1}));
  EXPECT_EQ(encoding.offsets[2], Offset());
  EXPECT_EQ(encoding.offsets[8], (Offset{4, 7}));
}

TEST(GliClass, PutsTheLabelsAfterTheTextIfItsFilesSayThis) {
  const Model model = tiny_gliclass({.settings = R"("prompt_first": false)"});
  const Encoding encoding = read_with(model, "The fox", {.labels = {"dog"}});
  EXPECT_EQ(tokens_of(model, encoding),
            (std::vector<std::string>{"[CLS]", "the", "fox", "<<LABEL>>", "dog", "<<SEP>>", "[SEP]"}));
  EXPECT_EQ(encoding.offsets[2], (Offset{4, 7}));
  const Encoding cut = read_with(model, "the quick brown fox jumps", {.labels = {"dog"}}, {.max_length = 7});
  EXPECT_EQ(tokens_of(model, cut),
            (std::vector<std::string>{"[CLS]", "the", "quick", "<<LABEL>>", "dog", "<<SEP>>", "[SEP]"}));
  EXPECT_EQ(cut.truncated_tokens, 3u);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidText,
                           [&] {
                             read_with(model, "the quick brown fox", {.labels = {"dog"}},
                                       {.max_length = 7, .truncation = Truncation::kError});
                           }),
            "9 tokens with the labels, expected at most 7");
}

TEST(GliClass, CutsATextThatIsTooLongAndRefusesSuchLabels) {
  for (const char* settings : {R"("prompt_first": true)", R"("prompt_first": false)"}) {
    const Model model = tiny_gliclass({.settings = settings});
    const Encoding cut = read_with(model, "the quick brown fox jumps", {.labels = {"dog"}}, {.max_length = 7});
    EXPECT_EQ(cut.size(), 7u);
    EXPECT_EQ(cut.truncated_tokens, 3u);
    EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                             [&] {
                               read_with(model, "the fox", {.labels = {"dog", "fox", "lazy"}}, {.max_length = 6});
                             }),
              "3 labels take more than the 6 tokens that the model reads, expected room for the text beside them");
  }
}

TEST(GliClass, RefusesMarkersThatTheTokenizerDoesNotHave) {
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [] { tiny_gliclass({.settings = R"("class_token_index": 41)"}); }),
            "config.json: class_token_index 41, expected 40, the id of '<<LABEL>>'");
}

TEST(GliClass, TellsAllLabelsBestFirst) {
  const Model model = tiny_gliclass();
  const ClassRequest request{.labels = {"dog", "fox", "lazy", "dog"}, .names = {"Dog", "Fox", "Lazy", "Other"}};
  const std::vector<LabelScore> scores = score_labels(model, "the quick brown fox", request);
  ASSERT_EQ(scores.size(), 3u);
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    sum += scores[i].score;
    EXPECT_NE(scores[i].label, "Other");
    EXPECT_GE(scores[0].score, scores[i].score);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

// With a sigmoid, a label's score does not depend on the other labels, unless the encoder sees them.
TEST(GliClass, HasTheSameOrderBySoftmaxAndBySigmoid) {
  const Model model = tiny_gliclass({.architecture = "bi-encoder"});
  const auto one = score_labels(model, "the lazy dog", {.labels = {"dog", "fox", "quick"}});
  const auto alone = score_labels(model, "the lazy dog", {.labels = {"dog", "fox", "quick"}, .multi_label = true});
  const auto single = score_labels(model, "the lazy dog", {.labels = {alone[1].label}, .multi_label = true});
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(one[i].label, alone[i].label);
  EXPECT_EQ(single[0].score, alone[1].score);
}

TEST(GliClass, GivesATextTheSameScoresAloneAndInAnyPassOnAnyThreads) {
  for (const test::TinyGliClass& form :
       {test::TinyGliClass{},
        {.scorer = "weighted-dot", .settings = R"("class_token_pooling": "average", "pooling_strategy": "rms")"},
        {.scorer = "mlp", .lstm = true},
        {.scorer = "mlp", .settings = R"("extract_text_features": true, "pooling_strategy": "abs_max")"},
        {.settings = R"("prompt_first": false, "embed_class_token": false, "normalize_features": true)"},
        {.architecture = "bi-encoder", .settings = R"("pooling_strategy": "avg", "normalize_features": true)"},
        {.architecture = "bi-encoder-fused", .scorer = "weighted-dot"}}) {
    const Model model = tiny_gliclass(form), other = tiny_gliclass(form, 1);
    const ClassRequest request{.labels = {"dog", "quick brown fox", "lazy"}, .multi_label = true};
    const std::vector<std::string_view> lines = {"the quick brown fox jumps", "", "dogs", "over the lazy dog",
                                                 "i like coding i do the quick lazy dog jumps over the fox"};
    Texts texts(lines);
    TextPipeline pipeline(model, request, texts);
    size_t index = 0;
    for (TextResult result; pipeline.next(result); ++index) {
      ASSERT_FALSE(result.error) << result.error->what();
      const std::vector<LabelScore> alone = score_labels(other, lines[index], request);
      ASSERT_EQ(std::get<std::vector<LabelScore>>(result.output).size(), alone.size());
      for (size_t i = 0; i < alone.size(); ++i) {
        EXPECT_EQ(std::get<std::vector<LabelScore>>(result.output)[i].label, alone[i].label);
        EXPECT_EQ(std::get<std::vector<LabelScore>>(result.output)[i].score, alone[i].score);
      }
    }
    EXPECT_EQ(index, lines.size());
  }
}

// The vectors of fused labels are in the text's forward pass, so another label changes the scores of the rest.
TEST(GliClass, ReadsFusedLabelsWithTheText) {
  const Model fused = tiny_gliclass({.architecture = "bi-encoder-fused"});
  const Encoding encoding = read_with(fused, "the fox", {.labels = {"dog", "lazy fox"}});
  EXPECT_EQ(tokens_of(fused, encoding),
            (std::vector<std::string>{"[CLS]", "<<LABEL>>", "<<LABEL>>", "<<SEP>>", "the", "fox", "[SEP]"}));
  const auto score_of_dog = [&](const std::string& other) {
    for (const LabelScore& one : score_labels(fused, "the fox", {.labels = {"dog", other}, .multi_label = true})) {
      if (one.label == "dog") return one.score;
    }
    return -1.0;
  };
  EXPECT_NE(score_of_dog("lazy"), score_of_dog("quick"));
}

}  // namespace
}  // namespace bert
