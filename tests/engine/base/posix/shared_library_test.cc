#include "engine/base/shared_library.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

#if defined(__linux__)
TEST(SharedLibrary, IsTheFirstVersionThatIsThere) {
  const SharedLibrary library("m", {"no-version", "6"}, "libc6");
  EXPECT_EQ(library.problem(), "");
  EXPECT_EQ(library.file(), "libm.so.6");
  const auto root = reinterpret_cast<double (*)(double)>(library.find("sqrt"));
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root(9), 3);
  EXPECT_EQ(library.find("no_such_function"), nullptr);
}

TEST(SharedLibrary, NamesTheFirstFileAndThePackageWhereNoneIsThere) {
  const SharedLibrary library("no-such-library", {"7", ""}, "libno7");
  EXPECT_EQ(library.file(), "libno-such-library.so.7");
  EXPECT_NE(library.problem().find("libno-such-library.so.7: "), std::string::npos);
  EXPECT_NE(library.problem().find(" (Debian: apt install libno7)"), std::string::npos);
}
#endif

}  // namespace
}  // namespace bert
