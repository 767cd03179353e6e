// Tests compressed input. The bytes were made by gzip 1.12 and zstd 1.5.4 of "two\nlines\n".
#include "program/cli/input/decompressor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bert::cli {
namespace {

using namespace std::string_literals;

const std::string kText = "two\nlines\n";
const std::string kGzipped =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\x29\xcf\xe7\xca\xc9\xcc\x4b\x2d\xe6\x02\x00\x1c\x9e\x67"
    "\xbf\x0a\x00\x00\x00"s;
const std::string kZstd =
    "\x28\xb5\x2f\xfd\x04\x58\x51\x00\x00\x74\x77\x6f\x0a\x6c\x69\x6e\x65\x73\x0a\x7f\xd0\x1e\x70"s;

// Returns `data` decompressed from pieces of `step` bytes into buffers of `room` bytes.
std::string decompressed(Compression compression, const std::string& data, size_t step, size_t room, bool* at_end) {
  const auto decompressor = Decompressor::of(compression);
  std::string text;
  for (size_t i = 0; i < data.size(); i += step) {
    std::span<const char> from = std::span<const char>(data).subspan(i, std::min(step, data.size() - i));
    size_t count;
    do {
      std::vector<char> buffer(room);
      count = decompressor->decompress(from, buffer);
      text.append(buffer.data(), count);
    } while (count == room || !from.empty());
  }
  *at_end = decompressor->is_at_end();
  return text;
}

struct Case {
  Compression compression;
  std::string data;
};
const Case kCases[] = {{Compression::kGzip, kGzipped}, {Compression::kZstd, kZstd}};

TEST(Decompressor, IsChosenByTheFirstBytes) {
  for (const Case& one : kCases) {
    EXPECT_EQ(compression_of(one.data), one.compression);
    EXPECT_EQ(compression_of(one.data.substr(0, 2)), std::nullopt);
  }
  EXPECT_EQ(compression_of(""), std::nullopt);
  EXPECT_EQ(compression_of("("), std::nullopt);
  EXPECT_EQ(compression_of("(abc"), Compression::kNone);
  EXPECT_EQ(compression_of("\x1f\x8b\x07"), Compression::kNone);
  EXPECT_EQ(compression_of("text"), Compression::kNone);
}

TEST(Decompressor, GivesTheTextInPiecesOfAnySize) {
  for (const Case& one : kCases) {
    for (const size_t step : {size_t{1}, size_t{3}, one.data.size()}) {
      for (const size_t room : {1, 4, 100}) {
        bool at_end = false;
        EXPECT_EQ(decompressed(one.compression, one.data, step, room, &at_end), kText);
        EXPECT_TRUE(at_end);
      }
    }
  }
}

TEST(Decompressor, TakesSeveralMembersOneAfterTheOther) {
  for (const Case& one : kCases) {
    bool at_end = false;
    EXPECT_EQ(decompressed(one.compression, one.data + one.data, 7, 5, &at_end), kText + kText);
    EXPECT_TRUE(at_end);
  }
}

TEST(Decompressor, SaysThatDataIsTruncated) {
  for (const Case& one : kCases) {
    for (size_t bytes = 4; bytes < one.data.size(); ++bytes) {
      bool at_end = true;
      decompressed(one.compression, one.data.substr(0, bytes), 100, 100, &at_end);
      EXPECT_FALSE(at_end) << bytes;
    }
  }
}

TEST(Decompressor, SaysWhatIsWrongWithTheData) {
  for (const Case& one : kCases) {
    std::string wrong = one.data;
    wrong[one.data.size() - (one.compression == Compression::kGzip ? 6 : 2)] ^= 1;  // a byte of the checksum
    bool at_end = false;
    EXPECT_THROW(decompressed(one.compression, wrong, 100, 100, &at_end), CompressionError);
    EXPECT_THROW(decompressed(one.compression, one.data + "not compressed", 100, 100, &at_end), CompressionError);
  }
}

}  // namespace
}  // namespace bert::cli
