#include "engine/base/program_file.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "engine/base/bundle.h"
#include "engine/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

namespace fs = std::filesystem;

TEST(ProgramFile, EndsWhereItsTablesEnd) {
  const RegularFile program = RegularFile::open(own_program());
  EXPECT_EQ(program_end(program.descriptor(), program.path()), program.size());
  EXPECT_EQ(program_bytes(own_program()), program.size());
}

TEST(ProgramFile, IsNoOtherFile) {
  const test::TemporaryDirectory folder;
  for (const char* text : {"", "#!/bin/sh",
                           "\x7f"
                           "ELF\x01"}) {
    const RegularFile file = RegularFile::open(folder.write("file", text));
    EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { program_end(file.descriptor(), file.path()); })
                  .find("file': expected a program for Linux (ELF, 64 bits)"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace bert
