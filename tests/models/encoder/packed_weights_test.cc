#include "models/encoder/packed_weights.h"

#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "bert/error.h"
#include "bert/model.h"
#include "tests/support/compare.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

std::vector<float> vectors_of(const Model& model) {
  const std::vector<int32_t> few = {2, 5, 7, 3};
  std::vector<int32_t> many;
  for (int i = 0; i < 20; ++i) many.push_back(4 + i % 4);
  const std::vector<TokenSequence> batch = {{.ids = few}, {.ids = many}, {.ids = few}};
  return model.embed(batch);
}

// Of several concurrent passes one packs the weights, and the others read the stored ones.
TEST(PackedWeights, GiveTheSameBitsToPassesAtOnce) {
  const test::TemporaryDirectory folder;
  test::write_tiny_model(folder);
  const std::string name = folder.path().string();
  const std::vector<float> expected = vectors_of(Model::load(name, {.gemm = GemmProvider::kNative}));
  for (const size_t threads : {1, 3}) {
    const Model model =
        Model::load(name, {.threads = threads, .gemm = GemmProvider::kNative, .packed_bytes = SIZE_MAX});
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] {
        for (int run = 0; run < 5; ++run) EXPECT_TRUE(test::same_bits(vectors_of(model), expected));
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
}

class AutomaticPacking : public ::testing::Test {
 protected:
  AutomaticPacking() { test::write_tiny_model(folder_); }
  Model load(Packing packing = Packing::kAutomatic) const {
    return Model::load(folder_.path().string(), {.threads = 1, .gemm = GemmProvider::kNative, .packing = packing});
  }
  // Runs a pass of `texts` texts of `tokens` tokens each. tokens: at most 24.
  static std::vector<float> embed(const Model& model, size_t tokens = 5, size_t texts = 1) {
    const std::vector<int32_t> ids(tokens, 5);
    const std::vector<TokenSequence> batch(texts, TokenSequence{.ids = ids});
    return model.embed(batch);
  }
  test::TemporaryDirectory folder_;
};

TEST_F(AutomaticPacking, BeginsWithTheSecondPassOfFewTokens) {
  const Model model = load(), never = load(Packing::kNever);
  const std::vector<float> expected = embed(never);
  EXPECT_EQ(model.describe().packed_bytes, 0u);
  EXPECT_TRUE(test::same_bits(embed(model), expected));
  EXPECT_EQ(model.describe().packed_bytes, 0u);
  for (int pass = 0; pass < 3; ++pass) {
    EXPECT_TRUE(test::same_bits(embed(model), expected));
    EXPECT_GT(model.describe().packed_bytes, 0u);
  }
  for (int pass = 0; pass < 3; ++pass) embed(never);
  EXPECT_EQ(never.describe().packed_bytes, 0u);
  EXPECT_EQ(load(Packing::kAlways).describe().packed_bytes, model.describe().packed_bytes);
}

TEST_F(AutomaticPacking, IsNotForPassesOfManyTokens) {
  const Model model = load();
  for (int pass = 0; pass < 3; ++pass) embed(model, 20, 7);
  EXPECT_EQ(model.describe().packed_bytes, 0u);
  embed(model, 16, 8);  // 128 tokens
  EXPECT_GT(model.describe().packed_bytes, 0u);
}

// Panels of these precisions need no more bytes than the weights, and a pass with panels computes layers in blocks.
TEST_F(AutomaticPacking, IsForPassesOfManyTokensInFewBits) {
  for (const Precision precision : {Precision::kBFloat16, Precision::kInt8}) {
    const LoadOptions options = {.threads = 1, .gemm = GemmProvider::kNative, .precision = precision};
    LoadOptions always_options = options, never_options = options;
    always_options.packing = Packing::kAlways;
    never_options.packing = Packing::kNever;
    const std::string name = folder_.path().string();
    const Model model = Model::load(name, options), never = Model::load(name, never_options);
    const size_t bytes = Model::load(name, always_options).describe().packed_bytes;
    const std::vector<float> expected = embed(never, 20, 30);
    for (int pass = 0; pass < 3; ++pass) EXPECT_TRUE(test::same_bits(embed(model, 20, 30), expected));
    EXPECT_EQ(model.describe().packed_bytes, bytes);
    EXPECT_TRUE(bytes > 0 || precision == Precision::kInt8);
    if (bytes == 0) GTEST_SKIP() << "SKIPPED, this CPU's 8-bit products keep no panels";
  }
}

#if !defined(_WIN32)
// A forked child uses its parent's panels and packs none.
TEST_F(AutomaticPacking, IsNotForForkedProcesses) {
#if BERT_SANITIZED
  GTEST_SKIP() << "SKIPPED, a sanitizer's threads do not survive a fork";
#endif
  const Model model = load();
  const std::vector<float> expected = embed(model);
  const auto packs_in_child = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      bool same = true;
      for (int pass = 0; pass < 3; ++pass) same = same && test::same_bits(embed(model), expected);
      ::_exit(same ? (model.describe().packed_bytes > 0 ? 1 : 0) : 2);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(packs_in_child(), 0);
  embed(model);
  EXPECT_GT(model.describe().packed_bytes, 0u);
  EXPECT_EQ(packs_in_child(), 1);  // the parent's panels
}
#endif

// If the file changes while panels are made, they could mix old and new weights.
TEST_F(AutomaticPacking, KeepsNothingOfAChangedFile) {
  const Model model = load();
  embed(model);
  std::ofstream(folder_.path() / "model.safetensors", std::ios::in | std::ios::out).seekp(-1, std::ios::end).put('x');
  embed(model);
  EXPECT_EQ(model.describe().packed_bytes, 0u);
  EXPECT_THROW(model.check_files(), Error);
}

TEST(PackedWeights, NeedTheMemoryThatTheDescriptionSays) {
  const test::TemporaryDirectory folder;
  test::write_tiny_model(folder);
  const std::string name = folder.path().string();
  const size_t bytes =
      Model::load(name, {.gemm = GemmProvider::kNative, .packed_bytes = SIZE_MAX}).describe().packed_bytes;
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(Model::load(name, {.gemm = GemmProvider::kNative, .packed_bytes = bytes}).describe().packed_bytes, bytes);

  const Model without_room = Model::load(name, {.gemm = GemmProvider::kNative, .packed_bytes = bytes - 1});
  EXPECT_EQ(without_room.describe().packed_bytes, 0u);
  const std::string notice = "the weights are read as they are stored: packed they need " + std::to_string(bytes) +
                             " bytes of memory, more than " + std::to_string(bytes - 1);
  const std::vector<std::string>& notices = without_room.notices();
  EXPECT_NE(std::find(notices.begin(), notices.end(), notice), notices.end());
}

}  // namespace
}  // namespace bert
