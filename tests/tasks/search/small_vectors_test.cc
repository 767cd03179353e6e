#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "bert/vectors.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

constexpr size_t kReferenceSize = 11;

// Returns numbers that float32 represents exactly. Dimension 5 has an empty range.
std::vector<float> reference_vectors() {
  std::vector<float> vectors;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 11; ++column) {
      vectors.push_back(static_cast<float>((37 * row + 11 * column) % 29 - 14) / 8);
    }
    vectors[vectors.size() - 6] = 0.25f;
  }
  vectors[2 * kReferenceSize + 3] = 0;
  return vectors;
}

VectorRanges reference_ranges() {
  VectorRanges ranges;
  for (int column = 0; column < 11; ++column) {
    ranges.least.push_back(column == 5 ? 0.25f : static_cast<float>(column % 3 - 4) / 2);
    ranges.greatest.push_back(column == 5 ? 0.25f : static_cast<float>(column % 4 + 1) / 2);
  }
  return ranges;
}

// Returns the bytes as int, so that gtest's messages show numbers.
std::vector<int> quantized(VectorPrecision precision, const VectorRanges& ranges, bool is_signed) {
  const std::vector<float> vectors = reference_vectors();
  std::vector<uint8_t> bytes(4 * vector_bytes(precision, kReferenceSize));
  quantize_vectors(vectors, kReferenceSize, precision, ranges, bytes);
  std::vector<int> values;
  for (const uint8_t byte : bytes) values.push_back(is_signed ? static_cast<int8_t>(byte) : byte);
  return values;
}

// The expected values are those of quantize_embeddings in sentence-transformers 6.2.0 for these vectors and ranges.
TEST(SmallVectors, HaveTheBytesOfSentenceTransformersInt8) {
  EXPECT_EQ(quantized(VectorPrecision::kInt8, reference_ranges(), true),
            (std::vector<int>{-103, -14,  76,  -81, 79,  -128, -37,  26,  -128, 20,  95,  -1,   88,   -128, -17,
                              127,  -128, 35,  99,  -65, 105,  -128, 101, 127,  -90, -1,  -128, -128, 108,  -92,
                              105,  127,  -43, 127, -77, 12,   111,  -1,  -128, -83, -19, 127,  -33,  42}));
}

TEST(SmallVectors, HaveTheBytesOfSentenceTransformersUint8) {
  EXPECT_EQ(quantized(VectorPrecision::kUint8, reference_ranges(), false),
            (std::vector<int>{25,  114, 204, 47,  207, 0,   91,  154, 0,   148, 223, 127, 216, 0,   111,
                              255, 0,   163, 227, 63,  233, 0,   229, 255, 38,  127, 0,   0,   236, 36,
                              233, 255, 85,  255, 51,  140, 239, 127, 0,   45,  109, 255, 95,  170}));
}

TEST(SmallVectors, HaveTheBytesOfSentenceTransformersWithTheRangesOfTheVectors) {
  VectorRanges ranges;
  include_in_ranges(ranges, reference_vectors(), kReferenceSize);
  EXPECT_EQ(quantized(VectorPrecision::kUint8, ranges, false),
            (std::vector<int>{0,   60,  254, 0,   157, 0,   60,  157, 0,   60, 254, 85,  157, 0,   85,
                              254, 0,   157, 254, 85,  157, 0,   170, 254, 97, 106, 0,   0,   254, 0,
                              170, 254, 97,  255, 0,   194, 255, 97,  0,   0,  97,  255, 0,   194}));
}

TEST(SmallVectors, HaveTheBitsOfSentenceTransformers) {
  EXPECT_EQ(quantized(VectorPrecision::kBinary, {}, true), (std::vector<int>{-83, -96, -49, -64, 70, 64, 52, 32}));
  EXPECT_EQ(quantized(VectorPrecision::kUbinary, {}, false), (std::vector<int>{45, 32, 79, 64, 198, 192, 180, 160}));
}

TEST(SmallVectors, RangesLeaveOutAVectorWithANan) {
  VectorRanges ranges;
  include_in_ranges(ranges, std::vector<float>{1, 2, std::numeric_limits<float>::quiet_NaN(), 9, 0, 3}, 2);
  EXPECT_EQ(ranges.least, (std::vector<float>{0, 2}));
  EXPECT_EQ(ranges.greatest, (std::vector<float>{1, 3}));
}

TEST(SmallVectors, RejectRangesOfAnotherSize) {
  std::vector<uint8_t> bytes(2);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             quantize_vectors(std::vector<float>{1, 2}, 2, VectorPrecision::kInt8, {{0}, {1}}, bytes);
                           }),
            "ranges of 1 and 1 dimensions, expected 2");
}

TEST(SmallVectors, ByTheLargestRoundToTheNearestEvenInteger) {
  // The scale is 127 / 127 = 1, so each value is only rounded.
  std::vector<int8_t> values(6);
  EXPECT_EQ(quantize_by_largest(std::vector<float>{-127, 0.5f, 1.5f, -2.5f, 2.75f, 0}, values), 1);
  EXPECT_EQ(values, (std::vector<int8_t>{-127, 0, 2, -2, 3, 0}));
}

TEST(SmallVectors, ByTheLargestOfZerosAreZeros) {
  std::vector<int8_t> values(2, 5);
  EXPECT_EQ(quantize_by_largest(std::vector<float>{0, -0.0f}, values), 0);
  EXPECT_EQ(values, (std::vector<int8_t>{0, 0}));
}

}  // namespace
}  // namespace bert
