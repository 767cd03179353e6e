// Tests vectors from .npy files: the types of numbers, and files that do not hold a matrix of them.
#include <gtest/gtest.h>

#include <string>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

// Returns an npy file of version 1.0.
std::string npy(const std::string& header, const std::string& data) {
  const std::string line = header + "\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(line.size() % 256);
  file += static_cast<char>(line.size() / 256);
  return file + line + data;
}

std::string header_of(const std::string& type, const std::string& shape = "(3, 2)") {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

ProgramResult dedup(const std::string& file) {
  const TemporaryDirectory folder;
  return run_program({"dedup", "--groups", "--format", "csv", "--vectors", write_file(folder, "v.npy", file)});
}

// The expected output for the vectors (3, 4), (-4, 3) and (6, 8).
constexpr const char* kGroups = "index,id,kept,cosine\n0,,0,\n1,,1,\n2,,0,1\n";

TEST(NpyFile, HasNumbersOfThreeTypes) {
  EXPECT_EQ(dedup(npy(header_of("<f4"), bytes_of<float>({3, 4, -4, 3, 6, 8}))).out, kGroups);
  EXPECT_EQ(dedup(npy(header_of("<f8"), bytes_of<double>({3, 4, -4, 3, 6, 8}))).out, kGroups);
  EXPECT_EQ(dedup(npy(header_of("<f2"), bytes_of<uint16_t>({0x4200, 0x4400, 0xC400, 0x4200, 0x4600, 0x4800}))).out,
            kGroups);
  EXPECT_EQ(dedup(npy(header_of("<f2", "(2, 2)"), bytes_of<uint16_t>({1, 2, 0x7C00, 0}))).status, 1) << "infinity";
}

// numpy reads a header as a dictionary of Python.
TEST(NpyFile, HasItsHeaderInAnyFormOfADictionary) {
  const std::string numbers = bytes_of<float>({3, 4, -4, 3, 6, 8});
  for (const char* header : {R"({"shape":(3,2),"fortran_order":False,"descr":"<f4"})",
                             "{ 'fortran_order' :  False , 'descr' : '<f4' , 'shape' : ( 3 , 2 ) }",
                             "{'shape': (3, 2), 'descr': '<f4', 'fortran_order':False}",
                             "{'descr':\n'<f4',\t'shape':(3, 2,), 'fortran_order': False,}"}) {
    EXPECT_EQ(dedup(npy(header, numbers)).out, kGroups) << header;
  }
}

TEST(NpyFile, IsRefusedWithTheReason) {
  const std::string numbers = bytes_of<float>({3, 4, -4, 3, 6, 8});
  const auto expect = [&](const std::string& file, const std::string& says) {
    const ProgramResult result = dedup(file);
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
    EXPECT_NE(result.err.find("v.npy': " + says), std::string::npos) << result.err;
  };
  expect("text", "no .npy file of version 1 to 3");
  expect(npy(header_of("<i4"), numbers), "numbers of the type '<i4', expected float32, float16 or float64");
  expect(npy(header_of("<f4", "(6,)"), numbers), "the shape (6,), expected (rows, numbers of a vector)");
  expect(npy(header_of("<f4", "(3, 0)"), ""), "the shape (3, 0)");
  expect(npy(header_of("<f4", "(99999999999999999999, 2)"), ""), "the shape");
  expect(npy(header_of("<f4", "(3, 4)"), numbers), "24 bytes of numbers, expected 3 × 4 of 4");
  expect(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", numbers), "columns first");
  expect(npy("{'descr': '<f4'}", numbers), "a header without 'fortran_order'");
  expect(npy("{'descr': '<f4'", numbers), "a header that is no dictionary");
  expect(npy("{descr: '<f4'}", numbers), "a header that is no dictionary");
  expect(npy("['descr']", numbers), "a header that is no dictionary");
  expect(npy(header_of("<f4"), numbers).substr(0, 30), "it ends within its header");
  EXPECT_NE(run_program({"dedup", "--vectors", "no/such.npy"}).err.find("cannot open 'no/such.npy'"),
            std::string::npos);
}

}  // namespace
}  // namespace bert::test
