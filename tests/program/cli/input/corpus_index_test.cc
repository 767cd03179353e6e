// The index file of the command search.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "bert/vectors.h"
#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(CorpusIndex, HoldsTheEmbeddingsAtLengthOne) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", "a brown dog\n\nthe cat\n");
  const std::string path = (folder.path() / "index").string();
  ASSERT_EQ(run_program({"search", "--corpus", corpus, "--index", path, "--no-normalize", "dog"}).status, 0);
  const VectorIndex index = VectorIndex::open(path);
  ASSERT_EQ(index.rows(), 3u);
  EXPECT_EQ(index.unusable_rows(), 1u);
  EXPECT_TRUE(std::isnan(index.row(1)[0]));
  const std::vector<float> vector =
      run_program({"embed", "--format", "json", "--no-normalize", "the cat"}).json()["embedding"];
  double squares = 0;
  for (const float value : vector) squares += double{value} * double{value};
  for (size_t i = 0; i < vector.size(); ++i) EXPECT_NEAR(index.row(2)[i], vector[i] / std::sqrt(squares), 1e-7);
}

TEST(CorpusIndex, ReportsLinesWithoutAVector) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", "a brown dog\n\xFF\n");
  const std::string path = (folder.path() / "index").string();
  const ProgramResult first = run_program({"search", "--corpus", corpus, "--index", path, "dog"});
  EXPECT_EQ(first.status, 1);
  EXPECT_NE(first.err.find("line 2"), std::string::npos) << first.err;
  const ProgramResult second = run_program({"search", "--corpus", corpus, "--index", path, "dog"});
  EXPECT_EQ(second.status, 0);
  EXPECT_NE(second.err.find("1 line has no vector: empty, or failed when the index was made"), std::string::npos)
      << second.err;
  EXPECT_EQ(first.out, second.out);
}

TEST(CorpusIndex, KeepsTheOldFileWhenTheNewOneCannotBeWritten) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", "a brown dog\n");
  const std::string path = (folder.path() / "none" / "index").string();
  const ProgramResult result = run_program({"search", "--corpus", corpus, "--index", path, "dog"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("cannot create"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bert::test
