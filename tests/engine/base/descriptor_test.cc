#include "engine/base/descriptor.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

TEST(Descriptor, ReadsFromAnyPlaceAndStopsAtTheEnd) {
  const TemporaryDirectory directory;
  std::error_code error;
  const Descriptor file = Descriptor::open(directory.write("x", "0123456789"), error);
  ASSERT_FALSE(error);
  std::string bytes(4, '-');
  EXPECT_EQ(file.read_at(3, bytes, error), 4u);
  EXPECT_EQ(bytes, "3456");
  EXPECT_EQ(file.read_at(8, bytes, error), 2u);
  EXPECT_EQ(bytes, "8956");
  EXPECT_EQ(file.read_at(10, bytes, error), 0u);
  EXPECT_FALSE(error) << error.message();
}

TEST(Descriptor, CreatesOnlyANewFile) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "new";
  std::error_code error;
  {
    Descriptor file = Descriptor::create(path, fs::perms::owner_all, error);
    ASSERT_FALSE(error);
    const std::string text = "text";
    EXPECT_FALSE(file.write(std::as_bytes(std::span(text.data(), text.size()))));
    EXPECT_FALSE(file.sync());
  }
  EXPECT_EQ(fs::file_size(path), 4u);
  EXPECT_FALSE(Descriptor::create(path, fs::perms::owner_all, error).is_open());
  EXPECT_EQ(error, std::errc::file_exists);
}

TEST(FirstName, IsTheFirstInOrder) {
  const TemporaryDirectory directory;
  for (const char* name : {"panels.b", "panels.a", "panels.a.partial.2", "panels.0.partial", "other", "a"}) {
    directory.write(name, "");
  }
  EXPECT_EQ(first_name(directory.path(), "panels.", ".partial"), "panels.a");
  EXPECT_EQ(first_name(directory.path(), "none", ".partial"), std::nullopt);
  EXPECT_EQ(first_name(directory.path() / "a", "", ".partial"), std::nullopt);
  EXPECT_EQ(first_name(directory.path() / "nothing", "", ".partial"), std::nullopt);
}

}  // namespace
}  // namespace bert
