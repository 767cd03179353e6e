// Tests the command bundle, and a program that has a model in its own file.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/program/cli/program.h"
#include "tests/support/environment.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

namespace fs = std::filesystem;

class BundleCommand : public ::testing::Test {
 protected:
  BundleCommand() { write_tiny_model(source_); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write() const {
    const ProgramResult result = run_program({"bundle", source_.path().string(), path("out")});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("out': a program of "), std::string::npos) << result.err;
  }
  static ProgramResult run(const std::string& program, const std::vector<std::string>& arguments) {
    const WithVariable other("BERT_INFER_PROGRAM", program.c_str());
    return run_program(arguments);
  }
  TemporaryDirectory source_, folder_;
};

TEST_F(BundleCommand, MakesAProgramThatUsesTheModelWithoutBeingTold) {
  write();
  const std::string source = source_.path().string();
  const std::string expected = run_program({"embed", "--model", source, "the fox"}).out;
  EXPECT_EQ(run(path("out"), {"embed", "the fox"}).out, expected);
  EXPECT_EQ(run_program({"embed", "--model", path("out"), "the fox"}).out, expected);
  EXPECT_EQ(run(path("out"), {"tokenize", "the fox"}).out, run_program({"tokenize", "--model", source, "the fox"}).out);
  const std::string name = source_.path().filename().string();
  EXPECT_NE(run(path("out"), {"inspect"}).out.find("  bundle              " + name + ", 3 files of "),
            std::string::npos);
  const ProgramResult other = run(path("out"), {"bundle", source, path("second")});
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(read_file(path("second")), read_file(path("out")));
}

TEST_F(BundleCommand, RefusesToUseTheBuiltInModelInThePlaceOfADamagedOne) {
  write();
  const uintmax_t size = fs::file_size(path("out"));
  fs::resize_file(path("out"), size - 1);
  const ProgramResult cut = run(path("out"), {"embed", "the fox"});
  EXPECT_EQ(cut.status, 1);
  EXPECT_NE(cut.err.find("it was truncated or altered"), std::string::npos) << cut.err;
  EXPECT_EQ(run(path("out"), {"--version"}).status, 0);
}

TEST_F(BundleCommand, NeedsAModelAndAFile) {
  expect_usage_error({"bundle", source_.path().string()}, "bundle needs a model (or --model) and the name of the file");
  const ProgramResult none = run_program({"bundle", path("none"), path("out")});
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("none': no such directory"), std::string::npos) << none.err;
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace bert::test
