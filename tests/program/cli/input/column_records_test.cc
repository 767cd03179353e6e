// Tests files of columns: names in the first line, quoted fields, and the error of a wrong record.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

ProgramResult tokenize_columns(const std::string& text, std::vector<std::string> more = {"--csv"}) {
  std::vector<std::string> arguments = {"tokenize", "--format", "jsonl", "--split-special-tokens", "--input", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments, {.standard_input = text});
}

nlohmann::json tokens_of(const std::string& text) {
  return run_program({"tokenize", "--format", "json", text}).json()["tokens"];
}

TEST(ColumnRecords, HaveTheirTextAndIdByName) {
  const ProgramResult result = tokenize_columns("\xEF\xBB\xBFid,note,text\r\n7,x,a dog\r\n\"a\"\"b\",,\r\n");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "bert-infer: note: columns of the input that are not used: 'note'\n");
  const std::vector<nlohmann::json> lines = result.json_lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["id"], "7");
  EXPECT_EQ(lines[0]["tokens"], tokens_of("a dog"));
  EXPECT_EQ(lines[1]["id"], "a\"b");
  EXPECT_EQ(lines[1]["tokens"], tokens_of(""));
}

TEST(ColumnRecords, MayHaveSeparatorsQuotesAndLineBreaksWithinQuotes) {
  const ProgramResult result = tokenize_columns("text\n\"a, \"\"dog\"\"\nand\n\na fox\"\n5\" of snow\nlast");
  EXPECT_EQ(result.status, 0) << result.err;
  const std::vector<nlohmann::json> lines = result.json_lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["tokens"], tokens_of("a, \"dog\"\nand\n\na fox"));
  EXPECT_EQ(lines[1]["tokens"], tokens_of("5\" of snow"));
  EXPECT_EQ(lines[2]["tokens"], tokens_of("last"));
}

TEST(ColumnRecords, HaveNoBlankLinesAmongThem) {
  const ProgramResult result = tokenize_columns("\ntext,note\n\na dog,1\r\n\r\na fox,2\n\n\n");
  EXPECT_EQ(result.status, 0) << result.err;
  const std::vector<nlohmann::json> lines = result.json_lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["tokens"], tokens_of("a dog"));
  EXPECT_EQ(lines[1]["tokens"], tokens_of("a fox"));
  // An empty field is a text.
  EXPECT_EQ(tokenize_columns("text\na\n\"\"\n").json_lines().size(), 2u);
}

TEST(ColumnRecords, AreNotReadOfLinesWithCarriageReturnsAlone) {
  const ProgramResult result = tokenize_columns("text,note\ra dog,1\ra fox,2\r");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("has lines that end with a carriage return alone"), std::string::npos) << result.err;
}

TEST(ColumnRecords, MayHaveTabsBetween) {
  const ProgramResult result = tokenize_columns("text\tpair\na, b\tc\nd\t\n", {"--tsv"});
  EXPECT_EQ(result.json_lines().at(0)["tokens"],
            run_program({"tokenize", "--format", "json", "a, b", "--pair", "c"}).json()["tokens"]);
  EXPECT_EQ(result.json_lines().at(1)["tokens"], tokens_of("d"));
}

TEST(ColumnRecords, HaveOtherNamesByOption) {
  const std::string columns = "sentence1,sentence2\na dog,a fox\n";
  EXPECT_EQ(run_program({"similarity", "--csv", "--field", "sentence1", "--pair-field", "sentence2", "--input", "-"},
                        {.standard_input = columns})
                .out,
            run_program({"similarity", "a dog", "a fox"}).out);
  const ProgramResult result = tokenize_columns(columns);
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("standard input has the columns 'sentence1', 'sentence2', expected 'text' among the names "
                            "in its first line; --field names another"),
            std::string::npos)
      << result.err;
  const ProgramResult pair =
      run_program({"similarity", "--csv", "--field", "sentence1", "--pair-field", "second", "--input", "-"},
                  {.standard_input = columns});
  EXPECT_EQ(pair.err,
            "bert-infer: error: standard input has the columns 'sentence1', 'sentence2', expected 'second', the second "
            "text, among the names in its first line; --pair-field names another\n");
  EXPECT_NE(tokenize_columns("text,text\n").err.find("two columns 'text', expected each name once"), std::string::npos);
}

TEST(ColumnRecords, AreReadByEachFilesOwnNames) {
  const TemporaryDirectory folder;
  const std::string one = write_file(folder, "1.csv", "text,id\na,1\n"), two = write_file(folder, "2.csv", "text\nb");
  EXPECT_EQ(run_program({"tokenize", "--format", "ids", "--input", one, "--input", two}).out,
            run_program({"tokenize", "--format", "ids", "a", "b"}).out);
}

TEST(ColumnRecords, ThatAreWrongAreReportedWithTheirLine) {
  const ProgramResult result = tokenize_columns("text,n\n\"a\nb\",1\nc\n\"d\"e,2\nf,3\n");
  EXPECT_EQ(result.status, 1);
  const std::vector<nlohmann::json> lines = result.json_lines();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["tokens"], tokens_of("a b"));
  EXPECT_EQ(lines[1]["line"], 4);
  EXPECT_EQ(lines[1]["error"], "1 field, expected 2, as the first line has");
  EXPECT_EQ(lines[2]["line"], 5);
  EXPECT_EQ(lines[2]["error"],
            "text after the closing quote of field 1, expected its end; a \" within quotes is written \"\"");
  EXPECT_EQ(lines[3]["tokens"], tokens_of("f"));
  const ProgramResult open = tokenize_columns("text\na\n\"b\nc\n");
  EXPECT_EQ(open.status, 1);
  EXPECT_NE(open.err.find("standard input: the file ends within the quotes of a field in the record of line 3"),
            std::string::npos)
      << open.err;
}

TEST(ColumnRecords, AreSeparatedAsTheFirstLineShows) {
  for (const std::string separator : {",", ";", "\t", "|"}) {
    const ProgramResult result = tokenize_columns("id" + separator + "\"text\"\n1" + separator + "\"a; b, c\"\n");
    EXPECT_EQ(result.status, 0) << separator << result.err;
    EXPECT_EQ(result.json()["tokens"], tokens_of("a; b, c")) << separator;
  }
  // A comma in a name is no delimiter if another delimiter is next to the name "text".
  EXPECT_EQ(tokenize_columns("a, b;text\nx;y\n").json()["tokens"], tokens_of("y"));
  EXPECT_EQ(tokenize_columns("a:text\nx:y\n", {"--csv", "--delimiter", ":"}).json()["tokens"], tokens_of("y"));
  EXPECT_NE(tokenize_columns("a;b\nx;y\n").err.find("has the columns 'a', 'b', expected 'text'"), std::string::npos);
  EXPECT_NE(tokenize_columns("text\na\n", {"--tsv", "--delimiter", ":"}).err.find("--delimiter is for --csv"),
            std::string::npos);
  EXPECT_NE(run_program({"tokenize", "--delimiter", ":", "a"}).err.find("there is no --input"), std::string::npos);
  EXPECT_NE(tokenize_columns("text\na\n", {"--csv", "--delimiter", "::"}).err.find("'::': expected one character"),
            std::string::npos);
}

}  // namespace
}  // namespace bert::test
