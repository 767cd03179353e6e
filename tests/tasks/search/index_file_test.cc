#include "tasks/search/index_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "tests/support/expect_error.h"
#include "tests/support/random.h"

namespace bert {
namespace {

std::string index_file(ScanRows scan) {
  std::string file;
  VectorIndexWriter writer([&](std::string_view bytes) { file += bytes; }, 3, scan, "a label");
  writer.add(std::vector<float>{1, 2, 2});
  writer.add(std::vector<float>{-4, 0, 3});
  writer.finish();
  return file;
}

std::string error_of_file(const std::string& file) {
  AlignedBuffer<std::byte> bytes(file.size() + 1);
  std::memcpy(bytes.data(), file.data(), file.size());
  return test::error_of(ErrorCode::kInvalidFile, [&] {
    ThreadPool pool(1);
    check_index(parse_index({bytes.data(), file.size()}, "'x'"), "'x'", pool);
  });
}

TEST(IndexFile, IsReadAsWritten) {
  for (const ScanRows scan : {ScanRows::kFloat32, ScanRows::kInt8, ScanRows::kBinary}) {
    SCOPED_TRACE(name(scan));
    const std::string file = index_file(scan);
    AlignedBuffer<std::byte> bytes(file.size());
    std::memcpy(bytes.data(), file.data(), file.size());
    const IndexContent content = parse_index({bytes.data(), file.size()}, "'x'");
    EXPECT_EQ(content.label, "a label");
    EXPECT_EQ(content.rows.rows, 2u);
    EXPECT_EQ(content.rows.size, 3u);
    EXPECT_EQ(content.rows.scan, scan);
    EXPECT_EQ(content.rows.limits.norm, 5);
    EXPECT_EQ(content.rows.floats[2], 2);
    EXPECT_EQ(content.rows.floats[16], -4);
    EXPECT_EQ((reinterpret_cast<const char*>(content.rows.floats) - reinterpret_cast<const char*>(bytes.data())) % 64,
              0);
    if (scan == ScanRows::kInt8) {
      EXPECT_EQ(content.rows.int8_rows[1].sum, -127 + 95);  // 3 / 4 * 127 = 95.25
      EXPECT_EQ(static_cast<int8_t>(content.rows.small[64]), -127);
    }
    if (scan == ScanRows::kBinary) {
      EXPECT_EQ(static_cast<int>(content.rows.small[8]), 4);
    }
  }
}

TEST(IndexFile, IsRejectedWhenCut) {
  const std::string file = index_file(ScanRows::kInt8);
  for (size_t bytes = 0; bytes < file.size(); bytes += 8) {
    EXPECT_NE(error_of_file(file.substr(0, bytes)), "") << bytes << " bytes";
  }
  EXPECT_EQ(error_of_file(file.substr(0, file.size() - 48)), "'x': the index is incomplete");
}

TEST(IndexFile, IsRejectedWhenDamaged) {
  const std::string file = index_file(ScanRows::kBinary);
  std::string other = file;
  other[0] = 'x';
  EXPECT_EQ(error_of_file(other), "'x': not an index of vectors: it does not begin with BERTVIDX");
  other = file;
  other[8] = 3;
  EXPECT_EQ(error_of_file(other), "'x': an index of version 3, expected 1 or 2");
  other = file;
  other[12] = 3;  // this byte is the form of the rows
  EXPECT_EQ(error_of_file(other), "'x': the index is damaged: its head or its tail has an impossible value");
  other = file;
  other[file.size() - 48 + 7] = '\x7f';  // this byte belongs to the number of rows
  EXPECT_NE(error_of_file(other).find("bytes do not fit its"), std::string::npos);
  EXPECT_EQ(error_of_file("text"), "'x': not an index of vectors: it is too short");
}

// The index has several blocks, the last one partial. The file is rejected whichever bit is changed.
TEST(IndexFile, IsRejectedWithAnyBitFlipped) {
  test::Random random(39);
  for (const ScanRows scan : {ScanRows::kFloat32, ScanRows::kInt8, ScanRows::kBinary}) {
    SCOPED_TRACE(name(scan));
    std::string file;
    VectorIndexWriter writer([&](std::string_view bytes) { file += bytes; }, 100, scan, "a label");
    std::vector<float> vector(100);
    for (size_t row = 0; row < 3000; ++row) {
      for (float& value : vector) value = random.number();
      if (row % 1000 == 7) vector[3] = std::numeric_limits<float>::infinity();
      writer.add(vector);
    }
    writer.finish();
    EXPECT_GT(file.size(), kIndexBlock);
    AlignedBuffer<std::byte> bytes(file.size());
    std::memcpy(bytes.data(), file.data(), file.size());
    ThreadPool pool(2);
    const auto check = [&] { check_index(parse_index({bytes.data(), bytes.size()}, "'x'"), "'x'", pool); };
    EXPECT_NO_THROW(check());
    for (int i = 0; i < 1000; ++i) {
      // Half of the changed bits are in the head, or in the tail with the blocks' checksums.
      const size_t near_end = random.below(100);
      const size_t place = i % 4 == 0   ? random.below(64)
                           : i % 4 == 1 ? file.size() - 1 - near_end
                                        : random.below(file.size());
      const auto bit = static_cast<std::byte>(1u << random.below(8));
      bytes.data()[place] ^= bit;
      EXPECT_THROW(check(), Error) << "byte " << place;
      bytes.data()[place] ^= bit;
    }
    EXPECT_NO_THROW(check());
  }
}

// Returns the file in the format's version 1, which has no checksums and a tail of 40 bytes.
std::string version_1(std::string file, size_t blocks) {
  const std::string tail = file.substr(file.size() - 48, 32) + file.substr(file.size() - 8);
  file.resize(file.size() - 48 - blocks * 8);
  file[8] = 1;
  return file + tail;
}

TEST(IndexFile, OfTheFormerVersionIsReadAndItsRowsAreFinite) {
  for (const ScanRows scan : {ScanRows::kFloat32, ScanRows::kInt8, ScanRows::kBinary}) {
    const std::string file = version_1(index_file(scan), 1);
    AlignedBuffer<std::byte> bytes(file.size());
    std::memcpy(bytes.data(), file.data(), file.size());
    const IndexContent content = parse_index({bytes.data(), file.size()}, "'x'");
    ThreadPool pool(1);
    EXPECT_NO_THROW(check_index(content, "'x'", pool));
    EXPECT_TRUE(content.checksums.empty());
    EXPECT_EQ(content.rows.rows, 2u);
    EXPECT_EQ(content.rows.limits.norm, 5);
    EXPECT_EQ(content.rows.floats[16], -4);
    std::string other = file;
    const auto at = static_cast<size_t>(reinterpret_cast<const std::byte*>(content.rows.floats + 17) - bytes.data());
    const float infinity = std::numeric_limits<float>::infinity();
    std::memcpy(other.data() + at, &infinity, sizeof(infinity));
    EXPECT_EQ(error_of_file(other), "'x': the index is damaged: row 1 has a number that is not finite");
  }
  std::string other = version_1(index_file(ScanRows::kFloat32), 1);
  other[other.size() - 32] = 1;  // this byte belongs to the number of unusable rows
  EXPECT_EQ(error_of_file(other), "'x': the index is damaged: it has 0 rows of NaN, expected 1");
}

}  // namespace
}  // namespace bert
