#include "tools/cli/commands/label_comparison.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "bert/labels.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

const std::vector<std::string> kLines = {"the quick brown fox jumps over the lazy dog", "a dog saw the fox", "fox",
                                         "over the lazy dog"};

using Found = std::map<std::tuple<std::string, size_t, size_t, std::string>, double>;  // with the score

Found entities_of(const std::string& directory, double threshold) {
  const Model model = Model::load(directory, {.threads = 1});
  Found found;
  for (const std::string& line : kLines) {
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
  for (const std::string& line : kLines) input += line + "\n";
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
  EXPECT_EQ(labels["classified_texts"], kLines.size());
  EXPECT_LE(labels["other_best_labels"], kLines.size());
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
