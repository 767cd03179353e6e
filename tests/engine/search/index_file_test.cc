#include "engine/search/index_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "tests/support/expect_error.h"

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
  return test::error_of(ErrorCode::kInvalidFile, [&] { parse_index({bytes.data(), file.size()}, "'x'"); });
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
  EXPECT_EQ(error_of_file(file.substr(0, file.size() - 40)), "'x': the index is incomplete");
}

TEST(IndexFile, IsRejectedWhenDamaged) {
  const std::string file = index_file(ScanRows::kBinary);
  std::string other = file;
  other[0] = 'x';
  EXPECT_EQ(error_of_file(other), "'x': not an index of vectors: it does not begin with BERTVIDX");
  other = file;
  other[8] = 2;
  EXPECT_EQ(error_of_file(other), "'x': an index of version 2, expected 1");
  other = file;
  other[12] = 3;  // the form of the rows
  EXPECT_EQ(error_of_file(other), "'x': the index is damaged: its head or its tail has an impossible value");
  other = file;
  other[file.size() - 40 + 7] = '\x7f';  // the number of rows
  EXPECT_NE(error_of_file(other).find("bytes do not fit its"), std::string::npos);
  EXPECT_EQ(error_of_file("text"), "'x': not an index of vectors: it is too short");
}

}  // namespace
}  // namespace bert
