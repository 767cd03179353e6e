#include "engine/base/program_file.h"

#include <gtest/gtest.h>

#include "engine/base/file.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

const int in_this_program = 0;

TEST(ProgramFile, IsFoundByItsAddress) {
  const RegularFile program = RegularFile::open(own_program());
  EXPECT_EQ(program.path().extension(), ".exe");
  EXPECT_EQ(binary_of(&in_this_program), program.path());
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported, [&] { program_end(program.descriptor(), program.path()); })
                .find(".exe': a model goes behind a program for Linux only"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
