// verify --against and quantize --report: two models compared on texts.
#include "tools/cli/commands/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "bert/labels.h"
#include "bert/model.h"
#include "tests/support/sanitizers.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kLayerWeight = "encoder.layer.1.output.dense.weight";

class ComparisonTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_tiny_model(reference_);
    write_tiny_model(model_, {}, [](TinyTensors& tensors) { tensors.at(kLayerWeight).values[3] += 0.5f; });
  }

  static std::string path(const TemporaryDirectory& directory) { return directory.path().string(); }

  ProgramResult compare(std::vector<std::string> options, const std::string& input = "") const {
    options.insert(options.begin(), {"verify", "--model", path(model_), "--against", path(reference_)});
    return run_program(options, {.standard_input = input});
  }

  TemporaryDirectory reference_, model_;
};

TEST_F(ComparisonTest, OfAModelWithItselfFindsNothing) {
  write_tiny_model(model_);
  const Json result = compare({"--format", "json"}).json();
  EXPECT_EQ(result["texts"], 100);
  EXPECT_EQ(result["own_texts"], true);
  EXPECT_EQ(result["neighbours"], 10);
  EXPECT_EQ(result["neighbours_kept"], 1);
  EXPECT_NEAR(result["least_cosine"].get<double>(), 1, 1e-12);
  for (const Json& layer : result["layers"]) {
    EXPECT_EQ(layer, Json({{"loss", 0.0}, {"distance", 0.0}, {"largest_difference", 0.0}}));
  }
}

// The expected numbers are calculated here from the hidden states of both models.
TEST_F(ComparisonTest, MeasuresEachLayerAndTheVectors) {
  const std::vector<std::string> texts = {"the fox", "a dog jumps over the fox", "the lazy dog"};
  const Model model = Model::load(path(model_)), reference = Model::load(path(reference_));
  double distance = 0, largest = 0, least = 1, cosines = 0;
  size_t tokens = 0;
  for (const std::string& text : texts) {
    const std::vector<float> found = model.encode(text).last_hidden_state;
    const std::vector<float> expected = reference.encode(text).last_hidden_state;
    const size_t hidden = reference.config().hidden_size;
    for (size_t token = 0; token * hidden < expected.size(); ++token, ++tokens) {
      double squares = 0, norm = 0;
      for (size_t i = token * hidden; i < (token + 1) * hidden; ++i) {
        const double difference = std::abs(double{found[i]} - double{expected[i]});
        squares += difference * difference;
        norm += double{expected[i]} * double{expected[i]};
        largest = std::max(largest, difference);
      }
      distance += std::sqrt(squares / norm);
    }
    const double cosine = cosine_similarity(model.embed(text), reference.embed(text));
    cosines += cosine;
    least = std::min(least, cosine);
  }

  const ProgramResult run =
      compare({"--input", "-", "--format", "json"}, texts[0] + "\n" + texts[1] + "\n" + texts[2] + "\n");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json result = run.json();
  EXPECT_EQ(result["own_texts"], false);
  EXPECT_EQ(result["texts"], 3);
  EXPECT_EQ(result["tokens"], tokens);
  EXPECT_NEAR(result["mean_cosine"].get<double>(), cosines / 3, 1e-12);
  EXPECT_NEAR(result["least_cosine"].get<double>(), least, 1e-12);
  ASSERT_EQ(result["layers"].size(), 3u);
  for (size_t layer : {size_t{0}, size_t{1}}) EXPECT_EQ(result["layers"][layer]["distance"], 0) << layer;
  const double mean = distance / static_cast<double>(tokens);
  EXPECT_NEAR(result["layers"][2]["loss"].get<double>(), mean, 1e-12);
  EXPECT_NEAR(result["layers"][2]["distance"].get<double>(), mean, 1e-12);
  EXPECT_NEAR(result["layers"][2]["largest_difference"].get<double>(), largest, 1e-12);
}

TEST_F(ComparisonTest, ComparesNoNeighboursOfTwoTexts) {
  const Json result = compare({"--input", "-", "--format", "json"}, "the fox\na dog\n").json();
  EXPECT_FALSE(result.contains("neighbours"));
}

TEST_F(ComparisonTest, LeavesOutAFailedText) {
  const ProgramResult result =
      compare({"--input", "-", "--jsonl", "--format", "json"}, "{\"text\": \"the fox\"}\n{\"ids\": [2, 99]}\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.json()["texts"], 1);
  EXPECT_NE(result.err.find("line 2: token 1"), std::string::npos) << result.err;
  EXPECT_NE(compare({"--input", "-"}).err.find("no text to compare the models on"), std::string::npos);
}

TEST_F(ComparisonTest, RefusesModelsOfOtherShapesOrTokens) {
  write_tiny_model(model_, {.layers = 3});
  EXPECT_EQ(lines_of(compare({}).err).back(),
            "bert-infer: error: the models differ in their number of layers, 3 and 2; expected the same model in two "
            "forms");
  write_tiny_model(model_);
  std::string words = tiny_vocabulary(40);
  words.replace(words.find("\nthe\n"), 5, "\neht\n");
  write_file(model_, "vocab.txt", words);
  EXPECT_EQ(lines_of(compare({"--input", "-"}, "dog\nthe dog\n").err).back(),
            "bert-infer: error: line 2: the models have other tokens for it, expected the same tokenizer");
}

// The reference keeps its own positions.
TEST_F(ComparisonTest, ComparesAnExperimentWithTheModelAsItIs) {
  const nlohmann::json result = run_program({"verify", "--model", path(reference_), "--positions-at", "every-layer",
                                             "--against", path(reference_), "--format", "json"})
                                    .json();
  EXPECT_EQ(result["model"], path(reference_) + " (float32, positions absolute before every layer)");
  EXPECT_EQ(result["reference"], path(reference_) + " (float32, positions absolute)");
  EXPECT_EQ(result["layers"][0]["distance"], 0);  // the embeddings and the first layer
  EXPECT_EQ(result["layers"][1]["distance"], 0);
  EXPECT_GT(result["layers"][2]["loss"], 0);
}

TEST_F(ComparisonTest, NeedsASecondModel) {
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--input", "texts.txt"}, {"--jsonl"}, {"--sts", "pairs.tsv"}, {"--html", "page.html"}}) {
    std::vector<std::string> arguments = {"verify", "--model", path(model_)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find(options[0] + " is for a comparison: it needs --against DIR"), std::string::npos)
        << result.err;
  }
}

TEST_F(ComparisonTest, IsReportedByQuantize) {
  const TemporaryDirectory results;
  const std::string small = (results.path() / "small").string(), page = (results.path() / "page.html").string();
  const ProgramResult written =
      run_program({"quantize", "--model", path(reference_), small, "--report", "--format", "json", "--html", page});
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(written.json()["model"], small + " (int8)");
  EXPECT_EQ(written.json()["reference"], path(reference_) + " (float32)");
  EXPECT_LT(written.json()["least_cosine"], 1);
  EXPECT_TRUE(std::filesystem::exists(page));
  EXPECT_EQ(run_program({"verify", "--model", path(reference_), "--precision", "int8", "--against", path(reference_),
                         "--format", "json"})
                .json()["layers"],
            written.json()["layers"]);
  const std::string texts = (results.path() / "texts.txt").string();
  std::ofstream(texts) << "a b\nb a\n";
  const ProgramResult given = run_program(
      {"quantize", "--model", path(reference_), small + "-2", "--report", "--input", texts, "--format", "json"});
  ASSERT_EQ(given.status, 0) << given.err;
  EXPECT_EQ(given.json()["texts"], 2);
}

TEST_F(ComparisonTest, NamesTheLayersWithCoarseRows) {
  write_tiny_coarse_model(reference_);
  const std::vector<std::string> arguments = {"verify", "--model",   path(reference_), "--precision",
                                              "int8",   "--against", path(reference_), "--input",
                                              "-",      "--format"};
  const auto report = [&](const char* format) {
    std::vector<std::string> all = arguments;
    all.emplace_back(format);
    return run_program(all, {.standard_input = "a dog\nthe\n"}).out;
  };
  EXPECT_EQ(Json::parse(report("json"))["coarse_rows"], Json({0, 7, 0}));
  EXPECT_NE(
      report("text").find(" 8 bits hardly hold rows of activations of layer 1 (7): one number of such a row is so "
                          "large that the others are below one step.\n"),
      std::string::npos)
      << report("text");
  write_tiny_model(reference_, {.hidden = 96});
  EXPECT_FALSE(Json::parse(report("json")).contains("coarse_rows"));
}

// Spearman's correlation as sentence-transformers 6.2 and scipy 1.17 give it, in float32; and the promise for int8.
TEST(Comparison, OfEightBitsLosesLittleOnStsB) {
  BERT_MINILM_OR_SKIP(minilm);
  if (BERT_SANITIZED) GTEST_SKIP() << "SKIPPED, a sanitizer would make it too slow";
  for (const auto& [part, pairs, expected] :
       {std::tuple{"dev", 1500, 0.8671631197908373}, {"test", 1379, 0.8203246721851083}}) {
    BERT_TEST_DATA_OR_SKIP(sts, std::string("text/stsbenchmark-sts-") + part + ".csv");
    const ProgramResult run = run_program({"verify", "--model", minilm.string(), "--precision", "int8", "--against",
                                           minilm.string(), "--sts", sts.string(), "--format", "json"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_FALSE(run.json().contains("coarse_rows"));
    const Json result = run.json()["sts"];
    EXPECT_EQ(result["pairs"], pairs);
    EXPECT_NEAR(result["reference_spearman"].get<double>(), expected, 1e-6);
    EXPECT_NEAR(result["spearman"].get<double>(), expected, 0.0015);
    std::printf("STS-B %s, 100 times Spearman: %.2f in int8, %.2f in float32\n", part,
                100 * result["spearman"].get<double>(), 100 * expected);
  }
}

const std::vector<std::string> kLabelledLines = {"the quick brown fox jumps over the lazy dog", "a dog saw the fox",
                                                 "fox", "over the lazy dog"};

using Found = std::map<std::tuple<std::string, size_t, size_t, std::string>, double>;  // with the score

Found entities_of(const std::string& directory, double threshold) {
  const Model model = Model::load(directory, {.threads = 1});
  Found found;
  for (const std::string& line : kLabelledLines) {
    for (const Entity& one : find_entities(model, line, {.labels = {"dog", "fox"}, .threshold = threshold})) {
      found[{line, one.start, one.end, one.entity}] = one.score;
    }
  }
  return found;
}

nlohmann::json report(const std::string& source, const std::string& result, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"quantize", source,     result,     "--report", "--format",
                                        "json",     "--labels", "dog, fox", "--input",  "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::string input;
  for (const std::string& line : kLabelledLines) input += line + "\n";
  const ProgramResult done = run_program(arguments, {.standard_input = input});
  EXPECT_EQ(done.status, 0) << done.err;
  return done.json()["labels"];
}

TEST(LabelComparison, CountsEntitiesLostAndFoundByEightBits) {
  for (const bool encodes_labels : {false, true}) {
    const TemporaryDirectory source, folder;
    write_tiny_gliner(source, {.encodes_labels = encodes_labels});
    const std::string result = (folder.path() / "int8").string();
    const nlohmann::json labels = report(source.path().string(), result, {"--threshold", "0.05"});
    const Found before = entities_of(source.path().string(), 0.05), after = entities_of(result, 0.05);
    size_t kept = 0;
    double largest = 0;
    for (const auto& [one, score] : before) {
      const auto same = after.find(one);
      if (same == after.end()) continue;
      ++kept;
      largest = std::max(largest, std::abs(same->second - score));
    }
    ASSERT_GT(before.size(), 2u);
    EXPECT_EQ(labels["labels"], 2);
    EXPECT_EQ(labels["reference_entities"], before.size());
    EXPECT_EQ(labels["lost_entities"], before.size() - kept);
    EXPECT_EQ(labels["found_entities"], after.size() - kept);
    EXPECT_GT(kept, 0u);
    EXPECT_EQ(labels["largest_score_change"].get<double>(), largest);
    EXPECT_LE(labels["mean_score_change"], labels["largest_score_change"]);
    EXPECT_EQ(Model::load(result).describe().precision, "int8");
    EXPECT_EQ(run_program({"verify", "--model", result}).status, 0);
  }
}

TEST(LabelComparison, CountsTextsWithAnotherBestLabel) {
  const TemporaryDirectory source, folder;
  write_tiny_gliclass(source);
  const nlohmann::json labels = report(source.path().string(), (folder.path() / "int8").string(), {});
  EXPECT_EQ(labels["classified_texts"], kLabelledLines.size());
  EXPECT_LE(labels["other_best_labels"], kLabelledLines.size());
  EXPECT_GT(labels["largest_score_change"], 0);
  EXPECT_FALSE(labels.contains("lost_entities"));
}

TEST(LabelComparison, IsOfModelsThatReadLabels) {
  const TemporaryDirectory source, folder;
  write_tiny_gliner(source);
  const std::string result = (folder.path() / "int8").string();
  const ProgramResult without = run_program({"quantize", source.path().string(), result, "--report"});
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("the model reads labels: a comparison needs those that are looked for, --labels"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(result));
  EXPECT_NE(run_program({"quantize", source.path().string(), result, "--labels", "a"})
                .err.find("--labels is for a comparison: it needs --report"),
            std::string::npos);
  const ProgramResult same = run_program(
      {"verify", "--model", source.path().string(), "--against", source.path().string(), "--labels", "dog"});
  EXPECT_NE(same.out.find("0 of them are lost, and 0 others are found. Scores change by 0 in the mean, at most by 0."),
            std::string::npos)
      << same.out << same.err;
}

}  // namespace
}  // namespace bert::test
