// Tests how the command search reads its lines, and the index of their vectors.
#include "program/cli/input/corpus.h"

#include <gtest/gtest.h>
#include <cmath>

#include "bert/vectors.h"
#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(Corpus, GivesTheTextAsItIsWritten) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", "\r\n  \t\n Dogs  run. \r\nlast");
  const nlohmann::json result =
      run_program({"search", "--corpus", corpus, "--format", "json", "dogs"}).json()["results"];
  ASSERT_EQ(result.size(), 2u);
  EXPECT_EQ(result[0]["text"], " Dogs  run. ");
  EXPECT_EQ(result[0]["index"], 2);
  EXPECT_EQ(result[1]["text"], "last");
}

TEST(Corpus, IsNamedWhenItIsNotThere) {
  const ProgramResult result = run_program({"search", "--corpus", "no-such-file", "dogs"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "bert-infer: error: cannot open 'no-such-file': No such file or directory\n");
}

TEST(Corpus, OfSeveralFilesNamesEach) {
  const TemporaryDirectory folder;
  const std::string one = write_file(folder, "1.txt", "The market fell.\n"), index = (folder.path() / "index").string();
  const std::string two = write_file(folder, "2.txt", "\nDogs run.\n");
  for (int round = 0; round < 2; ++round) {
    const ProgramResult found =
        run_program({"search", "--format", "json", "--index", index, "dogs", "--input", one, "--input", two});
    const nlohmann::json best = found.json()["results"][0];
    EXPECT_EQ(best["file"], two);
    EXPECT_EQ(best["line"], 2);
    EXPECT_EQ(best["index"], 2);
    EXPECT_EQ(found.err.find("made again"), std::string::npos) << found.err;
    EXPECT_EQ(found.err.find("count"), std::string::npos) << "blank lines are told of once: " << found.err;
  }
  const ProgramResult folders = run_program({"search", "--input", folder.path().string(), "dogs"});
  EXPECT_TRUE(folders.out.starts_with("   score  file")) << folders.out;
  EXPECT_EQ(lines_of(run_program({"search", "--format", "csv", "dogs", "--corpus", one, two}).out)[0],
            "query,rank,index,file,line,id,score,text");
  write_file(folder, "2.txt", "Cats run.\n");
  EXPECT_NE(run_program({"search", "--index", index, "dogs", "--input", one, two}).err.find("made again: the corpus"),
            std::string::npos);
}

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
