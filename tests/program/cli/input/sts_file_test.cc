#include "program/cli/input/sts_file.h"

#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

class StsFileTest : public ::testing::Test {
 protected:
  void SetUp() override { write_tiny_model(model_); }

  ProgramResult run(const std::string& pairs) const {
    const std::string model = model_.path().string();
    return run_program({"verify", "--model", model, "--against", model, "--format", "json", "--sts",
                        write_file(model_, "pairs.tsv", pairs)});
  }

  TemporaryDirectory model_;
};

// Equal sentences have the highest cosine, so their rank agrees with the score's.
TEST_F(StsFileTest, HasScoresAndSentences) {
  const ProgramResult result = run("a\tb\tc\td\t5\tthe fox\tthe fox\n-\t-\t-\t-\t1.25\tthe fox\ta dog\textra\r\n");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["sts"]["pairs"], 2);
  EXPECT_EQ(result.json()["sts"]["spearman"], 1);
  EXPECT_EQ(run("a\tb\tc\td\t0\tfox\tfox\na\tb\tc\td\t1\tfox\ta dog\n").json()["sts"]["reference_spearman"], -1);
}

TEST_F(StsFileTest, IsRefusedWithTheLine) {
  const auto error = [&](const std::string& pairs) { return lines_of(run(pairs).err).back(); };
  const std::string good = "a\tb\tc\td\t5\tthe fox\tthe fox\n", start = "bert-infer: error: '" + model_.path().string();
  EXPECT_EQ(error(good + "a\tb\tc\td\t5\tthe fox\n"),
            start + "/pairs.tsv', line 2: 6 tab-separated columns, expected 7 or more");
  EXPECT_EQ(error("a\tb\tc\td\tnan\tx\ty\n"),
            start + "/pairs.tsv', line 1: found 'nan' in the fifth column, expected a number");
  EXPECT_EQ(error("a\tb\tc\td\t5 \tx\ty\n"),
            start + "/pairs.tsv', line 1: found '5 ' in the fifth column, expected a number");
  EXPECT_EQ(error(""), start + "/pairs.tsv': empty, expected pairs of sentences");
}

}  // namespace
}  // namespace bert::test
