#include "engine/base/shared_library.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(SharedLibrary, NamesTheFirstFileWhereNoneIsThere) {
  const SharedLibrary library("no-such-library", {"7", ""}, "libno7");
  EXPECT_EQ(library.file(), "libno-such-library-7.dll");
  EXPECT_TRUE(library.problem().starts_with("libno-such-library-7.dll: ")) << library.problem();
}

}  // namespace
}  // namespace bert
