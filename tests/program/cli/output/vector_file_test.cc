// Compares files of vectors byte by byte: safetensors with the format's description, float16 with IEEE 754, and signs
// with numpy's packed bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

template <class Number>
std::vector<Number> numbers_from(const std::string& bytes, size_t begin) {
  std::vector<Number> numbers((bytes.size() - begin) / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data() + begin, numbers.size() * sizeof(Number));
  return numbers;
}

std::string embed_as(const std::string& format, const std::string& type, const std::vector<std::string>& texts) {
  std::vector<std::string> arguments = {"embed", "--format", format, "--output-type", type};
  arguments.insert(arguments.end(), texts.begin(), texts.end());
  return run_program(arguments).out;
}

// Returns the value of a float16, which has a sign, 5 bits of exponent and 10 of fraction.
double float16_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

TEST(VectorFile, IsOneTensorOfSafetensors) {
  const std::string bytes = embed_as("safetensors", "float32", {"a dog", "the cat"});
  uint64_t header_bytes = 0;
  ASSERT_GE(bytes.size(), 8u);
  std::memcpy(&header_bytes, bytes.data(), sizeof(header_bytes));
  ASSERT_GE(bytes.size(), 8 + header_bytes);
  EXPECT_EQ((8 + header_bytes) % 8, 0u);
  const nlohmann::json header = nlohmann::json::parse(bytes.substr(8, header_bytes));
  ASSERT_EQ(header.size(), 1u);
  const nlohmann::json& tensor = header["embeddings"];
  EXPECT_EQ(tensor["dtype"], "F32");
  EXPECT_EQ(tensor["shape"], (std::vector<size_t>{2, 160}));
  EXPECT_EQ(tensor["data_offsets"], (std::vector<size_t>{0, 2 * 160 * 4}));
  EXPECT_EQ(bytes.substr(8 + header_bytes), embed_as("npy", "float32", {"a dog", "the cat"}).substr(128));
}

TEST(VectorFile, HasTheNearestFloat16OfEachNumber) {
  const std::vector<std::string> texts = {"a dog", "the cat", "a house"};
  const std::vector<float> floats = numbers_from<float>(embed_as("npy", "float32", texts), 128);
  const std::string bytes = embed_as("npy", "float16", texts);
  EXPECT_NE(bytes.find("'descr': '<f2'"), std::string::npos);
  const std::vector<uint16_t> halves = numbers_from<uint16_t>(bytes, 128);
  ASSERT_EQ(halves.size(), floats.size());
  for (size_t i = 0; i < halves.size(); ++i) {
    const double error = std::abs(float16_value(halves[i]) - static_cast<double>(floats[i]));
    for (const int step : {-1, 1}) {
      const double other = float16_value(static_cast<uint16_t>(halves[i] + step));
      EXPECT_LE(error, std::abs(other - static_cast<double>(floats[i]))) << "number " << i << ": " << floats[i];
    }
  }
  const std::string safetensors = embed_as("safetensors", "float16", texts);
  EXPECT_NE(safetensors.find(R"("dtype":"F16")"), std::string::npos);
  EXPECT_EQ(safetensors.substr(256), bytes.substr(128));
}

// Expects the bytes of numpy.packbits: the highest bit of each byte is the first of its eight dimensions.
TEST(VectorFile, HasTheSignsOfEachVector) {
  const std::vector<std::string> texts = {"a dog", "the cat", "a house"};
  const std::vector<float> floats = numbers_from<float>(embed_as("npy", "float32", texts), 128);
  std::string expected;
  for (size_t i = 0; i < floats.size(); i += 8) {
    unsigned byte = 0;
    for (size_t bit = 0; bit < 8; ++bit) byte = 2 * byte + (floats[i + bit] > 0 ? 1 : 0);
    expected += static_cast<char>(byte);
  }
  const std::string unsigned_bytes = embed_as("npy", "ubinary", texts);
  EXPECT_NE(unsigned_bytes.find("'descr': '|u1', 'fortran_order': False, 'shape': (3, 20)"), std::string::npos);
  EXPECT_EQ(unsigned_bytes.substr(128), expected);
  for (char& byte : expected) byte = static_cast<char>(byte ^ 0x80);  // subtracts 128
  const std::string signed_bytes = embed_as("npy", "binary", texts);
  EXPECT_NE(signed_bytes.find("'descr': '|i1'"), std::string::npos);
  EXPECT_EQ(signed_bytes.substr(128), expected);
  const std::string safetensors = embed_as("safetensors", "binary", texts);
  EXPECT_NE(safetensors.find(R"("dtype":"I8","shape":[3,20],"data_offsets":[0,60])"), std::string::npos);
  EXPECT_EQ(safetensors.substr(256), expected);
}

}  // namespace
}  // namespace bert::test
