#include "engine/base/hash/block_digest.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace bert {
namespace {

uint64_t digest(const std::string& text, size_t threads = 1) {
  ThreadPool pool(threads);
  return block_digest(std::as_bytes(std::span(text)), pool);
}

TEST(BlockDigest, IsAnotherForEachBitEachLengthAndEachOrder) {
  std::string text(300, '\0');
  std::set<uint64_t> digests = {digest(text)};
  for (size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    EXPECT_TRUE(digests.insert(digest(changed)).second) << bit;
  }
  for (size_t size = 0; size < text.size(); ++size) EXPECT_TRUE(digests.insert(digest(text.substr(0, size))).second);
  text[0] = 1;
  std::string moved = text;
  std::swap(moved[0], moved[32]);
  EXPECT_NE(digest(text), digest(moved));
}

TEST(BlockDigest, IsOfAllBlocksOnAnyNumberOfThreads) {
  std::string text(5'000'001, 'x');
  const uint64_t whole = digest(text);
  EXPECT_EQ(whole, 0x37c929f78e4fa3ef) << "files have it; the value is that of a calculation in Python";
  EXPECT_EQ(digest(text, 3), whole);
  for (const size_t at : {size_t{0}, size_t{1} << 20, text.size() - 1}) {
    std::string changed = text;
    changed[at] = 'y';
    EXPECT_NE(digest(changed, 3), whole) << at;
  }
}

}  // namespace
}  // namespace bert
