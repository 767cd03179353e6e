// What becomes of one item: a sequence, windows, or an error in its place.
#include "models/pipeline/text_sequences.h"

#include "tests/models/tiny_model_test.h"

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

}  // namespace
}  // namespace bert
