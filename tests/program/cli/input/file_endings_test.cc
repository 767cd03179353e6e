// How an input is read, and an output's format, by the ends of their names.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

class FileEndings : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const { return write_file(folder_, name, text); }

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

}  // namespace
}  // namespace bert::test
