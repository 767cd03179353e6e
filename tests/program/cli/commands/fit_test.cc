// Tests the command fit, and the classifier that it writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/cli/program.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

class Fit : public ::testing::Test {
 protected:
  void SetUp() override { write_tiny_model(model_); }

  ProgramResult run(const std::string& lines, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {
        "fit", "--model", model_.path().string(), "--input", "-", "--output", result(), "--threads", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, {.standard_input = lines});
  }
  std::string result() const { return (results_.path() / "classifier").string(); }

  // Returns 10 texts about a dog and 9 about a fox.
  static std::string lines() {
    std::string text;
    for (const char* begin : {"the quick", "the lazy", "a brown", "do the", "i like the"}) {
      for (const char* end : {"", " jumps", " over the lazy", " jumps over"}) {
        text += "{\"text\": \"" + std::string(begin) + " dog" + end + "\", \"label\": 10}\n";
        text += "{\"text\": \"" + std::string(begin) + " fox" + end + "\", \"label\": 9}\n";
      }
    }
    return text;
  }

  TemporaryDirectory model_, results_;
};

// The accuracy is low for random vectors, and 1 for vectors from which the label can be read.
TEST_F(Fit, TellsTheAccuracyOfTheVectorsOfAFile) {
  const std::string input = write_file(results_, "lines.jsonl", lines());
  const std::string vectors = (results_.path() / "vectors.npy").string();
  ASSERT_EQ(run_program({"embed", "--input", input, "--output", vectors}).status, 0);
  const ProgramResult text = run_program({"fit", "--vectors", vectors, "--input", input});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with("40 texts: 9 20, 10 20\n\naccuracy on 5 held-out folds\n")) << text.out;
  EXPECT_NE(text.out.find("vectors "), std::string::npos) << text.out;
  const nlohmann::json json =
      run_program({"fit", "--vectors", vectors, "--input", input, "--folds", "4", "--format", "json"}).json();
  EXPECT_EQ(json["texts"], 40);
  EXPECT_EQ(json["folds"], 4);
  EXPECT_EQ(json["labels"][0]["label"], "9");
  EXPECT_GT(json["accuracy"], 0.9);
  EXPECT_FALSE(json.contains("directory"));
  expect_usage_error({"fit", "--vectors", vectors, "--input", input, "--output", result()}, "--output is given too");
  expect_usage_error({"fit", "--vectors", vectors}, "fit --vectors needs --input FILE");
}

TEST_F(Fit, ReadsColumns) {
  const auto fit = [&](const std::string& columns) {
    return run_program({"fit", "--model", model_.path().string(), "--input", write_file(results_, "a.csv", columns),
                        "--output", result(), "--format", "json"});
  };
  std::string columns = "label,text\n";
  for (const char* end : {"", " jumps", " over the lazy", " jumps over", " the"}) {
    for (const char* animal : {"dog", "fox"}) columns += std::string(animal) + ",the " + animal + end + "\n";
  }
  const ProgramResult fitted = fit(columns);
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(fitted.json()["labels"],
            nlohmann::json::parse(R"([{"label": "dog", "texts": 5}, {"label": "fox", "texts": 5}])"));
  // The error is reported once for the file, and not for each line.
  const std::string problem = fit("text,labels\na,b\nc,d\n").err;
  EXPECT_TRUE(problem.ends_with(
      "a.csv' has the columns 'text', 'labels', expected 'label', the label, among the names in its first line; "
      "--label-field names another\n"))
      << problem;
}

TEST_F(Fit, ReadsTheLabelFromAnotherFieldByOption) {
  std::string other = lines();
  for (size_t at = 0; (at = other.find("\"label\"", at)) != std::string::npos;) other.replace(at, 7, "\"stars\"");
  const std::vector<std::string> named = {"--label-field", "stars", "--format", "json"};
  const ProgramResult fitted = run(other, named);
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(fitted.json()["texts"], 40);
  std::filesystem::remove_all(result());
  EXPECT_NE(run(lines(), named).err.find("line 1: no \"stars\", expected the label of the text"), std::string::npos);
  EXPECT_EQ(run(lines(), {"--label-field", "text", "--field", "text"}).status, 2);
}

// A row without a label is not a text of a label ''.
TEST_F(Fit, LeavesOutEmptyLabels) {
  std::string columns = "text,label\nno label,\n";
  for (const char* end : {"", " jumps", " over the lazy", " jumps over", " the"}) {
    for (const char* animal : {"dog", "fox"}) columns += std::string("the ") + animal + end + "," + animal + "\n";
  }
  const ProgramResult fitted =
      run_program({"fit", "--model", model_.path().string(), "--input", write_file(results_, "a.csv", columns),
                   "--output", result(), "--format", "json"});
  EXPECT_EQ(fitted.status, 1);
  EXPECT_NE(fitted.err.find("line 2: 'label' is empty, expected the label of the text"), std::string::npos)
      << fitted.err;
  EXPECT_EQ(fitted.json()["labels"],
            nlohmann::json::parse(R"([{"label": "dog", "texts": 5}, {"label": "fox", "texts": 5}])"));
  std::filesystem::remove_all(result());
  const ProgramResult objects = run(lines() + "{\"text\": \"no label\", \"label\": \"\"}\n");
  EXPECT_NE(objects.err.find("line 41: \"label\" is empty, expected the label of the text"), std::string::npos)
      << objects.err;
}

TEST_F(Fit, WritesAClassifierThatClassifyLoads) {
  const ProgramResult fitted = run(lines(), {"--features", "pooled", "--C", "100", "--format", "json"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const nlohmann::json report = fitted.json();
  EXPECT_EQ(report["texts"], 40);
  EXPECT_EQ(report["labels"], nlohmann::json::parse(R"([{"label": "9", "texts": 20}, {"label": "10", "texts": 20}])"));
  EXPECT_EQ(report["accuracy_by_layer"].size(), 3u);
  EXPECT_EQ(report["folds"], 5);
  EXPECT_EQ(report["right"], 40);
  EXPECT_GT(report["accuracy"], 0.8);
  const auto label = [&](const char* text) {
    const ProgramResult classified =
        run_program({"classify", "--model", result(), "--top-k", "1", "--format", "json", text});
    EXPECT_EQ(classified.status, 0) << classified.err;
    return classified.json()["labels"][0]["label"];
  };
  EXPECT_EQ(label("the quick dog jumps"), "10");
  EXPECT_EQ(label("the quick fox jumps"), "9");

  // One thread and another instruction set give the same bits.
  const std::string weights = read_file(result() + "/model.safetensors");
  std::filesystem::remove_all(result());
  ASSERT_EQ(run_program({"fit", "--model", model_.path().string(), "--input", "-", "--output", result(), "--threads",
                         "1", "--features", "pooled", "--C", "100"},
                        {.standard_input = lines(), .environment = {{"BERT_INFER_ISA", "portable"}}})
                .status,
            0);
  EXPECT_EQ(read_file(result() + "/model.safetensors"), weights);
}

TEST_F(Fit, ChoosesTheFeaturesThatDoBestOnHeldOutFolds) {
  const ProgramResult fitted = run(lines(), {"--C", "100", "--format", "json"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const nlohmann::json report = fitted.json();
  double best = report["accuracy_of_pooled_output"];
  for (size_t layer = 1; layer < report["accuracy_by_layer"].size(); ++layer) {
    best = std::max(best, report["accuracy_by_layer"][layer].get<double>());
  }
  EXPECT_EQ(report["accuracy"], best);
  EXPECT_LE(report["nested_accuracy"], 1);
  EXPECT_GT(report["nested_accuracy"], 0.5);

  // The text report names the number of features among which the run chose, and the accuracy on all texts.
  std::filesystem::remove_all(result());
  const ProgramResult told = run(lines(), {"--C", "100"});
  EXPECT_NE(told.out.find(" of all texts, the best of 3 features. "), std::string::npos) << told.out;
  EXPECT_EQ(told.out.find("it finds"), std::string::npos) << told.out;

  // Named features are not chosen.
  EXPECT_EQ(run(lines(), {"--features", "pooled", "--layer", "1"}).status, 2);
  EXPECT_EQ(run(lines(), {"--folds", "2"}).status, 2);
}

TEST_F(Fit, ChoosesAmongTheLayersOfAModelWithoutAPooler) {
  write_tiny_model(model_, {.pooler = false});
  const ProgramResult fitted = run(lines());
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_NE(fitted.out.find(", the best of 2 features. "), std::string::npos) << fitted.out;
}

TEST_F(Fit, ReadsThePooledVectorsOfALayer) {
  const ProgramResult fitted = run(lines(), {"--layer", "1", "--C", "100", "--format", "json"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const nlohmann::json report = fitted.json();
  EXPECT_EQ(report["pooling"], "mean");
  EXPECT_EQ(report["layer"], 1);
  ASSERT_EQ(report["accuracy_by_layer"].size(), 2u);
  EXPECT_EQ(report["accuracy"], report["accuracy_by_layer"][1]);
  const std::string weights = read_file(result() + "/model.safetensors");
  EXPECT_EQ(weights.find("encoder.layer.1."), std::string::npos);

  // classify finds as many labels as the report says.
  const ProgramResult classified = run_program(
      {"classify", "--model", result(), "--input", "-", "--jsonl", "--format", "jsonl"}, {.standard_input = lines()});
  ASSERT_EQ(classified.status, 0) << classified.err;
  size_t right = 0, line = 0;
  std::istringstream results(classified.out);
  for (std::string one; std::getline(results, one); ++line) {
    right += nlohmann::json::parse(one)["labels"][0]["label"] == (line % 2 == 0 ? "10" : "9") ? 1 : 0;
  }
  EXPECT_EQ(line, 40u);
  EXPECT_EQ(report["right"], right);
}

TEST_F(Fit, ReportsThePooledOutputBesideAPooling) {
  const ProgramResult fitted = run(lines(), {"--pooling", "cls"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_NE(fitted.out.find("\npooled output "), std::string::npos) << fitted.out;
}

TEST_F(Fit, ReadsThePooledVectorsOfAModelWithoutAPooler) {
  write_tiny_model(model_, {.pooler = false});
  const ProgramResult fitted = run(lines(), {"--pooling", "cls"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_NE(fitted.out.find("\ncls of layer 2  "), std::string::npos) << fitted.out;
  EXPECT_EQ(fitted.out.find("pooled output"), std::string::npos) << fitted.out;
  EXPECT_NE(fitted.out.find("with a classifier on the cls of layer 2 of all texts"), std::string::npos) << fitted.out;
}

TEST_F(Fit, WritesTheBuiltInModelToo) {
  const std::string input = write_file(results_, "lines.jsonl", lines());
  const ProgramResult fitted = run_program({"fit", result(), "--input", input, "--features", "pooled"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const nlohmann::json best =
      run_program({"classify", "--model", result(), "--format", "json", "the quick dog"}).json()["labels"][0];
  EXPECT_EQ(best["label"], "10");
}

TEST_F(Fit, TakesItsModelAndDirectoryByPlace) {
  const std::string input = write_file(results_, "lines.jsonl", lines());
  ASSERT_EQ(run_program({"fit", model_.path().string(), result(), "--input", input}).status, 0);
  EXPECT_EQ(
      run_program({"inspect", "--model", result(), "--format", "json"}).json()["architecture"]["layers"],
      run_program({"inspect", "--model", model_.path().string(), "--format", "json"}).json()["architecture"]["layers"]);
}

TEST_F(Fit, ReportsTheAccuracyByLayer) {
  const ProgramResult fitted = run(lines(), {"--features", "pooled", "--folds", "2"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_TRUE(fitted.out.starts_with("40 texts: 9 20, 10 20\n\naccuracy on 2 held-out folds\n")) << fitted.out;
  EXPECT_NE(fitted.out.find("none: the most frequent label      0.5000\n"), std::string::npos) << fitted.out;
  EXPECT_NE(fitted.out.find("\nmean of layer 2  "), std::string::npos) << fitted.out;
}

TEST_F(Fit, RefusesWhatCannotBeFitted) {
  const auto refused = [&](const std::string& given, const std::string& words,
                           const std::vector<std::string>& more = {}) {
    const ProgramResult fitted = run(given, more);
    EXPECT_EQ(fitted.status, 1);
    EXPECT_NE(fitted.err.find(words), std::string::npos) << fitted.err;
    EXPECT_FALSE(std::filesystem::exists(result()));
  };
  const std::string one = "{\"text\": \"a dog\", \"label\": \"x\"}\n";
  refused(one + one, "the texts have one label, 'x'; expected two or more to tell apart");
  refused(one + one + "{\"text\": \"a fox\", \"label\": \"y\"}\n",
          "--folds 5 needs 5 texts of each label: label 'y' has 1");
  refused("{\"text\": \"a dog\"}\n", "line 1: no \"label\", expected the label of the text");
  refused("{\"text\": \"a dog\", \"label\": true}\n", "\"label\" is true, expected a string or a number");
  refused("{\"text\": \"a dog\", \"label\": [1]}\n", "\"label\" is an array or an object");
  expect_usage_error({"fit", "--output", result()}, "fit needs --input FILE, the texts with their labels");
  expect_usage_error({"fit", "--input", "a.txt", result()}, "has lines of text by its name, without labels");
  expect_usage_error({"fit", "--input", "-", "a", "b", "c"}, "fit takes no TEXT beside its model and its directory");
  EXPECT_NE(run_program({"fit", "--C", "0"}).err.find("'0': expected a number above 0"), std::string::npos);
  EXPECT_NE(run(one, {"--layer", "3"}).err.find("layers 3, expected 1 to 2, the layers of"), std::string::npos);
  EXPECT_NE(run(one, {"--layer", "0"}).err.find("--layer '0': expected"), std::string::npos);
  EXPECT_NE(run(one, {"--pooling", "pooler"}).err.find("--pooling 'pooler': expected one of cls, mean, max, "),
            std::string::npos);
  write_tiny_model(model_, {.pooler = false});
  refused(lines(),
          "has no pooler, whose output the classifier of the family 'bert' sees; expected a checkpoint with "
          "pooler.dense, or a pooling of the tokens' vectors, such as mean",
          {"--features", "pooled"});
  // Other commands treat `label` like any member that they do not use.
  EXPECT_NE(run_program({"embed", "--input", "-", "--jsonl", "--format", "jsonl"}, {.standard_input = one})
                .err.find("members of the input's objects that are not used: 'label'"),
            std::string::npos);
}

}  // namespace
}  // namespace bert::test
