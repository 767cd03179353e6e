#include "models/pipeline/document_windows.h"

#include <gtest/gtest.h>

#include <string>

#include "bert/text_pipeline.h"
#include "bert/token_vectors.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

using Parts = std::vector<std::string_view>;

class DocumentWindows : public testing::Test {
 protected:
  DocumentWindows() { test::write_tiny_m3(directory_); }

  // Two tokens stand beside each part.
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

// Of a document the windows' vectors are those of the parts alone; a query is whole.
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
