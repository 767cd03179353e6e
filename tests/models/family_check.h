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
  int batch = -1;  // the number of the padded batch; -1 if alone
  std::vector<int32_t> ids, type_ids;
  std::vector<uint8_t> mask;
  size_t row_offset = 0, rows = 0, index = 0;
  TokenSequence sequence() const { return {ids, type_ids, mask}; }
};

// One folder's model. The folders have no tokenizer, so it is loaded with a made vocabulary of the right size.
class FamilyModel {
 public:
  explicit FamilyModel(const std::filesystem::path& folder);

  // Loads the model, for golden.json's task if it names one.
  Model load(LoadOptions options = {}) const;
  const std::vector<FamilyCase>& cases() const { return cases_; }
  const nlohmann::json& outputs() const { return json_["outputs"]; }
  NpyArray array(const std::string& output) const;
  // Returns the largest error that an output may have: twice the reference's float32 error of this output. For a model
  // with a head it is at least twice the encoder's largest error, because one pooled output of bert-pretraining and its
  // head's output exceed the former limit.
  double limit(const std::string& output) const;

 private:
  std::filesystem::path folder_;
  nlohmann::json json_;
  TemporaryDirectory directory_;
  std::vector<FamilyCase> cases_;
};

// The name that the reference gives to a head's output, and the head that makes this output in the model.
struct HeadOutput {
  std::string name;
  Head head;
};
std::vector<HeadOutput> head_outputs(const FamilyModel& family, const Model& model);

// Returns "family/x" or "family_modern/x", whichever folder the data has; the first one if it has neither.
std::string family_folder(const std::string& name);

// Returns the folders that the tests of families name. The macro below adds to them before any test runs.
std::set<std::string>& family_folders();
bool add_family_folders(std::initializer_list<const char*> names);

// Returns the model's results for every case; cases of one padded batch are computed in one batch.
std::vector<EncodedSequence> encode_all(const Model& model, const std::vector<FamilyCase>& cases);
std::vector<Logits> logits_all(const Model& model, Head head, const std::vector<FamilyCase>& cases);

// Compares each output of each case with its limit, and prints the largest error divided by its limit.
void check_outputs(const std::filesystem::path& folder, const LoadOptions& options);

// Checks that every case has the same bits alone and in batches, on every instruction set of the CPU, on several
// threads.
void check_same_bits(const std::filesystem::path& folder);

// The float32 tensors of a folder and its config.json, for tests that write them under other names.
struct FamilyFiles {
  std::vector<TestTensor> tensors;
  nlohmann::json config;

  static FamilyFiles read(const std::filesystem::path& folder);
  void write(const TemporaryDirectory& directory) const;
  // Replaces `from` by `to` in every tensor's name.
  void rename(const std::string& from, const std::string& to);
  // Cuts each tensor whose name has `from` into equal parts of rows. In the name of each part, that part's name
  // replaces `from`.
  void split(const std::string& from, const std::vector<std::string>& parts);
};

// Checks that a model with the edited files has the same bits as that of the folder.
void check_same_model(const std::filesystem::path& folder, const std::function<void(FamilyFiles&)>& edit);

}  // namespace bert::test

// Defines tests that run both checks on folders of family/ and family_modern/.
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
