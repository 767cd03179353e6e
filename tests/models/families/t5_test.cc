#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "bert/error.h"
#include "bert/quantize.h"
#include "bert/tokenizer.h"
#include "models/config/config.h"
#include "tests/models/families/same_bits.h"
#include "tests/models/families/t5_model.h"
#include "tests/models/family_check.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/random.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/sentencepiece_writer.h"

namespace bert {
namespace {

std::vector<int32_t> t5_ids(size_t count, uint64_t seed) {
  return test::seeded_ids(count, seed, test::T5Model::kVocab);
}

// Returns odd sizes, with heads wider or narrower than hidden / heads.
test::T5Model::Shape t5_shape(uint64_t seed) {
  return {.hidden = 9 + 5 * seed,
          .heads = 1 + seed % 3,
          .size = 4 + seed % 9,
          .inner = 11 + 3 * seed,
          .gated = seed % 2 == 0};
}

std::vector<float> t5_states(const std::filesystem::path& directory, const std::vector<int32_t>& ids,
                             const LoadOptions& options = {.threads = 1}) {
  const TokenSequence sequence{ids};
  return Model::load(directory.string(), options).encode({&sequence, 1})[0].last_hidden_state;
}

// Half of the 16 models have a gate. The longest text has distances in the last buckets.
TEST(T5Family, IsWithinTwiceTheErrorOfFloat32) {
  double worst = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    const test::T5Model exact(seed, t5_shape(seed));
    const test::TemporaryDirectory directory;
    exact.write(directory);
    const std::vector<int32_t> ids = t5_ids(seed == 16 ? 150 : 1 + 4 * seed, seed);
    const std::vector<double> expected = exact.forward<double>(ids);
    const std::vector<float> plain = exact.forward<float>(ids);
    const std::vector<float> found = t5_states(directory.path(), ids, {.threads = 2});
    SCOPED_TRACE(seed);
    worst = std::max(worst, test::error_by_that_of_plain_loops(found, plain, expected));
  }
  std::cout << "largest error by that of plain float32 loops: " << worst << "\n";
}

// As in peft 0.21.2 with transformers 5.16, an adapter's change of `shared` has no effect, because the encoder reads
// encoder.embed_tokens. A change of encoder.embed_tokens has an effect.
TEST(T5Family, HasAnAdaptersWordsIfTheyAreTheEncodersOwn) {
  const test::T5Model model(4, t5_shape(4));
  const test::TemporaryDirectory directory, adapter;
  model.write(directory);
  const size_t hidden = t5_shape(4).hidden;
  const auto states_with = [&](const std::string& module, float change) {
    std::vector<float> rows(test::T5Model::kVocab, 0);
    rows[7] = change;
    const std::string name = "base_model.model." + module + ".lora_embedding_";
    adapter.write("adapter_model.safetensors",
                  test::image_of({{name + "A", "F32", {1, rows.size()}, test::bytes_of(rows)},
                                  {name + "B", "F32", {hidden, 1}, test::bytes_of(std::vector<float>(hidden, 1))}}));
    adapter.write("adapter_config.json", R"({"peft_type": "LORA", "r": 1, "lora_alpha": 1})");
    return t5_states(directory.path(), {3, 7, 9}, {.threads = 1, .adapter = adapter.path().string()});
  };
  const std::vector<float> base = t5_states(directory.path(), {3, 7, 9});
  EXPECT_EQ(states_with("shared", 1), base);
  EXPECT_EQ(states_with("encoder.embed_tokens", 0), base);
  const std::vector<float> changed = states_with("encoder.embed_tokens", 1);
  std::vector<test::TestTensor> merged = model.tensors();
  const auto words =
      std::find_if(merged.begin(), merged.end(), [](const auto& t) { return t.name == "shared.weight"; });
  auto* row = reinterpret_cast<float*>(words->data.data()) + 7 * hidden;
  for (size_t i = 0; i < hidden; ++i) row[i] += 1;
  const test::TemporaryDirectory other;
  model.write(other);
  other.write("model.safetensors", test::image_of(merged));
  EXPECT_EQ(changed, t5_states(other.path(), {3, 7, 9}));
}

TEST(T5Family, HasTheSameBitsAloneInBatchesAndOnEveryInstructionSet) {
  for (const uint64_t seed : {5, 6}) {
    const test::TemporaryDirectory directory;
    test::T5Model(seed, t5_shape(seed)).write(directory);
    std::vector<std::vector<int32_t>> ids;
    std::vector<TokenSequence> all;
    for (size_t i = 0; i < 5; ++i) ids.push_back(t5_ids(1 + 17 * i, i));
    for (const auto& one : ids) all.push_back({one});
    for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
      test::expect_same_bits_everywhere(directory.path(), all, precision);
    }
  }
}

// The directory that quantize writes equals the model loaded in 8 bits, also in its cost.
TEST(T5Family, IsWrittenWith8Bits) {
  const test::TemporaryDirectory directory, small;
  test::T5Model(6, t5_shape(6)).write(directory);
  quantize(directory.path().string(), small.path() / "int8", SmallWeights::kInt8);
  const std::vector<int32_t> ids = t5_ids(12, 3);
  EXPECT_TRUE(test::same_bits(t5_states(small.path() / "int8", ids),
                              t5_states(directory.path(), ids, {.threads = 1, .precision = Precision::kInt8})));
  const size_t hidden = 39, width = 10, inner = 29, lengths[] = {1};
  EXPECT_EQ(Model::load(directory.path().string()).cost(lengths).flops,
            3.0 * 2 * (4 * hidden * width + 2 * width + 3 * hidden * inner));
}

TEST(T5Family, LeavesOutAMaskedTokenWhoseDistancesRemain) {
  const test::T5Model exact(3, t5_shape(3));
  const test::TemporaryDirectory directory;
  exact.write(directory);
  const std::vector<int32_t> ids = t5_ids(20, 1);
  const std::vector<uint8_t> mask = [] {
    std::vector<uint8_t> all(20, 1);
    std::fill(all.begin() + 15, all.end(), uint8_t{0});
    return all;
  }();
  const TokenSequence masked{.ids = ids, .attention_mask = mask};
  const std::vector<int32_t> shorter(ids.begin(), ids.begin() + 15);
  EXPECT_TRUE(
      test::same_bits(Model::load(directory.path().string(), {.threads = 1}).encode({&masked, 1})[0].last_hidden_state,
                      t5_states(directory.path(), shorter)));
}

// Reads the encoder of a T5ForConditionalGeneration, and a file with the embedding's second name.
TEST(T5Family, IsTheEncoderOfAWholeModelAndSaysSo) {
  const test::T5Model exact(4, t5_shape(4));
  const std::vector<int32_t> ids = t5_ids(9, 2);
  const test::TemporaryDirectory plain, whole, other;
  exact.write(plain);
  exact.write(whole);
  exact.write(other);
  std::vector<test::TestTensor> tensors = exact.tensors();
  const std::vector<test::TestTensor> encoder = tensors;
  tensors.push_back(test::floats("decoder.block.0.layer.1.EncDecAttention.q.weight", {2, 3}));
  tensors.push_back(test::floats("lm_head.weight", {4}));
  whole.write("model.safetensors", test::image_of(tensors));
  tensors = encoder;
  for (test::TestTensor& tensor : tensors) {
    if (tensor.name == "shared.weight") tensor.name = "encoder.embed_tokens.weight";
  }
  other.write("model.safetensors", test::image_of(tensors));
  const std::vector<float> expected = t5_states(plain.path(), ids);
  EXPECT_TRUE(test::same_bits(t5_states(whole.path(), ids), expected));
  EXPECT_TRUE(test::same_bits(t5_states(other.path(), ids), expected));
  const std::vector<std::string> notices = Model::load(whole.path().string()).notices();
  const auto says = [](const std::string& notice) {
    return notice.find(
               "2 tensors of other parts than the encoder are not used, 40 bytes; the first: "
               "'decoder.block.0.layer.1.EncDecAttention.q.weight'") != notice.npos;
  };
  EXPECT_EQ(std::count_if(notices.begin(), notices.end(), says), 1);
}

// The expected ids are those of transformers 5.16 for these pieces.
TEST(T5Family, HasExtraTokensAfterThePiecesOfItsFile) {
  const test::TemporaryDirectory directory;
  directory.write("config.json", R"({"model_type": "t5"})");
  directory.write("tokenizer_config.json", R"({"extra_ids": 2})");
  directory.write("spiece.model",
                  test::sentencepiece_bytes(
                      {{"<pad>", 0, 3}, {"</s>", 0, 3}, {"<unk>", 0, 2}, {"\u2581a", -1}, {"b", -2}, {"\u2581", -3}}));
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(tokenizer.vocabulary_size(), 8u);
  EXPECT_EQ(tokenizer.id("<extra_id_0>"), 7);
  EXPECT_EQ(tokenizer.tokenize("a<extra_id_0>b  c ab", "b").ids,
            (std::vector<int32_t>{3, 7, 5, 4, 5, 2, 3, 4, 1, 5, 4, 1}));
}

TEST(T5Family, ReadsTheFieldsOfItsConfiguration) {
  const ModelConfig config = parse_config(R"({"model_type": "t5", "d_kv": 24, "num_heads": 5})", "config.json");
  EXPECT_EQ(config.hidden_size, 512u);
  EXPECT_EQ(config.head_dim(), 24u);
  EXPECT_EQ(config.score_width(), 1u) << "scores are not scaled";
  EXPECT_FALSE(config.gated_feed_forward);
  EXPECT_EQ(config.hidden_act, "relu");
  const ModelConfig multilingual = parse_config(R"({"model_type": "mt5"})", "config.json");
  EXPECT_TRUE(multilingual.gated_feed_forward);
  EXPECT_EQ(multilingual.hidden_act, "gelu_new");
  EXPECT_EQ(multilingual.vocab_size, 250112u);
  const auto refusal = [](const std::string& more) {
    return test::error_of(ErrorCode::kUnsupported,
                          [&] { parse_config(R"({"model_type": "t5")" + more + "}", "config.json"); });
  };
  EXPECT_NE(refusal(R"(, "relative_attention_num_buckets": 64)").find("relative_attention_num_buckets 64"),
            std::string::npos);
  EXPECT_NE(refusal(R"(, "relative_attention_max_distance": 256)").find("expected 128"), std::string::npos);
  EXPECT_NE(refusal(R"(, "feed_forward_proj": "gated-gulu")").find("'gulu' is not supported"), std::string::npos);
}

// As in transformers 5.16, dense_act_fn and is_gated_act follow from feed_forward_proj, unless the file has them.
TEST(T5Family, PrefersTheMeaningOfTheFeedForwardKindToTheKind) {
  const auto config_of = [](const std::string& more) {
    return parse_config(R"({"model_type": "t5")" + more + "}", "config.json");
  };
  ModelConfig config = config_of(R"(, "feed_forward_proj": "gated-gelu", "dense_act_fn": "silu")");
  EXPECT_EQ(config.hidden_act, "silu");
  EXPECT_TRUE(config.gated_feed_forward);
  config = config_of(R"(, "feed_forward_proj": "relu", "is_gated_act": true)");
  EXPECT_EQ(config.hidden_act, "relu");
  EXPECT_TRUE(config.gated_feed_forward);
  config = config_of(R"(, "feed_forward_proj": "gated-gulu", "dense_act_fn": "gelu", "is_gated_act": null)");
  EXPECT_EQ(config.hidden_act, "gelu");
  EXPECT_FALSE(config.gated_feed_forward);
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported, [&] { config_of(R"(, "dense_act_fn": "gulu")"); })
                .find("dense_act_fn 'gulu' is not supported"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
