// Finds real vocabularies, checkpoints and the reference's outputs in the folder that BERT_TEST_DATA names, by default
// ../shared/data beside the source tree. A test is skipped, with a message, if it needs a file that does not exist.
#pragma once

#include <filesystem>
#include <string>

namespace bert::test {

// Returns the path of `name` below the data folder; empty if the folder or the file does not exist.
std::filesystem::path find_test_data(const std::string& name);

// Returns the directory of the real all-MiniLM-L6-v2, or an empty path if it does not exist: BERT_TEST_MINILM, by
// default build/test-data/all-MiniLM-L6-v2, which tools/test.sh makes.
std::filesystem::path find_minilm();

// Returns the whole file as bytes. Throws std::runtime_error if the file cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace bert::test

// Skips the test, with a message, unless the data exists; otherwise `variable` holds its path.
#define BERT_TEST_DATA_OR_SKIP(variable, name)                               \
  const std::filesystem::path variable = ::bert::test::find_test_data(name); \
  if (variable.empty()) GTEST_SKIP() << "SKIPPED, no test data: " << (name) << " (set BERT_TEST_DATA)"

#define BERT_MINILM_OR_SKIP(variable)                                 \
  const std::filesystem::path variable = ::bert::test::find_minilm(); \
  if (variable.empty()) GTEST_SKIP() << "SKIPPED, no all-MiniLM-L6-v2 (set BERT_TEST_MINILM, or run tools/test.sh)"
