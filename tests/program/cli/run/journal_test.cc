// Tests the journal's lock. long_run_test.cc tests its complete and incomplete lines.
#include "tests/support/test_data.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(Journal, IsUsedByOneRunAtATime) {
  const TemporaryDirectory folder;
  const std::string input = write_file(folder, "input", "a dog\n"), output = (folder.path() / "output").string();
  const int journal = ::open((output + ".journal").c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_EQ(::flock(journal, LOCK_EX), 0);
  const std::vector<std::string> words = {"embed", "--input", input, "--output", output, "--resume"};
  const ProgramResult result = run_program(words);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "bert-infer: error: cannot use '" + output + ".journal': another run is using it\n");
  ::close(journal);
  EXPECT_EQ(run_program(words).status, 0);
  EXPECT_EQ(read_file(output), run_program({"embed", "a dog"}).out);
}

}  // namespace
}  // namespace bert::test
