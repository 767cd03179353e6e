// Tests the command report.
#include <gtest/gtest.h>

#include <cmath>

#include "bert/model.h"
#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

std::vector<std::string> questions_of(const ProgramResult& result) {
  std::vector<std::string> questions;
  const nlohmann::json object = result.json();
  for (const auto& one : object["questions"]) {
    questions.push_back(one["question"]);
    EXPECT_TRUE(one["answer"].get<std::string>().ends_with(".")) << one["answer"];
  }
  return questions;
}

TEST(ReportCommand, AnswersEachQuestionAboutOneText) {
  const ProgramResult result = run_program({"report", "--format", "json", "The dog bit the man"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const nlohmann::json object = result.json();
  EXPECT_EQ(object["model"], "the built-in model");
  EXPECT_EQ(object["version"], bert::version());
  EXPECT_EQ(object["files"]["built-in"], object["version"]);
  EXPECT_EQ(object["parameters"], 3840002);
  ASSERT_EQ(object["tokens"].size(), 7u);
  EXPECT_EQ(object["tokens"][2]["token"], "dog");
  EXPECT_EQ(object["tokens"][2]["id"], 1347);
  EXPECT_EQ(object["tokens"][2]["nearest"].size(), 3u);
  EXPECT_EQ(
      questions_of(result),
      (std::vector<std::string>{"What goes into a token?", "How do the learned positions compare with sinusoidal ones?",
                                "Does the order of the tokens matter?", "Does the model use the segments?",
                                "What do the heads attend to?", "Do later layers still have the position?"}));
  const ProgramResult text = run_program({"report", "The dog bit the man"});
  for (const auto& one : object["questions"]) {
    const std::string part = one["question"].get<std::string>() + "\n" + one["answer"].get<std::string>() + "\n";
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
  }
}

TEST(ReportCommand, HasTheFiguresOfTheSingleCommands) {
  const std::string text = "The dog bit the man";
  const nlohmann::json explained = run_program({"explain", "--format", "json", text}).json();
  double word = 0;
  for (const auto& token : explained["embedding"]) word += token["word"]["share"].get<double>();
  word /= static_cast<double>(explained["embedding"].size());
  const nlohmann::json report = run_program({"report", "--format", "json", text}).json();
  EXPECT_EQ(report["questions"][0]["answer"],
            "Mostly its word: " + std::to_string(std::lround(100 * word)) + " % of the sum on average.");
}

TEST(ReportCommand, DrawsEverythingOnOnePage) {
  const TemporaryDirectory folder;
  const std::string page = (folder.path() / "page.html").string();
  ASSERT_EQ(run_program({"report", "--html", page, "The dog bit the Man"}).status, 0);
  const std::string html = read_file(page);
  EXPECT_NE(html.find("“The dog bit the Man” — the built-in model, 7 tokens"), std::string::npos)
      << html.substr(0, 3000);
  size_t from = 0;
  for (const char* part : {"<dl>",
                           "What goes into a token?",
                           "</dl>",
                           "Which vectors are added",
                           "How do the learned positions",
                           "Cosines of all positions",
                           "Does the order",
                           "With positions and without",
                           "Does the model use",
                           "By layer",
                           "“The dog saw a fox.” (A) and “It barked at the fox.” (B)",
                           "What do the heads",
                           "The most telling heads",
                           "Entropy of each head",
                           "Do later layers",
                           "the program's own texts",
                           "What does the model read?",
                           "3,840,002 parameters",
                           "How was this made?",
                           "bert-infer report &quot;The dog bit the Man&quot;"}) {
    from = html.find(part, from);
    ASSERT_NE(from, std::string::npos) << part;
  }
}

TEST(ReportCommand, AnswersAboutAPair) {
  const TemporaryDirectory folder;
  const std::string page = (folder.path() / "page.html").string();
  const ProgramResult report =
      run_program({"report", "--format", "json", "--html", page, "--pair", "It ran.", "a dog"});
  ASSERT_EQ(report.status, 0) << report.err;
  const nlohmann::json segments = run_program({"segments", "--format", "json", "a dog", "It ran."}).json();
  const double moved = segments["swapped"]["moved_by_layer"].back();
  const std::string answer = report.json()["questions"][3]["answer"];
  EXPECT_NE(answer.find("move by " + std::to_string(std::lround(100 * moved)) + " %"), std::string::npos) << answer;
  const std::string html = read_file(page);
  EXPECT_NE(html.find("Measured on “a dog” (A) and “It ran.” (B)."), std::string::npos);
  EXPECT_NE(html.find("bert-infer report --format json --pair &quot;It ran.&quot; &quot;a dog&quot;"),
            std::string::npos);
}

TEST(ReportCommand, MeasuresTheTextsOfAFile) {
  const TemporaryDirectory folder;
  const std::string texts =
      write_file(folder, "texts", "the dog ran\nthe cat sat\na dog sat\na cat ran\nran the dog\n");
  const std::string page = (folder.path() / "page.html").string();
  const ProgramResult result = run_program({"report", "--texts", texts, "--html", page, "a dog"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(read_file(page).find("of 5 texts"), std::string::npos);
  EXPECT_EQ(run_program({"report", "--texts", (folder.path() / "none").string(), "a dog"}).status, 1);
}

TEST(ReportCommand, LeavesOutWhatAModelWithoutPositionsCannotShow) {
  const ProgramResult result = run_program({"report", "--positions", "none", "--format", "json", "a dog"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(questions_of(result),
            (std::vector<std::string>{"What goes into a token?", "Does the model use the segments?",
                                      "What do the heads attend to?", "Do later layers still have the position?"}));
}

TEST(ReportCommand, OfAStaticModelHasNoQuestionsAboutLayers) {
  const TemporaryDirectory source, directory;
  write_tiny_model(source);
  const std::string model = (directory.path() / "static").string();
  ASSERT_EQ(run_program({"distill", "--dimensions", "8", source.path().string(), model}).status, 0);
  directory.write("texts.txt", "the fox\ndog the\nfox dog the\ndog fox\n");
  const std::string texts = (directory.path() / "texts.txt").string(), page = (directory.path() / "page.html").string();
  const ProgramResult report = run_program({"report", "--model", model, "--texts", texts, "--html", page, "the fox"});
  ASSERT_EQ(report.status, 0) << report.err;
  EXPECT_NE(report.out.find("What goes into a token?"), std::string::npos) << report.out;
  EXPECT_EQ(report.out.find("What do the heads attend to?"), std::string::npos) << report.out;
  EXPECT_EQ(report.out.find("Does the model use the segments?"), std::string::npos) << report.out;
  const ProgramResult explain = run_program({"explain", "--model", model, "--html", page, "the fox"});
  ASSERT_EQ(explain.status, 0) << explain.err;
  EXPECT_NE(explain.out.find("On average the sum is 100 % word, no position and no segment."), std::string::npos);
  EXPECT_EQ(explain.out.find("how far each layer"), std::string::npos) << explain.out;
  const ProgramResult attention = run_program({"attention", "--model", model, "the fox"});
  EXPECT_EQ(attention.status, 1);
  EXPECT_EQ(lines_of(attention.err).back(), "bert-infer: error: the model has no attention: it has no layers");
}

TEST(ReportCommand, LeavesOutWhatATextIsTooShortFor) {
  const ProgramResult report = run_program({"report", "Hi"});
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_NE(report.out.find("What goes into a token?"), std::string::npos);
  EXPECT_EQ(report.out.find("Does the order of the tokens matter?"), std::string::npos);
  EXPECT_EQ(run_program({"report", "--format", "json", "Hi"}).status, 0);
}

}  // namespace
}  // namespace bert::test
