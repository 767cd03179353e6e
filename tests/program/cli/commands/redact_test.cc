// Tests the command redact. It writes every text once, in every form of input, also after a run is killed. Its messages
// show no text.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tests/program/cli/program.h"
#include "tests/support/firing_models.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

const std::string kMail = R"(EMAIL=[\w.+-]+@[\w-]+\.[\w.-]+)";

class RedactCommand : public ::testing::Test {
 protected:
  RedactCommand() { write_firing_tagger(model_, {{"fox", "B-NAME"}, {"brown", "B-COLOUR"}}); }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::vector<std::string> command(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"redact",    "--model", model_.path().string(), "--expression", kMail,
                                      "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Expects that the text has none of the parts that the inputs hide in their texts.
  static void expect_no_text(const std::string& text, const std::string& where) {
    for (const char* part : {"fox", "example", "secret"}) {
      EXPECT_EQ(text.find(part), std::string::npos) << where << ": " << text.substr(0, 400);
    }
  }

  TemporaryDirectory folder_, model_;
};

TEST_F(RedactCommand, ReplacesInTextsOfTheCommandLine) {
  const ProgramResult result = run_program(command({"the fox and a.b@example.org", "nothing"}));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "the <NAME> and <EMAIL>\nnothing\n");
  EXPECT_NE(result.err.find("replaced 2 parts in 1 of 2 texts: EMAIL 1, NAME 1"), std::string::npos) << result.err;
  EXPECT_EQ(run_program(command({"--only", "COLOUR", "--mask", "*", "a brown fox"})).out, "a ***** fox\n");
  EXPECT_EQ(run_program({"redact", "--expression", kMail, "to x@example.org"}).out, "to <EMAIL>\n");
}

TEST_F(RedactCommand, HashesWithAKey) {
  folder_.write("key", "0123456789abcdef");
  const ProgramResult result =
      run_program(command({"--replace", "[{hash}]", "--key-file", path("key"), "fox brown fox"}));
  const std::string hash = result.out.substr(0, 34);
  EXPECT_EQ(result.out, hash + " " + result.out.substr(35, 34) + " " + hash + "\n");
  EXPECT_NE(result.out.substr(35, 34), hash);
  EXPECT_NE(run_program(command({"--replace", "{hash}", "a"})).err.find("a key of 0 bytes"), std::string::npos);
}

TEST_F(RedactCommand, KeepsTheFormOfLinesAndRecords) {
  folder_.write("a.jsonl", R"({"id": 7, "text": "a fox", "more": [1, {"b": null}], "pair": "x", "ids": "y"}
{"text": 5, "secret": "fox"}
{"secret fox
{"id": 8, "text": "x@example.org"}
)");
  const ProgramResult lines = run_program(command({"--jsonl", "--input", path("a.jsonl"), "--report", path("r.json")}));
  EXPECT_EQ(lines.status, 1);
  EXPECT_EQ(lines_of(lines.out),
            (std::vector<std::string>{R"({"id":7,"text":"a <NAME>","more":[1,{"b":null}],"pair":"x","ids":"y"})",
                                      R"({"line":2,"error":"not a JSON object with a string 'text'"})",
                                      R"({"line":3,"error":"not a JSON object with a string 'text'"})",
                                      R"({"id":8,"text":"<EMAIL>"})"}));
  expect_no_text(lines.out + lines.err, "lines");
  EXPECT_EQ(
      nlohmann::json::parse(read_file(path("r.json"))),
      (nlohmann::json{{"texts", 4}, {"failed", 2}, {"redacted_texts", 2}, {"replaced", {{"NAME", 1}, {"EMAIL", 1}}}}));

  folder_.write("a.csv", "note,text,n\n\"a, \"\"b\"\"\",the fox,1\nsecret fox,2\n,\"x@example.org,\ndog\",3\n");
  const ProgramResult rows = run_program(command({"--csv", "--input", path("a.csv")}));
  EXPECT_EQ(rows.out, "note,text,n\n\"a, \"\"b\"\"\",the <NAME>,1\n,,\n,\"<EMAIL>,\ndog\",3\n");
  expect_no_text(rows.out + rows.err, "rows");
  const ProgramResult no_names = run_program(command({"--csv", "--field", "words", "--input", path("a.csv")}));
  EXPECT_NE(no_names.err.find("has no column 'words'"), std::string::npos) << no_names.err;
  EXPECT_EQ(no_names.err.find("'note'"), std::string::npos) << no_names.err;

  folder_.write("a.tsv", "text\tn\nthe fox\t1\n\"a\tfox\"\t2\n");
  EXPECT_EQ(run_program(command({"--tsv", "--input", path("a.tsv")})).out,
            "text\tn\nthe <NAME>\t1\n\"a\t<NAME>\"\t2\n");

  folder_.write("b.csv", "text;n\n\"a; fox\";1\na, fox;2\n");  // as a spreadsheet writes it where , is the decimal mark
  EXPECT_EQ(run_program(command({"--input", path("b.csv")})).out, "text;n\n\"a; <NAME>\";1\na, <NAME>;2\n");
}

// The input has 2,000 lines with addresses and names, and some of them cannot be read. The run is killed and then
// continued.
TEST_F(RedactCommand, GoesOnAfterAKill) {
  std::string lines, expected;
  for (int i = 0; i < 2000; ++i) {
    if (i % 97 == 5) {
      lines += "secret fox \xff a@example.org\n";
      expected += "\n";
      continue;
    }
    const std::string number = std::to_string(i);
    lines += "the fox " + number + " saw user" + number + "@example.org and a fox\n";
    expected += "the <NAME> " + number + " saw <EMAIL> and a <NAME>\n";
  }
  folder_.write("in.txt", lines);
  const std::vector<std::string> run =
      command({"--input", path("in.txt"), "--output", path("out.txt"), "--resume", "--report", path("report.json")});
  {
    OpenProgram program(run);
    const auto entries = [&] {
      return fs::exists(path("out.txt.journal")) ? lines_of(read_file(path("out.txt.journal"))).size() : 0;
    };
    for (int i = 0; i < 60000 && entries() < 2 && !fs::exists(path("out.txt")); ++i) program.read_line(milliseconds(1));
    program.end(SIGKILL);
  }
  ASSERT_TRUE(fs::exists(path("out.txt.unfinished"))) << "the run ended before it was killed";
  expect_no_text(read_file(path("out.txt.unfinished")) + read_file(path("out.txt.journal")), "killed");
  const ProgramResult result = run_program(run);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(read_file(path("out.txt")), expected);
  expect_no_text(result.out + result.err + read_file(path("report.json")) + read_file(path("out.txt.summary.json")),
                 "resumed");
  const size_t failed = 21;
  EXPECT_EQ(nlohmann::json::parse(read_file(path("report.json"))),
            (nlohmann::json{{"texts", 2000},
                            {"failed", failed},
                            {"redacted_texts", 2000 - failed},
                            {"replaced", {{"NAME", 2 * (2000 - failed)}, {"EMAIL", 2000 - failed}}}}));
  // A run without interruption writes the same, and so does a run with expressions alone.
  run_program(command({"--input", path("in.txt"), "--output", path("whole.txt")}));
  EXPECT_EQ(read_file(path("whole.txt")), expected);
  run_program({"redact", "--expression", kMail, "--expression", "NAME=fox", "--input", path("in.txt"), "--output",
               path("plain.txt")});
  EXPECT_EQ(read_file(path("plain.txt")), expected);
}

TEST_F(RedactCommand, SaysWhatItNeeds) {
  EXPECT_NE(run_program({"redact", "a"}).err.find("redact needs --model NAME, --expression LABEL=EXPRESSION"),
            std::string::npos);
  EXPECT_NE(run_program({"redact", "--expression", "A=b", "--only", "X", "a"}).err.find("--only needs --model"),
            std::string::npos);
  EXPECT_NE(run_program(command({"--mask", "*", "--replace", "x", "a"})).err.find("--mask is not for --replace"),
            std::string::npos);
  expect_usage_error(command({"--replace", "{x}", "a"}), "expected {label}");
  expect_usage_error({"redact", "--expression", "A", "a"}, "expression 'A': expected LABEL=EXPRESSION");
  expect_usage_error({"redact", "--expression", "A=(", "a"}, "label 'A': regular expression '('");
  expect_usage_error({"redact", "--expression", "A=b", "--mask", "**", "a"}, "mask '**', expected one character");
  const std::string both = run_program(command({"--input", path("x"), "secret"})).err;
  EXPECT_NE(both.find("both --input and a TEXT"), std::string::npos);
  expect_no_text(both, "both");
}

}  // namespace
}  // namespace bert::test
