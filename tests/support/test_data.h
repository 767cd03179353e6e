// Where tests find real vocabularies, checkpoints and the reference's outputs: the folder that BERT_TEST_DATA names,
// else ../shared/data beside the source tree. A test that needs a file which is not there skips, aloud.
#pragma once

#include <filesystem>
#include <string>

namespace bert::test {

// The path of `name` below the data folder; empty when the folder or the file is not there.
std::filesystem::path find_test_data(const std::string& name);

// The directory of the real all-MiniLM-L6-v2: BERT_TEST_MINILM, else build/test-data/all-MiniLM-L6-v2, where
// tools/test.sh puts it; empty when it is not there.
std::filesystem::path find_minilm();

// The whole file as bytes; throws std::runtime_error when it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace bert::test

// Skips the test, with a line that can be counted, unless the data is there; else `variable` holds its path.
#define BERT_TEST_DATA_OR_SKIP(variable, name)                               \
  const std::filesystem::path variable = ::bert::test::find_test_data(name); \
  if (variable.empty()) GTEST_SKIP() << "SKIPPED, no test data: " << (name) << " (set BERT_TEST_DATA)"

#define BERT_MINILM_OR_SKIP(variable)                                 \
  const std::filesystem::path variable = ::bert::test::find_minilm(); \
  if (variable.empty()) GTEST_SKIP() << "SKIPPED, no all-MiniLM-L6-v2 (set BERT_TEST_MINILM, or run tools/test.sh)"
