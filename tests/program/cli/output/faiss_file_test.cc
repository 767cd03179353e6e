// The file that search --faiss writes.
#include <gtest/gtest.h>

#include <cstring>

#include "bert/vectors.h"
#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

// The header's bytes are those that faiss-cpu 1.15.1 writes for an IndexFlatIP of 160 dimensions with 2 vectors.
TEST(FaissFile, IsAFlatIndexOfTheVectors) {
  const TemporaryDirectory folder;
  const std::string corpus = write_file(folder, "lines.txt", "a brown dog\nthe cat\n");
  const std::string path = (folder.path() / "index").string(), faiss = (folder.path() / "faiss").string();
  const ProgramResult result = run_program({"search", "--corpus", corpus, "--index", path, "--faiss", faiss, "dog"});
  ASSERT_EQ(result.status, 0) << result.err;
  const VectorIndex index = VectorIndex::open(path);
  ASSERT_EQ(index.size(), 160u);
  const std::string bytes = read_file(faiss);
  const std::string header(
      "IxFI\xA0\0\0\0\x02\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\x10\0\0\0\0\0\x01\0\0\0\0"
      "\x40\x01\0\0\0\0\0\0",
      45);
  ASSERT_EQ(bytes.size(), header.size() + 2 * 160 * sizeof(float));
  EXPECT_EQ(bytes.substr(0, header.size()), header);
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_EQ(std::memcmp(bytes.data() + header.size() + row * 640, index.row(row).data(), 640), 0) << row;
  }
}

}  // namespace
}  // namespace bert::test
