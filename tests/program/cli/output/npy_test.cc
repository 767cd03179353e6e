// Compares .npy files, byte by byte, with what numpy/lib/format.py of numpy 1.26 writes and reads as version 1.0.
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

float float_at(const std::string& bytes, size_t position) {
  float value;
  std::memcpy(&value, bytes.data() + position, sizeof(value));
  return value;
}

TEST(Npy, IsOneArrayOfFloat32Rows) {
  const std::string bytes = run_program({"embed", "--format", "npy", "a dog", "the cat"}).out;
  const std::vector<std::string> lines = lines_of(run_program({"embed", "a dog", "the cat"}).out);
  const size_t columns = run_program({"inspect", "--format", "json"}).json()["config"]["hidden_size"];
  ASSERT_GE(bytes.size(), 128u);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]), 118);
  const std::string header = bytes.substr(10, 118);
  const std::string dictionary =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, " + std::to_string(columns) + "), }";
  EXPECT_EQ(header.substr(0, dictionary.size()), dictionary);
  EXPECT_EQ(header.find_first_not_of(' ', dictionary.size()), 117u);
  EXPECT_EQ(header.back(), '\n');
  ASSERT_EQ(bytes.size(), 128 + 2 * columns * sizeof(float));
  EXPECT_EQ(float_at(bytes, 128), std::stof(lines[0]));
  EXPECT_EQ(float_at(bytes, 128 + columns * sizeof(float)), std::stof(lines[1]));
}

TEST(Npy, IsTheSameInAFile) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "vectors.npy").string();
  EXPECT_EQ(run_program({"embed", "--format", "npy", "--output", path, "a dog", "b"}).status, 0);
  EXPECT_EQ(read_file(path), run_program({"embed", "--format", "npy", "a dog", "b"}).out);
}

TEST(Npy, HasARowOfNanForATextThatFails) {
  const ProgramResult result = run_program({"embed", "--format", "npy", "\xff", "a"});
  EXPECT_EQ(result.status, 1);
  const size_t columns = (result.out.size() - 128) / 8;
  for (size_t c = 0; c < columns; ++c) {
    EXPECT_TRUE(std::isnan(float_at(result.out, 128 + 4 * c)));
    EXPECT_FALSE(std::isnan(float_at(result.out, 128 + 4 * (columns + c))));
  }
}

TEST(Npy, MayHaveNoRows) {
  const ProgramResult result = run_program({"embed", "--format", "npy", "--input", "/dev/null"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.size(), 128u);
  EXPECT_NE(result.out.find("'shape': (0, "), std::string::npos);
}

}  // namespace
}  // namespace bert::test
