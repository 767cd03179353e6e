// Tests signals, and weight files that are written while the program runs.
#include "program/cli/run/signals.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

namespace fs = std::filesystem;

// Waits until the file is not empty.
void await(const std::string& path) {
  for (int i = 0; i < 1000; ++i) {
    std::error_code none;
    if (fs::file_size(path, none) > 0 && !none) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL() << path << " stays empty";
}

TEST(Signals, EndARunWithALineAndKeepItsLines) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "ids").string();
  const struct {
    int signal;
    const char* reason;
  } cases[] = {{SIGINT, "interrupted"}, {SIGTERM, "terminated"}, {SIGHUP, "its terminal was closed"}};
  for (const auto& [signal, reason] : cases) {
    OpenProgram program({"tokenize", "--format", "ids", "--input", "-", "--output", path});
    program.write("a dog\n");
    await(path + ".partial");
    const ProgramResult result = program.end(signal);
    EXPECT_EQ(result.status, 128 + signal);
    EXPECT_EQ(result.err,
              "bert-infer: error: " + std::string(reason) + "; what was written before is in '" + path + ".partial'\n");
    EXPECT_FALSE(fs::exists(path));
    EXPECT_EQ(lines_of(read_file(path + ".partial")).size(), 1u);
    fs::remove(path + ".partial");
  }
}

TEST(Signals, RemoveAnUnfinishedArray) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "vectors.npy").string();
  for (int run = 0; run < 20; ++run) {
    OpenProgram program({"embed", "--format", "npy", "--input", "-", "--output", path});
    program.write("a dog\n");
    // Polls without a pause, so that the signal comes as soon as the file exists.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!fs::exists(path + ".partial") && std::chrono::steady_clock::now() < end) {
    }
    const ProgramResult result = program.end(SIGTERM);
    EXPECT_EQ(result.status, 128 + SIGTERM);
    EXPECT_EQ(result.err, "bert-infer: error: terminated\n");
    ASSERT_TRUE(fs::is_empty(folder.path())) << "run " << run;
  }
}

// A model whose file can be written while a program has mapped it.
class WrittenModel : public ::testing::Test {
 protected:
  void SetUp() override { write_tiny_model(folder_); }

  // Runs `write` between two texts.
  ProgramResult run(const std::function<void(const fs::path& weights)>& write) const {
    OpenProgram program({"embed", "--model", folder_.path().string(), "--input", "-"});
    program.write("the quick\n");
    EXPECT_NE(program.read_line(std::chrono::seconds(20)), "");
    write(folder_.path() / "model.safetensors");
    program.write("fox\n");
    return program.end();
  }

  TemporaryDirectory folder_;
};

TEST_F(WrittenModel, InPlaceIsAnError) {
  const ProgramResult result = run([](const fs::path& weights) {
    std::fstream file(weights, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-4, std::ios::end);
    file.write("\0\0\0\0", 4);
  });
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("model.safetensors': written while it was read, expected a file that is replaced by a "
                            "rename\n"),
            std::string::npos)
      << result.err;
}

TEST_F(WrittenModel, AndTruncatedIsALine) {
  const ProgramResult result = run([](const fs::path& weights) { fs::resize_file(weights, 0); });
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(result.err.ends_with(
      "bert-infer: error: a weight file can no longer be read: it was truncated, or its disk fails\n"))
      << result.err;
}

TEST_F(WrittenModel, ReplacedByARenameIsRight) {
  const ProgramResult result = run([](const fs::path& weights) {
    fs::copy_file(weights, weights.string() + ".new");
    fs::rename(weights.string() + ".new", weights);
  });
  EXPECT_EQ(result.status, 0) << result.err;
}

}  // namespace
}  // namespace bert::test
