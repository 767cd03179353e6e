// Tests the command answer.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(Answer, GivesSpansOfTheContextInAFileOrOnTheLine) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  const TemporaryDirectory directory;
  const std::string context = "The bird sat in the sink, and a man with a guitar played for it.";
  const std::string file = write_file(directory, "context.txt", context);
  const auto ask = [&](const std::string& from) {
    return run_program(
        {"answer", "--model", folder.string(), "--context", from, "--top-k", "3", "--format", "json", "Who played?"});
  };
  const ProgramResult result = ask(context);
  EXPECT_EQ(result.status, 0);
  const nlohmann::json object = result.json();
  ASSERT_EQ(object["answers"].size(), 3u);
  for (const nlohmann::json& answer : object["answers"]) {
    const size_t start = answer["start"], end = answer["end"];
    EXPECT_EQ(answer["answer"], context.substr(start, end - start));
  }
  EXPECT_EQ(ask(file).json(), object);
  // If no file has the name that is given as the context, the name itself is the text, and a note says so.
  EXPECT_EQ(result.err, "");
  EXPECT_NE(ask("contxt.txt").err.find("there is no file contxt.txt"), std::string::npos);
}

TEST(Answer, HasPlacesInBytesAndCodePointsOrInOneUnit) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  const auto best = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"answer", "--model", folder.string(), "--context", "the bird sat", "--format", "json"});
    more.emplace_back("Who?");
    return run_program(more).json();
  };
  EXPECT_EQ(best({})["answers"][0]["code_point_start"], best({})["answers"][0]["start"]);
  EXPECT_EQ(best({"--offsets", "utf16"})["offset_unit"], "utf16");
  EXPECT_FALSE(best({"--offsets", "utf16"})["answers"][0].contains("code_point_start"));
}

TEST(Answer, ReadsLongContextsWhole) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  const nlohmann::json golden = nlohmann::json::parse(read_file(folder / "golden.json"))["cases"][0];
  const std::string context = golden["context"];
  const nlohmann::json object =
      run_program({"answer", "--model", folder.string(), "--context", context, "--max-length", "96", "--stride", "32",
                   "--top-k", "5", "--format", "json", golden["question"].get<std::string>()})
          .json();
  EXPECT_EQ(object["truncated_tokens"], 0);
  const nlohmann::json& expected = golden["results"]["possible"];
  ASSERT_EQ(object["answers"].size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(object["answers"][i]["answer"], expected[i]["answer"]);
}

// The caller cannot choose whether the question or the context is truncated.
TEST(Answer, HasNoTruncation) {
  EXPECT_EQ(run_program({"answer", "--help"}).out.find("--truncation"), std::string::npos);
  const ProgramResult result = run_program({"answer", "--truncation", "only_first", "--context", "a b", "Who?"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("answer has no option --truncation"), std::string::npos) << result.err;
}

TEST(Answer, BlamesAContextByItsName) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  EXPECT_EQ(run_program({"answer", "--model", folder.string(), "--context", "\xFF a", "Who?", "What?"}).err,
            "bert-infer: error: --context: text: not valid UTF-8 at byte 0: found 0xFF\n");
}

TEST(Answer, SaysWhereItsContextIsNotUsed) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  const std::string own = "{\"text\": \"Who?\", \"pair\": \"A man.\"}\n", bare = "{\"text\": \"Who?\"}\n";
  const auto notes = [&](const std::string& lines) {
    return run_program({"answer", "--model", folder.string(), "--context", "a b", "--input", "-", "--jsonl"},
                       {.standard_input = lines})
        .err;
  };
  EXPECT_EQ(notes(own), "bert-infer: note: --context is not used: every question brings its own\n");
  EXPECT_EQ(notes(own + bare), "");
  EXPECT_EQ(notes(""), "bert-infer: note: the input has no texts\n");
}

TEST(Answer, NeedsAContext) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-qa");
  const ProgramResult result = run_program({"answer", "--model", folder.string(), "Who?"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("needs a context"), std::string::npos) << result.err;
  const ProgramResult pair =
      run_program({"answer", "--model", folder.string(), "--input", "-", "--jsonl", "--format", "jsonl"},
                  {.standard_input = "{\"text\": \"Who?\", \"pair\": \"A man.\"}\n"});
  EXPECT_EQ(pair.status, 0) << pair.err;
  EXPECT_EQ(pair.json_lines().at(0)["answers"].size(), 1u);
  const ProgramResult none =
      run_program({"answer", "--model", folder.string(), "--input", "-", "--jsonl", "--format", "jsonl"},
                  {.standard_input = "{\"text\": \"Who?\"}\n"});
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.json_lines().at(0)["error"].get<std::string>().find("needs a context"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
