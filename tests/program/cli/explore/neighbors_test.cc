// Tests the command neighbors on the built-in model.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

TEST(Neighbors, ListsTheNearestWordsAndTheCosinesOfTheGivenOnes) {
  const ProgramResult result = run_program({"neighbors", "--top-k", "3", "--format", "json", "dog", "cat"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json words = result.json()["words"];
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0]["word"], "dog");
  EXPECT_EQ(words[0]["nearest"].size(), 3u);
  EXPECT_GE(words[0]["nearest"][0]["cosine"], words[0]["nearest"][1]["cosine"]);
  EXPECT_NEAR(words[0]["cosines"][0], 1, 1e-12);
  EXPECT_EQ(words[0]["cosines"][1], words[1]["cosines"][0]);

  const std::string text = run_program({"neighbors", "--top-k", "3", "dog", "cat"}).out;
  EXPECT_TRUE(text.starts_with("dog ")) << text;
  EXPECT_NE(text.find("\ncosine    dog    cat\ndog     1.000  "), std::string::npos) << text;
}

TEST(Neighbors, AddsAndSubtractsWords) {
  const ProgramResult result =
      run_program({"neighbors", "--top-k", "2", "--format", "json", "king", "-", "man", "+", "woman"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json sum = result.json()["words"][0];
  EXPECT_EQ(sum["word"], "king - man + woman");
  EXPECT_FALSE(sum.contains("id"));
  ASSERT_EQ(sum["terms"].size(), 3u);
  EXPECT_EQ(sum["terms"][1]["word"], "man");
  EXPECT_EQ(sum["terms"][1]["weight"], -1);
  ASSERT_EQ(sum["nearest"].size(), 2u);
  for (const nlohmann::json& near : sum["nearest"]) {
    for (const nlohmann::json& term : sum["terms"]) EXPECT_NE(near["id"], term["id"]);
  }
  EXPECT_EQ(run_program({"neighbors", "--top-k", "2", "--format", "json", "king - man + woman"}).out, result.out);
  EXPECT_EQ(run_program({"neighbors", "--top-k", "2", "-", "man", "+", "woman"}).status, 0);
  expect_usage_error({"neighbors", "king", "-"}, "a sum of words ends with a word; found '-'");
  expect_usage_error({"neighbors", "king man - woman"}, "found 'man' after a word");
  expect_usage_error({"neighbors", "king + - woman"}, "found '-' after a sign");
}

TEST(Neighbors, NeedsWordsOfTheVocabulary) {
  EXPECT_EQ(run_program({"neighbors"}).status, 2);
  const ProgramResult result = run_program({"neighbors", "dog", "a dog"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("'a dog' is 2 tokens, 'a' and 'dog', expected a word of the vocabulary"), std::string::npos)
      << result.err;
}

// --svg writes the page's first drawing. Two results cannot have the same file.
TEST(Neighbors, IsDrawnAloneOrOnAPage) {
  const TemporaryDirectory folder;
  const std::string svg = (folder.path() / "dog.svg").string(), page = (folder.path() / "dog.html").string();
  ASSERT_EQ(run_program({"neighbors", "--svg", svg, "--html", page, "dog"}).status, 0);
  const std::string drawing = read_file(svg), html = read_file(page);
  EXPECT_TRUE(drawing.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=")) << drawing.substr(0, 80);
  EXPECT_TRUE(drawing.ends_with("</svg>\n"));
  const std::string shapes = drawing.substr(drawing.find("</style>") + 8);
  EXPECT_NE(html.find(shapes), std::string::npos);
  // The second drawing has the rows of the word and of its ten neighbours.
  ASSERT_EQ(run_program({"neighbors", "--svg", svg, "--drawing", "2", "dog"}).status, 0);
  EXPECT_NE(read_file(svg).find("aria-label=\"The rows of the word table\""), std::string::npos);
  EXPECT_NE(read_file(svg).find(">dog</text>"), std::string::npos);
  const ProgramResult third = run_program({"neighbors", "--svg", svg, "--drawing", "3", "dog"});
  EXPECT_EQ(third.status, 1);
  EXPECT_NE(third.err.find("--drawing 3: the page has 2 drawings"), std::string::npos) << third.err;
  const ProgramResult none = run_program({"neighbors", "--drawing", "2", "dog"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("--drawing is for --svg"), std::string::npos) << none.err;
  for (const std::vector<std::string>& others :
       {std::vector<std::string>{"--html", svg}, {"--output", svg}, {"--html", "-"}}) {
    std::vector<std::string> arguments = {"neighbors", "--svg", svg, "dog"};
    arguments.insert(arguments.end(), others.begin(), others.end());
    EXPECT_EQ(run_program(arguments).status, 2) << others[0];
  }
}

}  // namespace
}  // namespace bert::test
