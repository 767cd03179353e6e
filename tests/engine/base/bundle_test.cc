#include "engine/base/bundle.h"

#include <gtest/gtest.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/hash/xxh64.h"
#include "engine/base/mapped_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::error_of;

class BundlePaths : public ::testing::Test {
 protected:
  BundlePaths() {
    std::string whole = "program";
    Bundle bundle{.name = "m", .files = {}, .program_bytes = whole.size()};
    for (const auto& [name, text] : {std::pair("a.txt", "first"), std::pair("1_Dense/b.txt", "second")}) {
      whole.resize(bundled_offset(whole.size()), '\0');
      bundle.files.push_back({name, whole.size(), std::strlen(text),
                              xxh64(std::as_bytes(std::span<const char>(text, std::strlen(text))))});
      whole += text;
    }
    path_ = folder_.write("bundle", whole + bundle_end(bundle, whole.size()));
  }
  std::string text(const fs::path& path) const { return read_text_file(path, 100); }

  test::TemporaryDirectory folder_;
  fs::path path_;
};

TEST_F(BundlePaths, GoOnAfterTheFile) {
  check_bundle(path_);
  EXPECT_EQ(text(path_ / "a.txt"), "first");
  EXPECT_EQ(text(path_ / "1_Dense" / "b.txt"), "second");
  EXPECT_EQ(text(path_ / "1_Dense" / ".." / "a.txt"), "first");
  const MappedFile mapped = MappedFile::open(path_ / "1_Dense" / "b.txt");
  EXPECT_EQ(std::memcmp(mapped.bytes().data(), "second", mapped.bytes().size()), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(mapped.bytes().data()) % 4096, 0u);
}

TEST_F(BundlePaths, AreThereOrNot) {
  EXPECT_TRUE(directory_exists(path_));
  EXPECT_TRUE(directory_exists(path_ / "1_Dense"));
  EXPECT_FALSE(directory_exists(path_ / "a.txt"));
  EXPECT_FALSE(directory_exists(path_ / "1_Den"));
  EXPECT_TRUE(is_there(path_ / "a.txt"));
  EXPECT_TRUE(is_there(path_ / "1_Dense"));
  EXPECT_FALSE(is_there(path_ / "c.txt"));
  EXPECT_FALSE(read_text_file_if_there(path_ / "c.txt", 100).has_value());
  EXPECT_FALSE(is_there(folder_.write("plain", "no bundle") / "a.txt"));
  EXPECT_FALSE(find_bundle(folder_.path()).has_value());
  EXPECT_FALSE(find_bundle(folder_.path() / "none" / "a.txt").has_value());
}

TEST_F(BundlePaths, StayInside) {
  EXPECT_EQ(text(resolve_confined(path_, "1_Dense/b.txt", "x")), "second");
  EXPECT_NE(
      error_of(ErrorCode::kInvalidFile, [&] { resolve_confined(path_, "../plain", "x"); }).find("expected a file in"),
      std::string::npos);
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [&] { resolve_confined(path_, "/etc/passwd", "x"); })
                .find("expected a file in"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorCode::kNotFound, [&] { resolve_confined(path_, "c.txt", "x"); }).find("is not there"),
            std::string::npos);
}

std::string refusal_of(const Bundle& bundle) {
  const test::TemporaryDirectory folder;
  const fs::path path = folder.write("bundle", "program" + bundle_end(bundle, 7));
  return error_of(ErrorCode::kInvalidFile, [&] { check_bundle(path); });
}

TEST(Bundle, HasPlainNames) {
  for (const char* name : {"", "/etc/passwd", "../a", "a/../b", "a//b", "a/", "./a", "."}) {
    const Bundle bundle{.name = "m", .files = {{name, 7, 0, 0}}, .program_bytes = 7};
    EXPECT_NE(refusal_of(bundle).find("expected a file's name, or a folder's and a file's"), std::string::npos) << name;
  }
}

TEST(Bundle, HasABoundedNumberOfFiles) {
  Bundle bundle{.name = "m", .files = {}, .program_bytes = 7};
  const uint64_t digest = xxh64({});
  for (int i = 0; i < 4096; ++i) bundle.files.push_back({"f" + std::to_string(i), 7, 0, digest});
  const test::TemporaryDirectory folder;
  const std::clock_t begin = std::clock();  // counts this process only
  check_bundle(folder.write("bundle", "program" + bundle_end(bundle, 7)));
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC);
  bundle.files.push_back({"one more", 7, 0, digest});
  EXPECT_NE(refusal_of(bundle).find("a bundle of more than 4096 files"), std::string::npos);
}

TEST_F(BundlePaths, NoticeAChangeOfTheWhole) {
  const RegularFile file = RegularFile::open(path_ / "a.txt");
  file.check_is_unchanged();
  fs::resize_file(path_, fs::file_size(path_) - 1);
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [&] { file.check_is_unchanged(); }).find("truncated at byte "),
            std::string::npos);
}

TEST(Bundle, OfThisProgramIsNone) { EXPECT_FALSE(own_bundle().has_value()); }

}  // namespace
}  // namespace bert
