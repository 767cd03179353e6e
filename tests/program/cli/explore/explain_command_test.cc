// Tests the command explain, and explain --matches.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(Explain, HasThePartsOfEachTokenAndHowFarItMoves) {
  const ProgramResult result = run_program({"explain", "--format", "json", "The quick brown fox jumps"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  ASSERT_EQ(object["embedding"].size(), object["tokens"].size());
  for (const char* part : {"word", "position", "segment"}) {
    for (const char* number : {"share", "norm", "cosine"})
      EXPECT_TRUE(object["embedding"][0][part][number].is_number());
  }
  ASSERT_EQ(object["moved"].size(), 12u);
  EXPECT_EQ(object["moved"][0].size(), object["tokens"].size());
}

TEST(Explain, PrintsTablesWithALineForEachToken) {
  const ProgramResult result = run_program({"explain", "a dog"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  size_t dogs = 0;
  for (const std::string& line : lines_of(result.out))
    dogs += line.starts_with(" 2  dog") || line.starts_with("2  dog");
  EXPECT_EQ(dogs, 2u) << result.out;
  EXPECT_EQ(run_program({"explain", "--format", "jsonl", "a dog"}).json_lines().size(), 1u);
}

TEST(Explain, TakesOneTextAndItsPair) {
  EXPECT_EQ(run_program({"explain"}).status, 2);
  EXPECT_EQ(run_program({"explain", "a", "b"}).status, 2);
  const nlohmann::json pair = run_program({"explain", "--format", "json", "--pair", "a cat", "a dog"}).json();
  EXPECT_EQ(pair["type_ids"], nlohmann::json({0, 0, 0, 0, 1, 1, 1}));
}

class TokenMatches : public ::testing::Test {
 protected:
  TokenMatches() {
    write_tiny_model(directory_, {.positions = 128});
    directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""}])");
    directory_.write("config_sentence_transformers.json",
                     R"({"model_type": "ColBERT", "query_length": 6, "skiplist_words": ["the"]})");
  }
  ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--model", directory_.path().string()});
    return run_program(arguments);
  }
  TemporaryDirectory directory_;
};

TEST_F(TokenMatches, HaveTheTokensAndTheirProducts) {
  const nlohmann::json object =
      run({"explain", "--matches", "--format", "json", "fox", "--pair", "the fox the dog"}).json();
  EXPECT_EQ(object["query_tokens"], nlohmann::json({"[CLS]", "fox", "[SEP]", "[MASK]", "[MASK]", "[MASK]"}));
  EXPECT_EQ(object["document_tokens"], nlohmann::json({"[CLS]", "fox", "dog", "[SEP]"}));
  ASSERT_EQ(object["products"].size(), 6u);
  EXPECT_EQ(object["products"][5].size(), 4u);
  EXPECT_EQ(object["matches"].size(), 6u);
  EXPECT_TRUE(object["score"].is_number());
}

TEST_F(TokenMatches, AreDrawnAndPrinted) {
  const std::string page = (directory_.path() / "page.html").string();
  const ProgramResult result = run({"explain", "--matches", "--html", page, "a Fox", "--pair", "the dog"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("\nThe score is "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(", the sum of 6 products."), std::string::npos) << result.out;
  const std::string html = read_file(page);
  EXPECT_NE(html.find("“a Fox” and “the dog” — "), std::string::npos);
  EXPECT_NE(html.find("[CLS] → "), std::string::npos);
}

TEST_F(TokenMatches, NameWhatIsWrong) {
  const auto error = [&](const std::vector<std::string>& words, int status) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_NE(error({"explain", "--matches", "fox"}, 2).find("expected one --pair, the document, none given"),
            std::string::npos);
  const std::string page = (directory_.path() / "page.html").string();
  std::string text;
  for (int i = 0; i < 70; ++i) text += "dog ";
  EXPECT_NE(error({"explain", "--matches", "--html", page, "fox", "--pair", text}, 1).find("--html draws at most 64"),
            std::string::npos);
  const ProgramResult other = run_program({"explain", "--matches", "a", "--pair", "b"});
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.err.find("makes no token vectors"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace bert::test
