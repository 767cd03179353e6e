// Tests tables as CSV: which fields are quoted, and which members of the input results copy.
#include "program/cli/output/csv.h"

#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(Csv, QuotesSeparatorsQuotesAndLineBreaks) {
  EXPECT_EQ(cli::csv_field("plain text"), "plain text");
  EXPECT_EQ(cli::csv_field(""), "");
  EXPECT_EQ(cli::csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(cli::csv_field("5\" of snow"), "\"5\"\" of snow\"");
  EXPECT_EQ(cli::csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, OfColumnsIsReadAsItWasWritten) {
  const std::string columns = "id,text,note\n1,\"a \"\"dog\"\", or\ntwo\",\"x,y\"\n2,a cat,\n";
  const ProgramResult first =
      run_program({"dedup", "--csv", "--input", "-", "--format", "csv", "--keep", "note"}, {.standard_input = columns});
  EXPECT_EQ(first.out, "index,id,note,text\n0,1,\"x,y\",\"a \"\"dog\"\", or\ntwo\"\n1,2,,a cat\n");
  const ProgramResult again = run_program({"dedup", "--csv", "--input", "-", "--format", "csv", "--keep", "note"},
                                          {.standard_input = first.out});
  EXPECT_EQ(again.out, first.out);
}

TEST(Csv, RefusesNamesThatCannotBeKept) {
  expect_usage_error({"dedup", "--input", "x.csv", "--keep", "text"}, "the results have a member of this name");
  expect_usage_error({"dedup", "--input", "x.txt", "--keep", "a"}, "--keep 'a' names a part of records");
  expect_usage_error({"dedup", "--keep", "a", "text"}, "there is no --input");
  expect_usage_error({"dedup", "--input", "x.csv", "--keep", "a,,b"}, "--keep 'a,,b': expected A,B,…, each name once");
  const ProgramResult missing =
      run_program({"dedup", "--csv", "--input", "-", "--keep", "note"}, {.standard_input = "text\na\n"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.err.find("expected 'note', which --keep copies,"), std::string::npos) << missing.err;
}

TEST(Csv, KeepsNothingOfALineThatIsNoJson) {
  const ProgramResult result =
      run_program({"cluster", "--k", "1", "--jsonl", "--input", "-", "--format", "jsonl", "--keep", "x"},
                  {.standard_input = "{\"x\": [1, 2\n{\"x\": 1, \"text\": \"a\"}\n"});
  ASSERT_EQ(result.json_lines().size(), 2u) << result.out;
  EXPECT_FALSE(result.json_lines()[0].contains("x"));
  EXPECT_EQ(result.json_lines()[1]["x"], 1);
}

}  // namespace
}  // namespace bert::test
