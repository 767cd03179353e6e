// Checks that the generator writes the checked-in tables.
#include "tokenizer/unicode/unicode_tables.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/support/build_tree.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

std::string output_of(const std::string& command, int& status) {
  FILE* const pipe = popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  if (pipe == nullptr) {
    status = -1;
    return output;
  }
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, count);
  status = pclose(pipe);
  return output;
}

TEST(UnicodeTables, AreWhatTheGeneratorWrites) {
  int status = 0;
  const std::string version = output_of("python3 -c 'import unicodedata; print(unicodedata.unidata_version)'", status);
  if (status != 0 || version != "14.0.0\n") {
    GTEST_SKIP() << "SKIPPED, needs a python3 with Unicode 14.0.0 (3.11), found '" << version << "'";
  }
  const std::string top = test::source_directory();
  const std::string made = output_of("python3 '" + top + "/tools/generate_unicode_tables.py'", status);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(made == test::read_file(top + "/tokenizer/unicode/unicode_tables.cc"))
      << "run tools/generate_unicode_tables.py tokenizer/unicode/unicode_tables.cc";
}

}  // namespace
}  // namespace bert
