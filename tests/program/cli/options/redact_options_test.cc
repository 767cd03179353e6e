#include "program/cli/options/redact_options.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "tests/support/temporary_directory.h"

namespace bert::cli {
namespace {

TEST(RedactOptions, TakeAllBytesOfTheKey) {
  const test::TemporaryDirectory folder;
  folder.write("key", std::string("\0a\n", 3));
  EXPECT_EQ(read_redact_key((folder.path() / "key").string()), std::string("\0a\n", 3));
  EXPECT_THROW(read_redact_key((folder.path() / "none").string()), Error);
}

}  // namespace
}  // namespace bert::cli
