// Checks that an output that is one of the command's inputs, or another output, is refused before anything is written.
#include "program/cli/options/written_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

namespace fs = std::filesystem;

class WrittenFiles : public ::testing::Test {
 protected:
  WrittenFiles() {
    texts_ = write_file(directory_, "texts.txt", "a fox\na dog\n");
    key_ = write_file(directory_, "key", "0123456789abcdef");
    link_ = (directory_.path() / "link").string();
  }
  // The program refuses to write `file`, which stays as it is.
  void expect_refused(const std::string& file, const std::vector<std::string>& arguments, const std::string& message) {
    const std::string before = read_file(file);
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_EQ(read_file(file), before);
  }

  TemporaryDirectory directory_;
  std::string texts_, key_, link_;
};

TEST_F(WrittenFiles, AreNotTheCommandsInputs) {
  const std::vector<std::string> redact = {"redact", "--expression", "X=fox", "--input", texts_, "--key-file", key_};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), redact.begin(), redact.end());
    return more;
  };
  expect_refused(texts_, with({"--report", texts_}), "--report '" + texts_ + "' is the file of --input too, expected");
  expect_refused(key_, with({"--output", key_}), "--output '" + key_ + "' is the file of --key-file too");
  const std::string out = (directory_.path() / "out").string();
  EXPECT_EQ(run_program(with({"--output", out, "--report", out})).status, 2);
  EXPECT_FALSE(fs::exists(out));
  fs::create_symlink(texts_, link_);
  expect_refused(texts_, with({"--output", link_}), "--output '" + link_ + "' is the file of --input too");
  expect_refused(texts_, {"search", "fox", "--corpus", texts_, "--output", texts_}, "is the file of --input too");
  expect_refused(texts_, {"search", "fox", "--corpus", texts_, "--index", texts_}, "is the file of --input too");
}

TEST_F(WrittenFiles, AreNotTheModels) {
  const TemporaryDirectory model;
  write_tiny_model(model);
  const std::string name = model.path().string(), weights = (model.path() / "model.safetensors").string();
  expect_refused(weights, {"embed", "--model", name, "--output", weights, "a fox"},
                 "--output '" + weights + "' is a file of --model '" + name + "', expected another file");
  fs::create_hard_link(weights, link_);
  expect_refused(weights, {"embed", "--model", name, "--output", link_, "a fox"}, "is a file of --model");
  expect_refused(weights, {"bundle", name, weights}, "is a file of the model");
}

TEST_F(WrittenFiles, MayBeDevicesAndFormerResults) {
  EXPECT_EQ(run_program({"redact", "--expression", "X=fox", "--output", "/dev/null", "--report", "/dev/null", "a fox"})
                .status,
            0);
  const std::string out = write_file(directory_, "out", "");
  EXPECT_EQ(run_program({"redact", "--expression", "X=fox", "--output", out, "--input", texts_}).status, 0);
  EXPECT_EQ(read_file(out), "a <X>\na dog\n");
}

}  // namespace
}  // namespace bert::test
