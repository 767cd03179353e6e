// Tests where the program writes its results, and what happens if it cannot write there.
#include "tests/support/test_data.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "program/cli/output/output.h"
#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> tokenize_to(const std::string& path) {
  return {"tokenize", "--format", "ids", "--output", path, "a dog"};
}

TEST(Output, GoesToAFileAndNowhereElse) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "ids").string();
  const ProgramResult result = run_program(tokenize_to(path));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(read_file(path), run_program({"tokenize", "--format", "ids", "a dog"}).out);
  EXPECT_FALSE(fs::exists(path + ".partial"));
}

// The lines fill several buffers and do not end at the buffers' ends. The run ends before the output is complete.
TEST(Output, OfARunThatEndsEarlyHasWholeLines) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "lines").string(), line(997, 'x');
  {
    cli::Output output(path, cli::Output::Access::kStream);
    for (int i = 0; i < 1500; ++i) {
      output.write(line.substr(0, 500));
      output.write(line.substr(500) + "\n");
    }
  }
  const std::string partial = read_file(path + ".partial");
  EXPECT_GT(partial.size(), 1'000'000u);
  EXPECT_LT(partial.size(), 1500 * (line.size() + 1));
  EXPECT_EQ(partial.size() % (line.size() + 1), 0u);
}

// A line longer than a buffer is written in pieces, which stay in order.
TEST(Output, KeepsTheOrderOfLongLines) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "lines").string();
  std::string expected;
  {
    cli::Output output(path, cli::Output::Access::kStream);
    for (const size_t size : {10u, 300'000u, 200'000u, 100'000u, 100'000u, 262'144u, 7u}) {
      std::string piece(size, static_cast<char>('a' + expected.size() % 26));
      if (size % 3 == 1) piece += "\nrest";
      expected += piece;
      output.write(piece);
    }
    output.commit();
  }
  EXPECT_TRUE(read_file(path) == expected);
}

TEST(Output, ReplacesAFileAndKeepsItsModeAndTheLinkToIt) {
  const TemporaryDirectory folder;
  const std::string path = write_file(folder, "old", "old content");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  fs::create_symlink(path, folder.path() / "link");
  EXPECT_EQ(run_program(tokenize_to((folder.path() / "link").string())).status, 0);
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_NE(read_file(path), "old content");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST(Output, LeavesTheOldFileWhereTheRunFails) {
  const TemporaryDirectory folder;
  const std::string path = write_file(folder, "vectors", "old content");
  EXPECT_EQ(run_program({"embed", "--model", "no/such/model", "--output", path, "a"}).status, 1);
  EXPECT_EQ(run_program({"embed", "--max-length", "100000", "--output", path, "a"}).status, 1);
  EXPECT_EQ(read_file(path), "old content");
  EXPECT_FALSE(fs::exists(path + ".partial"));
}

// A file, link or folder that already has the name of the partial file belongs to somebody else. The program neither
// writes to it nor removes it.
TEST(Output, TouchesNothingThatStandsWhereItsPartialFileWouldBe) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "ids").string(), partial = path + ".partial";
  const std::string expected = run_program({"tokenize", "--format", "ids", "a dog"}).out;
  const auto writes = [&] {
    const ProgramResult result = run_program(tokenize_to(path));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(read_file(path), expected);
    EXPECT_FALSE(fs::exists(partial + ".2"));
    fs::remove(path);
  };
  write_file(folder, "ids.partial", "mine");
  writes();
  EXPECT_EQ(read_file(partial), "mine");
  fs::remove(partial);
  const std::string other = write_file(folder, "other", "mine too");
  fs::create_symlink(other, partial);
  writes();
  EXPECT_TRUE(fs::is_symlink(partial));
  EXPECT_EQ(read_file(other), "mine too");
  fs::remove(partial);
  ASSERT_EQ(::mkfifo(partial.c_str(), 0600), 0);
  writes();
  EXPECT_TRUE(fs::is_fifo(partial));
}

TEST(Output, RefusesALinkThatLeadsNowhere) {
  const TemporaryDirectory folder;
  const fs::path link = folder.path() / "link";
  fs::create_symlink("not-there", link);
  const ProgramResult result = run_program(tokenize_to(link.string()));
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("link': it is a link to 'not-there', which is not there"), std::string::npos) << result.err;
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST(Output, IsCompleteWhereSomeTextsFail) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "ids").string();
  EXPECT_EQ(run_program({"tokenize", "--format", "jsonl", "--output", path, "a", "\xff"}).status, 1);
  EXPECT_EQ(lines_of(read_file(path)).size(), 2u);
}

TEST(Output, CannotBeADirectoryNorInOneThatIsMissing) {
  const TemporaryDirectory folder;
  for (const std::string& path : {folder.path().string(), (folder.path() / "no" / "file").string()}) {
    const ProgramResult result = run_program(tokenize_to(path));
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
  }
}

TEST(Output, FailsOnAFullDisk) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"embed", "a"},
                                                    {"embed", "--format", "npy", "a"},
                                                    {"--format", "npz", "a"},
                                                    {"inspect"},
                                                    {"tokenize", "a"}}) {
    const ProgramResult result = run_program(arguments, {.output_file = "/dev/full"});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.err, "bert-infer: error: cannot write standard output: No space left on device\n");
  }
  EXPECT_EQ(run_program(tokenize_to("/dev/full")).status, 1);
  EXPECT_FALSE(fs::is_regular_file("/dev/full"));
}

// Like other programs, this one ends by SIGPIPE without a message if the reader of its pipe has ended.
TEST(Output, EndsQuietlyWhereNobodyReads) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += "a brown dog\n";
  const ProgramResult result =
      run_program({"tokenize", "--format", "jsonl", "--input", "-"}, {.standard_input = lines, .closed_pipe = true});
  EXPECT_EQ(result.status, 128 + SIGPIPE);
  EXPECT_EQ(result.err, "");
}

TEST(Output, ReplacesALeftoverOnlyWhereAHundredAreThere) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "ids").string();
  const auto partial = [&](int n) { return path + ".partial" + (n == 1 ? "" : "." + std::to_string(n)); };
  for (int n = 1; n <= 100; ++n) std::ofstream(partial(n)) << "left";
  const int first = ::open(partial(1).c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(first, LOCK_EX | LOCK_NB), 0);  // acts as another run that writes the file
  EXPECT_EQ(run_program(tokenize_to(path)).status, 0);
  EXPECT_EQ(read_file(path), run_program({"tokenize", "--format", "ids", "a dog"}).out);
  EXPECT_EQ(read_file(partial(1)), "left");
  EXPECT_FALSE(fs::exists(partial(2)));
  EXPECT_EQ(read_file(partial(3)), "left");
  ::close(first);
}

TEST(Output, GoesToADeviceDirectly) {
  EXPECT_EQ(run_program(tokenize_to("/dev/null")).status, 0);
  EXPECT_FALSE(fs::exists("/dev/null.partial"));
}

}  // namespace
}  // namespace bert::test
