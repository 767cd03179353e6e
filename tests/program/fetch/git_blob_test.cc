#include "program/fetch/git_blob.h"

#include <gtest/gtest.h>

#include <string>

#include "bert/error.h"
#include "tests/support/temporary_directory.h"

namespace bert::fetch {
namespace {

std::string sha1(const std::string& text) {
  Sha1 sum;
  sum.add(text);
  return sum.hex();
}

// The expected digests are those of the examples in FIPS 180-4 and RFC 3174.
TEST(Sha1, GivesThePublishedValues) {
  EXPECT_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(sha1(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(Sha1, DoesNotDependOnHowTheBytesAreDivided) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  for (size_t size = 1; size < 200; ++size) {
    Sha1 sum;
    for (size_t at = 0; at < text.size(); at += size) sum.add(std::string_view(text).substr(at, size));
    EXPECT_EQ(sum.hex(), sha1(text)) << size;
  }
}

// The expected names are those of `git hash-object`.
TEST(GitBlobName, IsGitsOwn) {
  const test::TemporaryDirectory folder;
  folder.write("empty", "");
  folder.write("text", "what is up, doc?");
  EXPECT_EQ(git_blob_name(folder.path() / "empty"), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_name(folder.path() / "text"), "bd9dbf5aae1a3862dd1526723246b20206e5fc37");
  EXPECT_THROW(git_blob_name(folder.path() / "absent"), Error);
}

}  // namespace
}  // namespace bert::fetch
