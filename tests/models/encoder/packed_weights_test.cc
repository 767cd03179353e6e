#include "models/encoder/packed_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "bert/model.h"
#include "tests/support/compare.h"
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

// Several passes at once: one packs, the others read what is stored.
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

TEST(PackedWeights, NeedTheMemoryThatTheDescriptionSays) {
  const test::TemporaryDirectory folder;
  test::write_tiny_model(folder);
  const std::string name = folder.path().string();
  EXPECT_EQ(Model::load(name, {.gemm = GemmProvider::kNative}).describe().packed_bytes, 0u);
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
