// Tests one line of --jsonl: good lines with their id, and every kind of bad line.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

ProgramResult embed_jsonl(const std::string& lines) {
  return run_program({"embed", "--input", "-", "--jsonl", "--format", "jsonl"}, {.standard_input = lines});
}

// Returns the error object of a line.
nlohmann::json error_of(const std::string& line) {
  const ProgramResult result = embed_jsonl(line + "\n");
  EXPECT_EQ(result.status, 1) << line;
  const std::vector<nlohmann::json> objects = result.json_lines();
  EXPECT_EQ(objects.size(), 1u) << line;
  if (objects.size() != 1 || !objects[0].contains("error")) {
    ADD_FAILURE() << line << " gives " << result.out.substr(0, 200);
    return {};
  }
  EXPECT_EQ(objects[0]["line"], 1) << line;
  EXPECT_FALSE(objects[0].contains("embedding")) << line;
  return objects[0];
}

TEST(JsonRecord, EchoesTheIdAsItWasWritten) {
  const ProgramResult result = embed_jsonl(
      "{\"id\": \"x\\u00e9\\n\", \"text\": \"a\"}\n{\"id\": 12345678901234567890123, \"text\": \"a\"}\n"
      "{\"text\": \"a\", \"id\": 1.50}\n{\"text\": \"a\"}\n{\"text\": \"a\", \"id\": -0}\n");
  EXPECT_EQ(result.status, 0) << result.err;
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_TRUE(lines[4].starts_with("{\"id\":-0,")) << lines[4].substr(0, 60);
  EXPECT_TRUE(lines[0].starts_with("{\"id\":\"xé\\n\",")) << lines[0].substr(0, 60);
  EXPECT_TRUE(lines[1].starts_with("{\"id\":12345678901234567890123,")) << lines[1].substr(0, 60);
  EXPECT_TRUE(lines[2].starts_with("{\"id\":1.50,")) << lines[2].substr(0, 60);
  EXPECT_TRUE(lines[3].starts_with("{\"embedding\":")) << lines[3].substr(0, 60);
}

TEST(JsonRecord, TakesIdsInPlaceOfAText) {
  const nlohmann::json tokens = run_program({"tokenize", "--format", "json", "a brown dog"}).json();
  const ProgramResult result = embed_jsonl("{\"ids\": " + tokens["ids"].dump() + "}\n{\"text\": \"a brown dog\"}\n");
  EXPECT_EQ(result.status, 0) << result.err;
  const std::vector<nlohmann::json> objects = result.json_lines();
  EXPECT_EQ(objects[0]["embedding"], objects[1]["embedding"]);
}

TEST(JsonRecord, TakesWhatTokenizeWrites) {
  const std::string tokens = run_program({"tokenize", "--format", "jsonl", "--pair", "a cat", "a brown dog"}).out;
  const ProgramResult result = embed_jsonl(tokens);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.json_lines()[0]["embedding"],
            run_program({"embed", "--format", "json", "--pair", "a cat", "a brown dog"}).json()["embedding"]);
}

TEST(JsonRecord, HasNoPairWhereItIsNull) {
  const std::vector<nlohmann::json> objects =
      embed_jsonl("{\"text\": \"a\"}\n{\"text\": \"a\", \"pair\": null}\n{\"text\": \"a\", \"pair\": \"\"}\n")
          .json_lines();
  EXPECT_EQ(objects[0]["embedding"], objects[1]["embedding"]);
  EXPECT_NE(objects[0]["embedding"], objects[2]["embedding"]) << "an empty pair is one, with its [SEP]";
}

TEST(JsonRecord, SaysOnceWhatItDoesNotUse) {
  const ProgramResult result =
      embed_jsonl("{\"text\": \"a\", \"label\": 1}\n{\"text\": \"b\", \"label\": {\"c\": [2]}}\n");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "bert-infer: note: members of the input's objects that are not used: 'label'\n");
}

TEST(JsonRecord, KeepsTheIdInAnErrorWhereItCouldBeRead) {
  EXPECT_EQ(error_of("{\"id\": 7}")["id"], 7);
  EXPECT_EQ(error_of("{\"id\": \"k\", \"text\": \"cut")["id"], "k");
  EXPECT_FALSE(error_of("{\"text\": 1}").contains("id"));
}

TEST(JsonRecord, RefusesWhatIsNoRecord) {
  for (const char* line : {"", "   ", "[1]", "3", "null", "{", "{\"text\": \"a\"} x", "{\"text\": \"\xff\"}",
                           "{\"text\": \"\\ud80\"}", "{text: 1}"}) {
    error_of(line);
  }
}

TEST(JsonRecord, RefusesWrongMembers) {
  for (const char* line :
       {"{}", "{\"text\": 1}", "{\"text\": null}", "{\"text\": [\"a\"]}", "{\"text\": \"a\", \"pair\": 1}",
        "{\"text\": \"a\", \"text\": \"b\"}", "{\"text\": \"a\", \"ids\": [2]}", "{\"ids\": [2], \"pair\": \"a\"}",
        "{\"text\": \"a\", \"id\": [1]}", "{\"ids\": \"2\"}", "{\"ids\": [2.5]}", "{\"ids\": [\"2\"]}",
        "{\"ids\": [[2]]}", "{\"ids\": [3000000000]}", "{\"ids\": [2, 3], \"type_ids\": [0]}",
        "{\"text\": \"a\", \"type_ids\": [0]}", "{\"ids\": [2, 3], \"attention_mask\": [1, 0]}"}) {
    error_of(line);
  }
}

// A bad line may have megabytes, but its error fills at most a few lines of a terminal.
TEST(JsonRecord, SaysWhatIsWrongInAFewLinesAtMost) {
  EXPECT_EQ(error_of(R"({"id": 1E400, "text": "a"})")["error"],
            "\"id\" is 1E400, expected a finite number or a string");
  const std::string key(5000, 'k'), digits = "1." + std::string(5000, '1');
  std::string letters;
  for (int i = 0; i < 2500; ++i) letters += "é";
  for (const std::string& line : {"{\"text\": \"" + letters, "{\"ids\": [2, " + digits + "]}",
                                  "{\"text\": \"a\", \"id\": 1e9" + std::string(5000, '9') + "}"}) {
    const std::string error = error_of(line)["error"];
    EXPECT_LT(error.size(), 600u) << error;
    EXPECT_EQ(error.find("\uFFFD"), std::string::npos) << error;
  }
  EXPECT_TRUE(error_of("{\"ids\": [2, " + digits + "]}")["error"].get<std::string>().ends_with(
      "it must be an array of integers"));
  const ProgramResult unused = embed_jsonl("{\"text\": \"a\", \"" + key + "\": 1}\n");
  EXPECT_LT(unused.err.size(), 700u);
}

TEST(JsonRecord, DoesNotMindWhatIsNotUsed) {
  const std::string plain = embed_jsonl("{\"text\": \"a\"}\n").json_lines()[0]["embedding"].dump();
  for (const char* more : {"NaN", "[-Infinity, {\"y\": 1e999, \"y\": NaN}]", "1, \"x\": 2", "\"\\ud83d\""}) {
    const ProgramResult result = embed_jsonl(std::string("{\"text\": \"a\", \"x\": ") + more + "}\n");
    EXPECT_EQ(result.status, 0) << more;
    EXPECT_EQ(result.json_lines()[0]["embedding"].dump(), plain) << more;
  }
  EXPECT_EQ(error_of("{\"text\": \"a\", \"text\": \"a\"}")["error"], "duplicate key 'text'");
  EXPECT_EQ(error_of("{\"text\": NaN}")["error"], "\"text\" is not a string");
  EXPECT_EQ(error_of("{\"text\": \"a\", \"id\": NaN}")["error"], "\"id\" is NaN, expected a finite number or a string");
  EXPECT_EQ(error_of("{\"ids\": [2, NaN]}")["error"], "\"ids\" holds NaN; it must be an array of integers");
}

TEST(JsonRecord, ReadsHalvesOfSurrogatePairsAsTheReplacementCharacter) {
  const std::vector<nlohmann::json> objects = embed_jsonl(
                                                  "{\"id\": \"\\ud83d\", \"text\": \"a \\udc00\\ud83d\\ude00\"}\n"
                                                  "{\"text\": \"a \uFFFD\U0001F600\"}\n")
                                                  .json_lines();
  EXPECT_EQ(objects[0]["id"], "\uFFFD");
  EXPECT_EQ(objects[0]["embedding"], objects[1]["embedding"]);
}

TEST(JsonRecord, WantsAsManyTypeIdsAndMaskEntriesAsIds) {
  const auto says = [](const char* line) { return error_of(line)["error"].get<std::string>(); };
  EXPECT_EQ(says("{\"ids\": [2, 38, 3], \"type_ids\": []}"), "\"type_ids\" has 0 entries, \"ids\" has 3");
  EXPECT_EQ(says("{\"ids\": [2, 38, 3], \"attention_mask\": [1]}"), "\"attention_mask\" has 1 entries, \"ids\" has 3");
  EXPECT_EQ(says("{\"ids\": [2, 3], \"attention_mask\": \"x\"}"), "\"attention_mask\" is not an array of integers");
  EXPECT_EQ(says("{\"ids\": [2, 3], \"attention_mask\": {}}"), "\"attention_mask\" is not an array of integers");
  EXPECT_EQ(says("{\"ids\": [2, 3], \"attention_mask\": [1, 2]}"),
            "\"attention_mask\" has a 2, expected 1 only: leave padding out of \"ids\"");
  EXPECT_EQ(says("{\"text\": \"a\", \"attention_mask\": [1]}"),
            "\"attention_mask\" goes with \"ids\", and there are none");
  EXPECT_EQ(says("{\"text\": \"a\", \"type_ids\": []}"), "\"type_ids\" goes with \"ids\", and there are none");
  const ProgramResult taken = embed_jsonl(
      "{\"ids\": [2, 38, 3], \"type_ids\": [0, 0, 0], \"attention_mask\": [1, 1, 1]}\n"
      "{\"ids\": [2, 38, 3], \"type_ids\": null, \"attention_mask\": null}\n{\"text\": \"a\"}\n");
  EXPECT_EQ(taken.status, 0) << taken.err;
  EXPECT_EQ(taken.json_lines().at(0), taken.json_lines().at(1));
}

TEST(JsonRecord, RefusesIdsThatTheModelCannotTake) {
  EXPECT_NE(error_of("{\"ids\": [2, 999999, 3]}")["error"].get<std::string>().find("999999"), std::string::npos);
  error_of("{\"ids\": [-1]}");
  error_of("{\"ids\": []}");
  error_of("{\"ids\": [2, 3], \"type_ids\": [0, 9]}");
  std::string many = "2";
  for (int i = 0; i < 600; ++i) many += ",2";
  error_of("{\"ids\": [" + many + "]}");
}

TEST(JsonRecord, FailsAloneAmongOthers) {
  std::string lines;
  for (int i = 0; i < 50; ++i) {
    lines += i % 7 == 3 ? "{\"id\": " + std::to_string(i) + ", \"ids\": [999999]}\n"
                        : "{\"id\": " + std::to_string(i) + ", \"text\": \"a dog\"}\n";
  }
  const ProgramResult result = embed_jsonl(lines);
  EXPECT_EQ(result.status, 1);
  const std::vector<nlohmann::json> objects = result.json_lines();
  ASSERT_EQ(objects.size(), 50u);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(objects[static_cast<size_t>(i)]["id"], i);
    EXPECT_EQ(objects[static_cast<size_t>(i)].contains("error"), i % 7 == 3);
  }
}

}  // namespace
}  // namespace bert::test
