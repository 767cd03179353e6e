// Checks that models have the output bits in digests.txt on every instruction set of the CPU: hidden states,
// attentions, pooled outputs, embeddings and the outputs of all heads. The models are those of the shared data, the
// built-in one, all-MiniLM-L6-v2, two with T5's layers, and one each with those of the privacy filter, Gemma 2, LFM2
// and Longformer. If a change is meant to alter bits, replace the file's lines by those that the failures print.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/models/families/lfm2_files.h"
#include "tests/models/families/longformer_files.h"
#include "tests/models/families/privacy_model.h"
#include "tests/models/families/t5_model.h"
#include "tests/models/family_check.h"
#include "tests/models/golden.h"
#include "tests/models/own_heads_model.h"
#include "tests/models/reference_model.h"
#include "tests/support/build_tree.h"
#include "tests/support/environment.h"
#include "tests/support/isa.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

// Computes the 64-bit FNV-1a of floats' bits.
class Digest {
 public:
  void add(std::span<const float> values) {
    add(values.size());
    for (const float value : values) add(std::bit_cast<uint32_t>(value));
  }
  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state_));
    return digits;
  }

 private:
  void add(uint64_t number) {
    for (int byte = 0; byte < 8; ++byte, number >>= 8) state_ = (state_ ^ (number & 255)) * 0x100000001b3u;
  }
  uint64_t state_ = 0xcbf29ce484222325u;
};

std::string digest_of(const Model& model, const std::vector<std::vector<TokenSequence>>& batches) {
  Digest digest;
  for (const std::vector<TokenSequence>& batch : batches) {
    for (const EncodedSequence& encoded :
         model.encode(batch, {.hidden_states = true, .attentions = !model.config().short_convolution})) {
      for (const auto* part :
           {&encoded.last_hidden_state, &encoded.pooler_output, &encoded.hidden_states, &encoded.attentions}) {
        digest.add(*part);
      }
    }
    digest.add(model.embed(batch));
    for (const Head head : model.heads()) {
      for (const Logits& logits : model.logits(head, batch)) digest.add(logits.values);
    }
  }
  return digest.text();
}

// Returns the digest of each model. A line of the file is "family/bert-odd-1 0123456789abcdef".
std::map<std::string, std::string> committed_digests() {
  std::ifstream file(test::source_directory() + "/tests/models/digests.txt");
  std::map<std::string, std::string> digests;
  for (std::string name, digest; file >> name >> digest;) digests[name] = digest;
  return digests;
}

void expect_committed(const std::string& name, std::span<const char* const> isas,
                      const std::function<std::string()>& digest) {
  const auto committed = committed_digests();
  const auto found = committed.find(name);
  for (const char* isa : isas) {
    if (!test::cpu_has(isa)) {
      std::cout << "not run, the CPU lacks it: " << isa << "\n";
      continue;
    }
    const test::WithVariable variable("BERT_INFER_ISA", isa);
    const std::string line = name + " " + digest();
    EXPECT_EQ(line, name + " " + (found == committed.end() ? "" : found->second)) << isa;
  }
}

constexpr std::span<const char*const> kAll = test::kKernelIsas, kFast = kAll.subspan(1);
constexpr std::span<const char*const> kAllOfInt8 = test::kProductIsas, kFastOfInt8 = kAllOfInt8.subspan(1);
constexpr std::span<const char*const> kAllOfBFloat16 = test::kBFloat16Isas, kFastOfBFloat16 = kAllOfBFloat16.subspan(1);

// Every fourth model also runs with packed weights and on the portable kernels, which are slow.
TEST(Digests, OfTheFamiliesModels) {
  size_t models = 0;
  for (const auto& [line, committed] : committed_digests()) {
    if (!line.starts_with("family")) continue;
    const bool in_every_way = models++ % 4 == 0;
    BERT_TEST_DATA_OR_SKIP(folder, line);
    const test::FamilyModel family(folder);
    std::vector<std::vector<TokenSequence>> batches(1);
    for (const test::FamilyCase& c : family.cases()) batches[0].push_back(c.sequence());
    for (const Packing packing : {Packing::kNever, Packing::kAlways}) {
      if (packing == Packing::kAlways && !in_every_way) continue;
      SCOPED_TRACE(packing == Packing::kAlways ? "packed" : "stored");
      LoadOptions options{.threads = 2, .gemm = GemmProvider::kNative, .packing = packing};
      expect_committed(line, in_every_way ? kAll : kFast, [&] { return digest_of(family.load(options), batches); });
      options.precision = Precision::kInt8;
      expect_committed("int8/" + line, in_every_way ? kAllOfInt8 : kFastOfInt8,
                       [&] { return digest_of(family.load(options), batches); });
      options.precision = Precision::kBFloat16;
      expect_committed("bfloat16/" + line, in_every_way ? kAllOfBFloat16 : kFastOfBFloat16,
                       [&] { return digest_of(family.load(options), batches); });
    }
  }
  EXPECT_GT(models, 70u);
}

TEST(Digests, OfTheReferenceModels) {
  for (const std::string& name : test::ReferenceModel::families()) {
    const test::ReferenceModel model(name);
    const auto digest = [&](Precision precision) {
      return [&, precision] { return digest_of(model.load({.threads = 2, .precision = precision}), {model.texts()}); };
    };
    expect_committed("reference/" + name, kFast, digest(Precision::kStored));
    expect_committed("int8/reference/" + name, kFastOfInt8, digest(Precision::kInt8));
    expect_committed("bfloat16/reference/" + name, kFastOfBFloat16, digest(Precision::kBFloat16));
  }
}

void check_golden_model(const std::string& name, const std::filesystem::path& golden,
                        const std::filesystem::path& model) {
  const test::Golden inputs = test::read_golden(golden);
  std::vector<std::vector<TokenSequence>> batches;
  for (const test::GoldenCase& c : inputs.cases) {
    if (c.ids.size() <= 64) batches.push_back({c.sequence()});
  }
  LoadOptions options{.threads = 2, .gemm = GemmProvider::kNative};
  expect_committed(name, kFast, [&] { return digest_of(Model::load(model.string(), options), batches); });
  options.precision = Precision::kInt8;
  expect_committed("int8/" + name, kFastOfInt8,
                   [&] { return digest_of(Model::load(model.string(), options), batches); });
  options.precision = Precision::kBFloat16;
  expect_committed("bfloat16/" + name, kFastOfBFloat16,
                   [&] { return digest_of(Model::load(model.string(), options), batches); });
}

TEST(Digests, OfTheTrainedCheckpoints) {
  for (const std::string name : {"bert-tiny-own", "bert-tiny-own-sst2"}) {
    BERT_TEST_DATA_OR_SKIP(golden, "golden/" + name);
    BERT_TEST_DATA_OR_SKIP(model, "checkpoint/" + name);
    check_golden_model("checkpoint/" + name, golden, model);
  }
}

TEST(Digests, OfMiniLm) {
  BERT_TEST_DATA_OR_SKIP(golden, "golden/all-MiniLM-L6-v2");
  BERT_MINILM_OR_SKIP(model);
  check_golden_model("all-MiniLM-L6-v2", golden, model);
}

// Checks the digests of a model for texts of 1, 61 and 121 random ids below `vocabulary`. If there is a `separator`, it
// replaces the id a fourth of the way into each text.
void check_small_model(const std::string& name, const test::TemporaryDirectory& directory, size_t vocabulary,
                       std::optional<int32_t> separator = {}) {
  std::vector<std::vector<int32_t>> ids(3);
  test::Random random(5);
  for (size_t i = 0; i < ids.size(); ++i) {
    while (ids[i].size() < 1 + 60 * i) ids[i].push_back(static_cast<int32_t>(random.below(vocabulary)));
    if (separator) ids[i][ids[i].size() / 4] = *separator;
  }
  std::vector<TokenSequence> batch;
  for (const std::vector<int32_t>& one : ids) batch.push_back({one});
  LoadOptions options{.threads = 2, .gemm = GemmProvider::kNative};
  const auto digest = [&] { return digest_of(Model::load(directory.path().string(), options), {batch}); };
  expect_committed(name, kAll, digest);
  options.precision = Precision::kInt8;
  expect_committed("int8/" + name, kAllOfInt8, digest);
  options.precision = Precision::kBFloat16;
  expect_committed("bfloat16/" + name, kAllOfBFloat16, digest);
}

void check_seeded_model(const std::string& name, const test::PlainEncoder& seeded) {
  static_assert(test::T5Model::kVocab == test::PrivacyModel::kVocab);
  const test::TemporaryDirectory directory;
  seeded.write(directory);
  check_small_model(name, directory, test::T5Model::kVocab);
}

// One model has a gate, the other has none. The last text has distances in the last buckets.
TEST(Digests, OfT5sShape) {
  for (const bool gated : {false, true}) {
    check_seeded_model(gated ? "t5/gated" : "t5/relu",
                       test::T5Model(3, {.hidden = 24, .heads = 3, .size = 10, .inner = 37, .gated = gated}));
  }
}

TEST(Digests, OfThePrivacyFiltersShape) {
  check_seeded_model("privacy-filter", test::PrivacyModel(3, {.hidden = 24,
                                                              .heads = 6,
                                                              .key_heads = 2,
                                                              .size = 10,
                                                              .inner = 37,
                                                              .experts = 9,
                                                              .top_k = 4,
                                                              .window = 20,
                                                              .limit = 0.5}));
}

TEST(Digests, OfGemma2sShape) {
  const test::TemporaryDirectory directory;
  test::OwnHeadsModel(test::OwnHeadsModel::Shape::kGemma2)
      .write(directory, {{"model_type", "gemma2"}, {"sliding_window", 20}, {"attn_logit_softcapping", 2.0}});
  check_small_model("gemma2", directory, test::OwnHeadsModel::kVocab);
}

TEST(Digests, OfLfm2sShape) {
  const test::TemporaryDirectory directory;
  test::write_lfm2(test::OwnHeadsModel(test::OwnHeadsModel::Shape::kLfm2), directory);
  check_small_model("lfm2", directory, test::OwnHeadsModel::kVocab);
}

// The longest text has 30 global tokens. The table of positions is repeated three times to be long enough for it.
TEST(Digests, OfLongformersShape) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/roberta");
  test::FamilyFiles files = test::as_longformer(folder, "LongformerForQuestionAnswering", 20);
  for (test::TestTensor& tensor : files.tensors) {
    if (tensor.name.find("position_embeddings") == std::string::npos) continue;
    tensor.data += tensor.data + tensor.data;
    files.config["max_position_embeddings"] = tensor.shape[0] *= 3;
  }
  const test::TemporaryDirectory directory;
  files.write(directory);
  check_small_model("longformer", directory, files.config["vocab_size"], 2);
}

TEST(Digests, OfTheBuiltInModel) {
  expect_committed("built-in", kAll, [] {
    const Model model = Model::builtin({.threads = 2, .gemm = GemmProvider::kNative});
    const Encoding fox = model.tokenizer().tokenize("The quick brown fox jumps over the lazy dog");
    const Encoding pair = model.tokenizer().tokenize("A man plays a guitar.", "Somebody makes music.");
    return digest_of(model, {{model.sequence(fox), model.sequence(pair)}});
  });
}

}  // namespace
}  // namespace bert
