// Tests how classify --expect and zero-shot --expect count right answers.
#include "program/cli/output/evaluation.h"

#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

using cli::Evaluation;

// Returns an evaluation of three labels: "b" was found in 2 of 3 cases, "10" in its only case, and "9" never.
Evaluation example() {
  Evaluation evaluation({"b", "10", "9"});
  for (const auto& [expected, found] : {std::pair{"b", "b"}, {"b", "b"}, {"b", "10"}, {"10", "10"}, {"9", "b"}}) {
    evaluation.add(expected, found, {});
  }
  return evaluation;
}

TEST(Evaluation, HasTheScoresOfEachLabel) {
  const nlohmann::json json = nlohmann::json::parse(example().json());
  EXPECT_EQ(json["texts"], 5);
  EXPECT_EQ(json["right"], 3);
  EXPECT_EQ(json["accuracy"], 0.6);
  EXPECT_EQ(json["labels"][0],
            nlohmann::json::parse(R"({"label": "9", "texts": 1, "found": 0, "precision": 0, "recall": 0, "f1": 0})"));
  EXPECT_EQ(json["labels"][1]["label"], "10");
  EXPECT_EQ(json["labels"][1]["precision"], 0.5);
  EXPECT_EQ(json["labels"][1]["recall"], 1);
  EXPECT_NEAR(json["labels"][1]["f1"], 2.0 / 3, 1e-15);
  EXPECT_NEAR(json["labels"][2]["f1"], 2.0 / 3, 1e-15);
  EXPECT_NEAR(json["macro_f1"], 4.0 / 9, 1e-15);
  EXPECT_EQ(json["confusions"], nlohmann::json::parse("[[0, 0, 1], [0, 1, 0], [0, 1, 2]]"));
}

TEST(Evaluation, ShowsTheConfusionsThatOccur) {
  const std::string text = example().text({});
  EXPECT_TRUE(text.starts_with("5 texts, 3 right: accuracy 0.6000\n\nlabel")) << text;
  EXPECT_NE(text.find("\nconfusions\nexpected  found  texts\n9         b          1\nb         10         1\n"),
            std::string::npos)
      << text;
}

TEST(Evaluation, IsWrittenInPlaceOfResults) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own-sst2");
  const std::string model = folder.string();
  const std::string lines = "a charming and affecting journey\nbleak and desperate\na dull mess\n";
  std::string columns = "id;text;right\n";
  size_t right = 0;
  const std::vector<nlohmann::json> found =
      run_program({"classify", "--model", model, "--input", "-", "--format", "jsonl"}, {.standard_input = lines})
          .json_lines();
  ASSERT_EQ(found.size(), 3u);
  const nlohmann::json label = found[0]["labels"][0]["label"];
  for (size_t i = 0; i < 3; ++i) {
    columns += "1;" + lines_of(lines)[i] + ";" + label.get<std::string>() + "\n";
    right += found[i]["labels"][0]["label"] == label ? 1 : 0;
  }
  const TemporaryDirectory inputs;
  const std::string input = write_file(inputs, "a.csv", columns);
  std::vector<std::string> arguments = {"classify", "--model", model, "--input", input, "--expect", "right"};
  const nlohmann::json json =
      run_program({"classify", "--model", model, "--input", input, "--expect", "right", "--format", "json"}).json();
  EXPECT_EQ(json["texts"], 3);
  EXPECT_EQ(json["right"], right);
  EXPECT_EQ(json["labels"].size(), 2u);
  const ProgramResult text = run_program(arguments);
  EXPECT_TRUE(text.out.starts_with("3 texts, ")) << text.out;

  const std::string other = write_file(inputs, "b.csv", "text,right\na,nice\n");
  const ProgramResult unknown = run_program({"classify", "--model", model, "--input", other, "--expect", "right"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.err.find("line 2 has the label 'nice', expected one of the classifier's: "), std::string::npos)
      << unknown.err;
  EXPECT_NE(run_program({"classify", "--model", model, "--input", input, "--expect", "wrong"})
                .err.find("expected 'wrong', the label, among the names in its first line; --expect names another"),
            std::string::npos);
  expect_usage_error({"classify", "--expect", "x", "a"}, "--expect 'x' names a part of records");
  arguments.insert(arguments.end(), {"--top-k", "1"});
  expect_usage_error(arguments, "--expect has no results for --top-k");
}

}  // namespace
}  // namespace bert::test
