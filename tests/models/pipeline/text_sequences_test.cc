// Tests that an item becomes a sequence, several windows, or an error.
#include "models/pipeline/text_sequences.h"

#include <gtest/gtest.h>
#include <string>

#include "bert/text_pipeline.h"
#include "bert/token_vectors.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

class TextSequencesTest : public test::TinyModelTest {
 protected:
  std::vector<TextResult> cut(const Model& model, TextItem item, const TextOptions& options = {},
                              const std::string& prompt = "") {
    return TextTaskRunner(model, VectorRequest{.dense = EmbedOptions{.prompt_text = prompt}}, options)
        .cut(std::move(item), 4);
  }
};

TEST_F(TextSequencesTest, PutsThePromptBeforeTheTextAndCountsUnknownTokens) {
  const Model model = load();
  const std::vector<TextResult> results = cut(model, {.text = "xyzzy fox"}, {}, "the ");
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].input.index, 4u);
  EXPECT_EQ(results[0].input.text, "the xyzzy fox");
  EXPECT_EQ(results[0].tokens.encoding.ids, (Ids{2, 5, 1, 8, 3}));  // by hand from the vocabulary
  EXPECT_EQ(results[0].tokens.unknown_tokens, 1u);
}

TEST_F(TextSequencesTest, TakesIdsButNoTextWithoutATokenizer) {
  load();
  std::filesystem::remove(directory_.path() / "vocab.txt");
  const Model model = Model::load(directory_.path().string());
  EXPECT_EQ(cut(model, {.ids = Ids{2, 8, 3}})[0].error, std::nullopt);
  const std::vector<TextResult> results = cut(model, {.text = "the fox"});
  ASSERT_TRUE(results[0].error.has_value());
  EXPECT_NE(std::string(results[0].error->what()).find("no tokenizer, expected tokenizer.json"), std::string::npos)
      << results[0].error->what();
}

TEST_F(TextSequencesTest, MakesWindowsOfWhatIsTooLong) {
  const Model model = load();
  TokenizeOptions tokenize;
  tokenize.max_length = 5;
  tokenize.stride = 1;
  const std::vector<TextResult> results =
      cut(model, {.text = "the quick brown fox jumps"}, {.tokenize = tokenize, .windows = true});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].tokens.encoding.ids, (Ids{2, 5, 6, 7, 3}));
  EXPECT_EQ(results[1].tokens.encoding.ids, (Ids{2, 7, 8, 9, 3}));
  EXPECT_EQ(results[1].input.window, size_t{1});
}

TEST_F(TextSequencesTest, GivesAnErrorInThePlaceOfWhatCannotBeEncoded) {
  const Model model = load();
  TextItem ids;
  ids.ids = Ids{2, 4000, 3};
  TextItem too_few = {.type_ids = {0, 0}}, too_many = {.type_ids = {0, 0, 0, 0}};
  too_few.ids = too_many.ids = Ids{2, 5, 3};
  TextItem unreadable;
  unreadable.error = Error(ErrorCode::kIo, "line 5: cannot be read");
  for (const auto& [item, message] : {std::pair{ids, "token 1 has id 4000"},
                                      {too_few, "2 type ids"},
                                      {too_many, "4 type ids"},
                                      {TextItem{.text = "\xC0"}, "not valid UTF-8"},
                                      {unreadable, "line 5: cannot be read"}}) {
    const std::vector<TextResult> results = cut(model, item);
    ASSERT_EQ(results.size(), 1u) << message;
    ASSERT_TRUE(results[0].error) << message;
    EXPECT_NE(std::string(results[0].error->what()).find(message), std::string::npos) << results[0].error->what();
  }
}

using Parts = std::vector<std::string_view>;

class DocumentWindows : public testing::Test {
 protected:
  DocumentWindows() { test::write_tiny_m3(directory_); }

  // Returns the windows of a text. Two special tokens are added to each.
  Parts windows(std::string_view text, const TokenizeOptions& options) const {
    return document_windows(model().tokenizer(), text, options,
                            [&](std::string_view part) { return model().tokenizer().tokenize(part).size(); });
  }
  const Model& model() const {
    static const Model model = Model::load(directory_.path().string(), {.threads = 1});
    return model;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(DocumentWindows, ShareTokensAndFitTheirSequences) {
  const std::string text = "the dog  the fox the cat.";
  EXPECT_EQ(windows(text, {}), Parts{text});
  EXPECT_EQ(windows(text, {.max_length = 9, .stride = 1}), Parts{text});
  EXPECT_EQ(windows(text, {.max_length = 5, .stride = 1}), (Parts{"the dog  the", "the fox the", "the cat."}));
  EXPECT_EQ(windows(text, {.max_length = 5}), (Parts{"the dog  the", "fox the cat", "."}));
}

TEST_F(DocumentWindows, RefuseWhatHasNoRoom) {
  const auto refusal = [&](const TokenizeOptions& options) {
    return test::error_of(ErrorCode::kInvalidArgument, [&] { windows("the dog the fox the cat", options); });
  };
  EXPECT_EQ(refusal({.max_length = 4, .stride = 2}),
            "windows of 4 tokens (max_length) that share 2 have no room for text beside the 2 other tokens");
  EXPECT_EQ(refusal({.max_length = 2}),
            "windows of 2 tokens (max_length) that share 0 have no room for text beside the 2 other tokens");
  EXPECT_NE(refusal({.max_length = 4, .max_windows = 2}).find("expected at most 2 together"), std::string::npos)
      << refusal({.max_length = 4, .max_windows = 2});
}

// The vectors of a document's window are those of its part alone. A query is not divided.
TEST_F(DocumentWindows, AreOfDocumentsOfTokenVectors) {
  const TextTaskRunner runner(model(), VectorRequest{.tokens = true, .role = TextRole::kDocument},
                              {.tokenize = TokenizeOptions{.max_length = 6, .stride = 1}, .windows = true});
  std::string text = "the";
  for (const char* word : {" dog", " the", " fox", " the", " cat", " dog"}) text += word;
  std::vector<TextResult> results = runner.cut({.text = text});
  const Parts parts = {"the dog the fox", "fox the cat dog"};
  ASSERT_EQ(results.size(), parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    TextResult* pass[] = {&results[i]};
    runner.compute(pass);
    EXPECT_EQ(results[i].input.window, i);
    const TokenVectors alone = model().vectors(parts[i], {.tokens = true, .role = TextRole::kDocument}).tokens;
    EXPECT_TRUE(test::same_bits(results[i].vectors().tokens.values, alone.values)) << i;
  }
  EXPECT_EQ(runner.cut({.text = text, .role = TextRole::kQuery}).size(), 1u);
}

}  // namespace

}  // namespace bert
