// Tests embed --save-ranges, --ranges and the 8-bit output types.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

constexpr size_t kSize = 160;  // the built-in model's embedding size
constexpr size_t kHeader = 128;

class VectorRanges : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  // Runs embed with these options and returns the npy file.
  std::string embed(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"embed", "--output", path("out.npy")};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return read_file(path("out.npy"));
  }

  std::string error(const std::vector<std::string>& more, int status) const {
    std::vector<std::string> words = {"embed", "a dog", "--format", "npy"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  }

  TemporaryDirectory folder_;
};

std::vector<float> floats_of(const std::string& npy) {
  std::vector<float> numbers((npy.size() - kHeader) / sizeof(float));
  std::copy_n(npy.data() + kHeader, npy.size() - kHeader, reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

TEST_F(VectorRanges, AreTheLeastAndGreatestNumbersOfTheTexts) {
  const std::vector<float> numbers =
      floats_of(embed({"a dog", "the cat", "a house", "--save-ranges", path("ranges.json")}));
  const nlohmann::json ranges = nlohmann::json::parse(read_file(path("ranges.json")));
  EXPECT_EQ(ranges["texts"], 3);
  for (size_t i = 0; i < kSize; ++i) {
    const auto [least, greatest] = std::minmax({numbers[i], numbers[kSize + i], numbers[2 * kSize + i]});
    EXPECT_EQ(ranges["least"][i].get<float>(), least);
    EXPECT_EQ(ranges["greatest"][i].get<float>(), greatest);
  }
}

// Expects the same bytes as sentence-transformers' quantize_embeddings computes, in float32.
TEST_F(VectorRanges, AreDividedInto256Steps) {
  const std::vector<float> numbers =
      floats_of(embed({"a dog", "the cat", "a house", "--save-ranges", path("ranges.json")}));
  const nlohmann::json ranges = nlohmann::json::parse(read_file(path("ranges.json")));
  const std::string bytes =
      embed({"a dog", "the cat", "a house", "--output-type", "uint8", "--ranges", path("ranges.json")});
  EXPECT_NE(bytes.find("'descr': '|u1', 'fortran_order': False, 'shape': (3, 160)"), std::string::npos);
  ASSERT_EQ(bytes.size(), kHeader + numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float least = ranges["least"][i % kSize].get<float>(), greatest = ranges["greatest"][i % kSize].get<float>();
    EXPECT_EQ(static_cast<uint8_t>(bytes[kHeader + i]), std::floor((numbers[i] - least) / ((greatest - least) / 255)));
  }
  std::string expected = bytes.substr(kHeader);
  for (char& byte : expected) byte = static_cast<char>(byte ^ 0x80);  // subtracts 128
  EXPECT_EQ(
      embed({"a dog", "the cat", "a house", "--output-type", "int8", "--ranges", path("ranges.json")}).substr(kHeader),
      expected);
}

TEST_F(VectorRanges, ReportNumbersOutsideThem) {
  const ProgramResult few = run_program({"embed", "a dog", "--save-ranges", path("ranges.json")});
  EXPECT_NE(few.err.find("the ranges are those of 1 vector only"), std::string::npos) << few.err;
  const ProgramResult result = run_program(
      {"embed", "the cat", "--output-type", "int8", "--ranges", path("ranges.json"), "--output", path("out.npy")});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("160 of 160 numbers were outside their ranges"), std::string::npos) << result.err;
}

TEST_F(VectorRanges, NameWhatIsWrong) {
  const auto ranges = [&](const std::string& json) {
    write_file(folder_, "ranges.json", json);
    return error({"--output-type", "int8", "--ranges", path("ranges.json")}, 1);
  };
  EXPECT_NE(ranges("{").find("is not JSON"), std::string::npos);
  EXPECT_NE(ranges("[]").find("\"least\" is not there"), std::string::npos);
  EXPECT_NE(ranges(R"({"least": 1})").find("\"least\" is no list, expected one of 160 numbers"), std::string::npos);
  EXPECT_NE(ranges(R"({"least": [1]})").find("\"least\" has 1 numbers, expected 160"), std::string::npos);
  nlohmann::json wrong = {{"least", std::vector<float>(kSize, 1)}, {"greatest", std::vector<float>(kSize, 0)}};
  EXPECT_NE(ranges(wrong.dump()).find("dimension 0 has a least number above the greatest"), std::string::npos);
  wrong["least"][7] = "x";
  EXPECT_NE(ranges(wrong.dump()).find("\"least\" has \"x\" at index 7, expected a finite number"), std::string::npos);
  EXPECT_NE(error({"--output-type", "int8"}, 2).find("needs --ranges FILE"), std::string::npos);
  EXPECT_NE(error({"--ranges", "r"}, 2).find("--ranges is for --output-type int8 and uint8"), std::string::npos);
}

TEST_F(VectorRanges, OfAResumedRunMustBeTheSame) {
  const std::string input = write_file(folder_, "input", "a dog\nthe cat\n");
  run_program({"embed", "--input", input, "--save-ranges", path("ranges.json")});
  const std::vector<std::string> words = {
      "embed",    "--input",           input,     "--output", path("out.npy"), "--output-type", "int8",
      "--ranges", path("ranges.json"), "--shard", "1/1"};
  EXPECT_EQ(run_program(words).status, 0);
  const nlohmann::json summary = nlohmann::json::parse(read_file(path("out.npy.summary.json")));
  EXPECT_EQ(summary["output_type"], "int8");
  EXPECT_EQ(summary["run"]["options"]["--ranges"].get<std::string>().size(), 64u) << "the file's SHA-256";
  std::vector<std::string> more = words;
  more.insert(more.end(), {"--save-ranges", path("more.json")});
  EXPECT_NE(run_program(more).err.find("--save-ranges is not for --resume and --shard"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
