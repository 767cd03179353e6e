// Tests how the ends of file names choose the way an input is read and the format of an output.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

class FileEndings : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const { return write_file(folder_, name, text); }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  const TemporaryDirectory folder_;
};

TEST_F(FileEndings, SayWhatAnInputHas) {
  const std::string lines = write("a.txt", "a dog\n"), expected = run_program({"embed", "--input", lines}).out;
  const std::string objects = write("a.jsonl", "{\"text\": \"a dog\"}\n");
  for (const std::string& path : {objects, write("a.CSV", "text\na dog\n"), write("a.tsv", "n\ttext\n1\ta dog\n")}) {
    EXPECT_EQ(run_program({"embed", "--input", path}).out, expected) << path;
  }
  expect_usage_error({"embed", "--input", objects, "--input", lines},
                     "has objects and --input '" + lines + "' lines of text, expected one kind; --jsonl, --csv or ");
  expect_usage_error({"embed", "--input", "a.csv", "--input", "a.tsv"},
                     "--input 'a.csv' has columns with commas and --input 'a.tsv' columns with tabs, expected one");
}

TEST_F(FileEndings, NameWhatIsNotRead) {
  expect_usage_error({"embed", "--input", "a.parquet"}, "`python -m bert_infer embed` reads Parquet");
  const ProgramResult utf16 = run_program({"embed", "--input", write("16.txt", "\xFF\xFE a")});
  EXPECT_NE(utf16.status, 0);
  EXPECT_NE(utf16.err.find("begins with the mark of UTF-16, expected UTF-8"), std::string::npos) << utf16.err;
  EXPECT_EQ(run_program({"embed", "--input", write("none.txt", "")}).err, "bert-infer: note: the input has no texts\n");
}

TEST_F(FileEndings, NameNoFormatOfTheOutput) {
  expect_usage_error({"embed", "a dog", "--output", "v.parquet"},
                     "--output 'v.parquet': .parquet names no format, expected one of");
}

TEST_F(FileEndings, GiveWayToAnOption) {
  const std::string text = "{\"text\": \"a dog\"}\n";
  EXPECT_EQ(run_program({"embed", "--jsonl", "--input", write("a.csv", text)}).out,
            run_program({"embed", "--input", write("a.jsonl", text)}).out);
}

TEST_F(FileEndings, SayWhichFilesOfADirectoryAreRead) {
  const std::string notes = path("notes");
  std::filesystem::create_directories(notes + "/more/.hidden");
  for (const char* name : {"notes/b10.txt", "notes/b9.md", "notes/more/a.rst", "notes/c.png", "notes/.x.txt",
                           "notes/more/.hidden/y.txt"}) {
    write(name, std::string(name) + "\n");
  }
  const ProgramResult all = run_program({"tokenize", "--format", "ids", "--input", notes});
  EXPECT_EQ(all.out,
            run_program({"tokenize", "--format", "ids", "notes/b10.txt", "notes/b9.md", "notes/more/a.rst"}).out);
  EXPECT_EQ(all.err, "bert-infer: note: 1 file of the directory has another ending and is not read\n");
  write("notes/c.csv", "text\na\n");
  EXPECT_EQ(run_program({"tokenize", "--format", "ids", "--csv", "--input", notes}).out,
            run_program({"tokenize", "--format", "ids", "a"}).out);
  std::filesystem::create_directories(path("none"));
  EXPECT_NE(run_program({"embed", "--input", path("none")}).err.find("has no file with lines of text by its name"),
            std::string::npos);
}

TEST_F(FileEndings, CountLinksToFoldersAndToNothing) {
  const std::string notes = path("linked");
  std::filesystem::create_directories(notes);
  std::filesystem::create_directories(path("elsewhere"));
  write("linked/a.txt", "a dog\n");
  write("elsewhere/b.txt", "a fox\n");
  std::filesystem::create_directory_symlink(path("elsewhere"), notes + "/folder");
  std::filesystem::create_symlink(path("nothing"), notes + "/gone.txt");
  std::filesystem::create_symlink(path("elsewhere/b.txt"), notes + "/b.txt");  // is read
  const ProgramResult found = run_program({"tokenize", "--format", "ids", "--input", notes});
  EXPECT_EQ(found.out, run_program({"tokenize", "--format", "ids", "a dog", "a fox"}).out);
  EXPECT_EQ(found.err,
            "bert-infer: note: 2 links of the directory lead to folders or to nothing and are not followed\n");
}

// A shell expands --input notes/*.md to such arguments.
TEST_F(FileEndings, AreOfFilesThatFollowOne) {
  const std::string one = write("1.txt", "a\n"), two = write("2.txt", "b\n");
  EXPECT_EQ(run_program({"tokenize", "--format", "ids", "--input", one, two}).out,
            run_program({"tokenize", "--format", "ids", "a", "b"}).out);
}

}  // namespace
}  // namespace bert::test
