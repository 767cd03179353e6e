#include "program/cli/command_line/licenses.h"

#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/build_tree.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(Licenses, AreTheFilesOfTheSources) {
  const std::string text = cli::licenses_text();
  for (const char* file : {"/LICENSE", "/models/builtin/NOTICE"}) {
    EXPECT_NE(text.find(read_file(source_directory() + file)), std::string::npos) << file;
  }
}

TEST(Licenses, NameWhatTheyAreOf) {
  const std::string text = cli::licenses_text();
  EXPECT_TRUE(text.starts_with("===== bert-infer ")) << text.substr(0, 40);
  EXPECT_NE(text.find("\n\n===== The built-in model =====\n\n"), std::string::npos);
}

TEST(Licenses, ArePrintedByTheProgram) {
  const ProgramResult result = run_program({"--licenses"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.starts_with("===== bert-infer ")) << result.out.substr(0, 40);
}

}  // namespace
}  // namespace bert::test
