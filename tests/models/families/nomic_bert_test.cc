#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "bert/error.h"
#include "bert/quantize.h"
#include "models/config/config.h"
#include "tests/models/families/expert_model.h"
#include "tests/models/family_check.h"
#include "tests/support/compare.h"
#include "tests/support/random.h"

namespace bert {
namespace {

BERT_FAMILY_TESTS(NomicBertFamily, "nomic-bert")

// The reference library's own class writes the newer names; the authors' code writes the older ones.
TEST(NomicBertFamily, ReadsTheNewerNames) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/nomic-bert");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    files.split("attn.Wqkv", {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"});
    files.rename("encoder.layers.", "layers.");
    files.rename("attn.out_proj", "self_attn.o_proj");
    files.rename("emb_ln", "embeddings.LayerNorm");
    files.rename("fc11", "up_proj");
    files.rename("fc12", "gate_proj");
    files.rename("fc2", "down_proj");
    files.rename("norm1", "post_attention_layernorm");
    files.rename("norm2", "post_mlp_layernorm");
  });
}

nlohmann::json older_config() { return test::older_nomic_config(); }

TEST(NomicBertFamily, ReadsTheConfigurationOfTheAuthors) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/nomic-bert");
  test::check_same_model(folder, [](test::FamilyFiles& files) { files.config = older_config(); });
}

TEST(NomicBertFamily, RefusesWhatItDoesNotHave) {
  for (const auto& [field, value] : {std::pair<std::string, nlohmann::json>{"activation_function", "relu"},
                                     {"qkv_proj_bias", true},
                                     {"rotary_emb_interleaved", true},
                                     {"rotary_emb_fraction", 0.5},
                                     {"prenorm", true},
                                     {"num_experts", 8}}) {
    nlohmann::json config = older_config();
    config["moe_every_n_layers"] = 2;
    config[field] = value;
    EXPECT_THROW(parse_config(config.dump(), "config.json"), Error) << field;
  }
}

TEST(NomicBertFamily, ReadsThatThetaGrowsWithTheLength) {
  nlohmann::json config = older_config();
  config["rotary_scaling_factor"] = 2;
  config["max_trained_positions"] = 64;
  const RotaryConfig rotary = parse_config(config.dump(), "config.json").rotary;
  EXPECT_EQ(rotary.scaling, RotaryScaling::kDynamic);
  EXPECT_EQ(rotary.factor, 2);
  EXPECT_EQ(rotary.trained_length, 64u);
  EXPECT_EQ(rotary.theta, 1000);
}

// If theta grows with the length, the reference divides by the head size minus 2. An odd head size has no pairs.
TEST(NomicBertFamily, RefusesHeadsThatCannotBeRotated) {
  const auto refusal = [](nlohmann::json config, int hidden) {
    config["n_embd"] = hidden;
    config["n_head"] = 2;
    try {
      parse_config(config.dump(), "config.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  nlohmann::json config = older_config();
  EXPECT_EQ(refusal(config, 4), "");
  EXPECT_EQ(refusal(config, 6),
            "'config.json': n_embd 6 is not supported, expected 2 (n_head) times an even number: the heads have "
            "rotary positions");
  config["rotary_scaling_factor"] = 2;
  EXPECT_EQ(refusal(config, 8), "");
  EXPECT_EQ(refusal(config, 4),
            "'config.json': n_embd 4 is not supported, expected 2 (n_head) times an even number of at least 4: the "
            "heads have rotary positions");
}

std::vector<int32_t> some_ids(size_t count, uint64_t seed) {
  return test::seeded_ids(count, seed, test::ExpertModel::kVocab);
}

// Tests 16 models of odd sizes. A model is left out if float32 rounding may change a token's choice of experts.
TEST(NomicBertFamily, HasExpertsWithinTwiceTheErrorOfFloat32) {
  size_t close = 0;
  double worst = 0;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    const size_t heads = 1 + seed % 3;
    const test::ExpertModel exact(seed, heads * 2 * (3 + seed % 5), heads, 11 + 3 * seed, 3 + seed % 7);
    const test::TemporaryDirectory directory;
    exact.write(directory);
    const Model model = Model::load(directory.path().string(), {.threads = 2});
    const std::vector<int32_t> ids = some_ids(1 + 2 * seed, seed);
    std::vector<double> margin, margin32;
    const std::vector<double> expected = exact.forward<double>(ids, margin);
    const std::vector<float> plain = exact.forward<float>(ids, margin32);
    if (*std::min_element(margin.begin(), margin.end()) < 1e-5) {
      ++close;
      continue;
    }
    const TokenSequence sequence{ids};
    const std::vector<float> found = model.encode({&sequence, 1})[0].last_hidden_state;
    SCOPED_TRACE(seed);
    worst = std::max(worst, test::error_by_that_of_plain_loops(found, plain, expected));
  }
  EXPECT_LE(close, 2u);
  std::cout << "largest error by that of plain float32 loops: " << worst << ", models with a close choice: " << close
            << "\n";
}

TEST(NomicBertFamily, GivesTokensOfExpertsTheSameBitsInAnyBatchAlsoOf8Bits) {
  const test::ExpertModel exact(5, 36, 3, 29, 8);
  const test::TemporaryDirectory directory, small;
  exact.write(directory);
  std::vector<std::vector<int32_t>> ids;
  for (size_t i = 0; i < 9; ++i) ids.push_back(some_ids(1 + 5 * i, i));
  std::vector<double> margin;
  const std::vector<double> expected = exact.forward<double>(ids[4], margin);
  quantize(directory.path().string(), small.path() / "int8", SmallWeights::kInt8);
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    std::vector<float> first;
    for (const size_t threads : {1, 3}) {
      const Model model = Model::load(directory.path().string(), {.threads = threads, .precision = precision});
      std::vector<TokenSequence> all;
      for (const auto& one : ids) all.push_back({one});
      const std::vector<EncodedSequence> together = model.encode(all);
      for (size_t i = 0; i < ids.size(); ++i) {
        EXPECT_TRUE(test::same_bits(model.encode({&all[i], 1})[0].last_hidden_state, together[i].last_hidden_state));
      }
      if (first.empty()) first = together[4].last_hidden_state;
      EXPECT_TRUE(test::same_bits(together[4].last_hidden_state, first));
    }
    if (precision == Precision::kFloat32) continue;
    // The directory that quantize writes equals the model loaded in 8 bits.
    const Model written = Model::load((small.path() / "int8").string(), {.threads = 1});
    const TokenSequence sequence{ids[4]};
    EXPECT_TRUE(test::same_bits(written.encode({&sequence, 1})[0].last_hidden_state, first));
    double dot = 0, a = 0, b = 0;
    for (size_t i = 0; i < first.size(); ++i) {
      dot += static_cast<double>(first[i]) * expected[i];
      a += static_cast<double>(first[i]) * static_cast<double>(first[i]);
      b += expected[i] * expected[i];
    }
    EXPECT_GT(dot / std::sqrt(a * b), 0.99);
  }
}

// Each token uses 2 of 8 experts.
TEST(NomicBertFamily, CountsTheExpertsThatATokenUses) {
  const test::TemporaryDirectory directory;
  test::ExpertModel(5, 36, 3, 29, 8).write(directory);
  const Model model = Model::load(directory.path().string());
  const size_t lengths[] = {1};
  const double attention = 4 * 36 * 36 * 2 + 4 * 36, plain = 2 * 2 * 36 * 29, experts = 2 * 8 * 36 + 2 * plain;
  EXPECT_EQ(model.cost(lengths).flops, 4 * attention + 2 * plain + 2 * experts);
}

}  // namespace
}  // namespace bert
