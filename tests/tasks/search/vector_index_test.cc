#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bert/vectors.h"
#include "tests/support/expect_error.h"
#include "tests/support/random.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

TEST(VectorIndex, OfAFileFindsWhatOneInMemoryFinds) {
  test::Random random(21);
  constexpr size_t kSize = 20;
  std::vector<float> vectors(500 * kSize), queries(3 * kSize);
  for (float& value : vectors) value = random.number();
  for (float& value : queries) value = random.number();
  const test::TemporaryDirectory directory;
  for (const ScanRows scan : {ScanRows::kFloat32, ScanRows::kInt8, ScanRows::kBinary}) {
    SCOPED_TRACE(name(scan));
    std::string bytes;
    VectorIndexWriter writer([&](std::string_view more) { bytes += more; }, kSize, scan, "made by a test");
    for (size_t row = 0; row < 500; ++row) writer.add({vectors.data() + row * kSize, kSize});
    writer.finish();
    const VectorIndex file = VectorIndex::open(directory.write("index", bytes));
    const VectorIndex memory(vectors, kSize, {.scan = scan});
    EXPECT_EQ(file.rows(), 500u);
    EXPECT_EQ(file.size(), kSize);
    EXPECT_EQ(file.scan(), scan);
    EXPECT_EQ(file.label(), "made by a test");
    EXPECT_EQ(file.unusable_rows(), 0u);
    EXPECT_TRUE(file.has_checksums());
    EXPECT_FALSE(memory.has_checksums());
    EXPECT_EQ(file.row(499)[kSize - 1], vectors.back());
    const auto from_file = file.search(queries, {.top = 7});
    const auto from_memory = memory.search(queries, {.top = 7});
    ASSERT_EQ(from_file.size(), 3u);
    for (size_t query = 0; query < 3; ++query) {
      ASSERT_EQ(from_file[query].size(), 7u);
      for (size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(from_file[query][i].row, from_memory[query][i].row);
        EXPECT_EQ(from_file[query][i].score, from_memory[query][i].score);
      }
    }
  }
}

TEST(VectorIndex, WithoutRowsFindsNone) {
  const VectorIndex index(std::vector<float>{}, 4);
  const auto found = index.search(std::vector<float>{1, 0, 0, 0});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].empty());
}

TEST(VectorIndex, FindsTheRowsForOneQuery) {
  const std::vector<float> vectors = {1, 0, 0, 1, 0.6F, 0.8F};
  const VectorIndex index(vectors, 2);
  const std::vector<SearchHit> hits = index.search_one(std::vector<float>{1, 0}, {.top = 2});
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[0].row, 0u);
  EXPECT_EQ(hits[0].score, 1);
  EXPECT_EQ(hits[1].row, 2u);
  EXPECT_EQ(hits[1].score, 0.6F);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { index.search_one(vectors); }),
            "the query has 6 numbers, expected 2, as the index's vectors");
}

TEST(VectorIndex, RejectsAFileThatIsNone) {
  const test::TemporaryDirectory directory;
  const auto path = directory.write("index", std::string(100, 'x'));
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { VectorIndex::open(path); }).find("not an index of vectors"),
            std::string::npos);
  EXPECT_FALSE(is_vector_index(path));
  EXPECT_TRUE(is_vector_index(directory.write("begun", "BERTVIDX")));
  test::error_of(ErrorCode::kNotFound, [&] { VectorIndex::open(directory.path() / "none"); });
}

TEST(VectorIndex, RejectsHalfAVectorAndARowThatIsNot) {
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [] {
                             VectorIndex(std::vector<float>{1, 2, 3}, 2);
                           }),
            "3 numbers, expected whole vectors of 2");
  const VectorIndex index(std::vector<float>{1, 2}, 2);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { index.row(1); }), "row 1 of 1");
}

}  // namespace
}  // namespace bert
