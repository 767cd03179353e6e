// Checks the tiny seeded models of the shared data's family/ and family_modern/. The error against the reference's
// float64 outputs must be at most twice the reference's own in float32, and the bits must be the same in every way a
// model can be run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tests/support/npy.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert::test {

struct FamilyCase {
  std::string id;
  int batch = -1;  // rows of one padded batch share it
  std::vector<int32_t> ids, type_ids;
  std::vector<uint8_t> mask;
  size_t row_offset = 0, rows = 0, index = 0;
  TokenSequence sequence() const { return {ids, type_ids, mask}; }
};

// One folder, beside a vocabulary of the right size: the folders have no tokenizer.
class FamilyModel {
 public:
  explicit FamilyModel(const std::filesystem::path& folder);

  // For the task that golden.json names, if it does.
  Model load(LoadOptions options = {}) const;
  const std::vector<FamilyCase>& cases() const { return cases_; }
  const nlohmann::json& outputs() const { return json_["outputs"]; }
  NpyArray array(const std::string& output) const;
  // Twice the reference's own error: of each output apart where there is no head; else no output's counts for less than
  // the encoder's worst, since one pooled output of bert-pretraining, and what its head makes of it, are past twice
  // their own.
  double limit(const std::string& output) const;

 private:
  std::filesystem::path folder_;
  nlohmann::json json_;
  TemporaryDirectory directory_;
  std::vector<FamilyCase> cases_;
};

// A head's output as the reference names it, with the head that gives it in this model.
struct HeadOutput {
  std::string name;
  Head head;
};
std::vector<HeadOutput> head_outputs(const FamilyModel& family, const Model& model);

// "family/x" or "family_modern/x": where the data has the folder x; the first if it has neither.
std::string family_folder(const std::string& name);

// The folders of both that the tests of families name; the macro below adds to them before any test runs.
std::set<std::string>& family_folders();
bool add_family_folders(std::initializer_list<const char*> names);

// What the model says of every case, padded ones in their batch.
std::vector<EncodedSequence> encode_all(const Model& model, const std::vector<FamilyCase>& cases);
std::vector<Logits> logits_all(const Model& model, Head head, const std::vector<FamilyCase>& cases);

// Each output of each case against its limit; prints the largest error by the limit.
void check_outputs(const std::filesystem::path& folder, const LoadOptions& options);

// Every case alone and in batches, on every instruction set that the CPU has, on several threads.
void check_same_bits(const std::filesystem::path& folder);

// The tensors of a folder (F32) and its config.json, to be written under other names.
struct FamilyFiles {
  std::vector<TestTensor> tensors;
  nlohmann::json config;

  static FamilyFiles read(const std::filesystem::path& folder);
  void write(const TemporaryDirectory& directory) const;
  // In every name.
  void rename(const std::string& from, const std::string& to);
  // The tensors with `from` in their name in equal parts of rows, each with its own name in its place.
  void split(const std::string& from, const std::vector<std::string>& parts);
};

// The edited folder is read as the folder itself is: the same bits.
void check_same_model(const std::filesystem::path& folder, const std::function<void(FamilyFiles&)>& edit);

}  // namespace bert::test

// Both checks of folders of family/ and family_modern/.
#define BERT_FAMILY_TESTS(Suite, ...)                                   \
  const bool Suite##_folders = test::add_family_folders({__VA_ARGS__}); \
  TEST(Suite, IsWithinTwiceTheReferencesErrorInEveryOutput) {           \
    for (const char* name : {__VA_ARGS__}) {                            \
      BERT_TEST_DATA_OR_SKIP(folder, test::family_folder(name));        \
      SCOPED_TRACE(name);                                               \
      test::check_outputs(folder, {.threads = 2});                      \
    }                                                                   \
  }                                                                     \
  TEST(Suite, HasTheSameBitsAloneInBatchesAndOnEveryInstructionSet) {   \
    for (const char* name : {__VA_ARGS__}) {                            \
      BERT_TEST_DATA_OR_SKIP(folder, test::family_folder(name));        \
      SCOPED_TRACE(name);                                               \
      test::check_same_bits(folder);                                    \
    }                                                                   \
  }
