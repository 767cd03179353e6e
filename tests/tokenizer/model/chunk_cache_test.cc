#include "tokenizer/model/chunk_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "tests/support/random.h"

namespace bert {
namespace {

Chunk chunk_of(std::string text) {
  text.resize(std::max(text.size(), Chunk::kRoom));
  return Chunk::read(text.data());
}

std::string bytes_of(const Chunk& chunk) {
  std::string bytes(Chunk::kLongest, '\0');
  std::memcpy(bytes.data(), &chunk.low, 8);
  std::memcpy(bytes.data() + 8, &chunk.high, 8);
  return bytes;
}

TEST(Chunk, EndsBeforeEveryByteThatIsNotPrintableAscii) {
  for (int byte = 0; byte < 256; ++byte) {
    for (size_t place = 0; place <= Chunk::kLongest; ++place) {
      std::string text(40, 'x');
      text[place] = static_cast<char>(byte);
      const bool ends = byte <= ' ' || byte >= 0x7F;
      const Chunk chunk = chunk_of(text);
      ASSERT_EQ(chunk.length, ends ? place : 0) << byte << " at " << place;
      if (chunk.length == 0) continue;
      ASSERT_EQ(bytes_of(chunk), std::string(place, 'x') + std::string(Chunk::kLongest - place, '\0'));
    }
  }
}

TEST(Chunk, HasTheBytesOfTheText) {
  test::Random random(1);
  for (size_t count = 0; count < 20'000; ++count) {
    std::string text(1 + random.below(Chunk::kLongest), '\0');
    for (char& byte : text) byte = static_cast<char>('!' + random.below('~' - '!' + 1));
    const Chunk chunk = chunk_of(text + " \xC3\xA9");
    ASSERT_EQ(chunk.length, text.size());
    ASSERT_EQ(bytes_of(chunk).substr(0, text.size()), text);
  }
}

// The expected letters are found by a plain loop.
TEST(Chunk, HasTheLettersAfterASpaceOrNone) {
  test::Random random(2);
  constexpr std::string_view kAfterLetters = "abXYZz  09.'@[`{\n\0\x7F\x80\xC3\xE4";
  for (size_t count = 0; count < 200'000; ++count) {
    std::string text;
    if (random.below(2) == 0) text += ' ';
    for (size_t letters = random.below(Chunk::kLongest + 3); letters > 0; --letters) text += "azAZm"[random.below(5)];
    while (text.size() < Chunk::kRoom) text += kAfterLetters[random.below(kAfterLetters.size())];
    size_t end = text[0] == ' ' ? 1 : 0;
    const auto is_letter = [&](size_t i) { return i < text.size() && (text[i] | 32) >= 'a' && (text[i] | 32) <= 'z'; };
    const size_t begin = end;
    while (is_letter(end)) ++end;
    const bool is_known = end > begin && end <= Chunk::kLongest && static_cast<unsigned char>(text[end]) < 0x80;
    const Chunk chunk = Chunk::read_letters(text.data());
    ASSERT_EQ(chunk.length, is_known ? end : 0) << text;
    if (!is_known) continue;
    ASSERT_EQ(bytes_of(chunk), text.substr(0, end) + std::string(Chunk::kLongest - end, '\0'));
  }
}

TEST(Chunk, IsTheFirstBytes) {
  const std::string text = "0123456789abcdefg";
  for (size_t length = 1; length <= Chunk::kLongest; ++length) {
    const Chunk chunk = Chunk::of_first(text.data(), length);
    EXPECT_EQ(chunk.length, length);
    EXPECT_EQ(bytes_of(chunk), text.substr(0, length) + std::string(Chunk::kLongest - length, '\0'));
  }
}

ChunkCache::Tokens token(int32_t id) {
  ChunkCache::Collector collector;
  collector.add(id, 5, true);
  return collector.tokens().value();
}

TEST(ChunkCache, CollectsTokensThatFit) {
  EXPECT_FALSE(ChunkCache::Collector().tokens());
  for (const size_t count : {size_t{1}, ChunkCache::kMostTokens, ChunkCache::kMostTokens + 1}) {
    ChunkCache::Collector collector;
    for (size_t i = 0; i < count; ++i) collector.add(static_cast<int32_t>(i), i + 1, i % 2 == 0);
    const auto tokens = collector.tokens();
    ASSERT_EQ(tokens.has_value(), count <= ChunkCache::kMostTokens);
    for (size_t i = 0; tokens && i < count; ++i) {
      const ChunkCache::Token one = (*tokens)[i];
      EXPECT_EQ(one.id(), static_cast<int32_t>(i));
      EXPECT_EQ(one.end(), i + 1);
      EXPECT_EQ(one.begins_word(), i % 2 == 0);
      EXPECT_EQ(one.is_last(), i + 1 == count);
    }
  }
  ChunkCache::Collector of_mark;  // spaced_word_pass.cc adds a mark so
  of_mark.add(3, 0, true);
  of_mark.add(4, Chunk::kLongest, false);
  const ChunkCache::Tokens marked = of_mark.tokens().value();
  EXPECT_EQ(marked[0].end(), 0u);
  EXPECT_EQ(marked[1].end(), Chunk::kLongest);
  ChunkCache::Collector collector;
  collector.add(ChunkCache::kIdEnd, 1, true);
  EXPECT_FALSE(collector.tokens()) << "an id that needs more bits";
}

TEST(Chunk, IsMadeOfAWord) {
  EXPECT_EQ(bytes_of(Chunk::of("\xC4\xA0the")), "\xC4\xA0the" + std::string(11, '\0'));
  EXPECT_EQ(bytes_of(Chunk::of("0123456789abcdef")), "0123456789abcdef");
}

TEST(ChunkCache, KeepsTokensOfEachOwner) {
  ChunkCache& cache = *ChunkCache::of_this_thread();
  const uint32_t owner = ChunkCache::new_owner(), other = ChunkCache::new_owner();
  const Chunk chunk = chunk_of("hello");
  EXPECT_EQ(cache.find(chunk, owner), nullptr);
  cache.keep(chunk, owner, token(ChunkCache::kIdEnd - 1));
  cache.keep(chunk, other, token(7));
  const ChunkCache::Token kept = (*cache.find(chunk, owner))[0];
  EXPECT_EQ(kept.id(), ChunkCache::kIdEnd - 1);
  EXPECT_EQ(kept.end(), 5u);
  EXPECT_TRUE(kept.begins_word() && kept.is_last());
  EXPECT_EQ((*cache.find(chunk, other))[0].id(), 7);
  EXPECT_EQ(cache.find(chunk_of("hell"), owner), nullptr);
  std::thread([&] { EXPECT_EQ(ChunkCache::of_this_thread()->find(chunk, owner), nullptr); }).join();
}

TEST(ChunkCache, NeverGivesTheTokensOfAnotherChunk) {
  ChunkCache& cache = *ChunkCache::of_this_thread();
  const uint32_t owner = ChunkCache::new_owner();
  size_t found = 0;
  for (int32_t round = 0; round < 2; ++round) {
    for (int32_t i = 0; i < 30'000; ++i) {
      const Chunk chunk = chunk_of("chunk" + std::to_string(i));
      if (const ChunkCache::Tokens* tokens = cache.find(chunk, owner)) {
        ASSERT_EQ((*tokens)[0].id(), i);
        ++found;
      }
      cache.keep(chunk, owner, token(i));
    }
  }
  EXPECT_LT(found, 30'000u) << "it has room for " << ChunkCache::kEntries;
}

}  // namespace
}  // namespace bert
