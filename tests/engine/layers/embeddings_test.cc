#include "engine/layers/embeddings.h"

#include <gtest/gtest.h>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

TEST(Embeddings, AreTheSumOfThreeTablesThenLayerNorm) {
  const size_t hidden = 19, vocab = 10, types = 2, positions = 12;
  test::Random random(3);
  const std::vector<float> word = random.numbers(vocab * hidden), type = random.numbers(types * hidden),
                           position = random.numbers(positions * hidden);
  const test::NormWeights norm(hidden, random);
  const auto table = [&](const std::vector<float>& values) {
    return WeightView{values.data(), WeightFormat::kF32, values.size() / hidden, hidden};
  };
  const test::Ragged batch({5, 1, 12});
  test::LayerSetup setup({.tokens = 18, .longest = 12, .hidden = hidden, .wide = 1, .head_dim = 1});
  Embeddings{table(word), table(type), table(position), {}, norm.layer(1e-5), {}}.forward(
      batch.view(), setup.workspace().hidden(), setup.context());

  test::Doubles sums;
  for (size_t token = 0; token < 18; ++token) {
    const auto row = [&](const std::vector<float>& values, std::span<const int32_t> index) {
      return values.data() + static_cast<size_t>(index[token]) * hidden;
    };
    for (size_t c = 0; c < hidden; ++c) {
      sums.push_back(static_cast<double>(row(word, batch.view().ids)[c]) +
                     static_cast<double>(row(type, batch.view().type_ids)[c]) +
                     static_cast<double>(row(position, batch.view().positions)[c]));
    }
  }
  EXPECT_TRUE(test::within(5e-6, test::get(setup.workspace().hidden()), norm.exact(sums, 1e-5)));
}

TEST(Embeddings, ShowTheirPartsAlone) {
  const std::vector<float> word = {1, 2, 3, 4}, type = {10, 20, 30, 40}, position = {100, 200, 300, 400, 500, 600};
  const std::vector<float> weight = {1, 1}, bias = {0, 0};
  const std::vector<int32_t> ids = {1, 0}, type_ids = {0, 1}, positions = {2, 0};
  const std::vector<size_t> starts = {0, 2};
  const RaggedBatch batch{ids, type_ids, positions, starts};
  const Embeddings embeddings{.word = {word.data(), WeightFormat::kF32, 2, 2},
                              .token_type = WeightView{type.data(), WeightFormat::kF32, 2, 2},
                              .position = WeightView{position.data(), WeightFormat::kF32, 3, 2},
                              .sinusoid = {},
                              .norm = Norm{weight.data(), bias.data(), 0},
                              .projection = {}};
  test::LayerSetup setup({.tokens = 3, .longest = 2, .hidden = 2, .wide = 1, .head_dim = 1});
  const MatrixView all = setup.workspace().hidden();
  const MatrixView y = all.row_range(0, 2);

  embeddings.words(batch, y, setup.context());
  EXPECT_EQ(test::get(y), (std::vector<float>{3, 4, 1, 2}));
  const float other[] = {7, 8};
  const float* const vectors[] = {nullptr, other};
  RaggedBatch replaced = batch;
  replaced.word_vectors = vectors;
  embeddings.words(replaced, y, setup.context());
  EXPECT_EQ(test::get(y), (std::vector<float>{3, 4, 7, 8}));
  embeddings.token_types(batch, y, setup.context());
  EXPECT_EQ(test::get(y), (std::vector<float>{10, 20, 30, 40}));
  embeddings.positions(batch, y, setup.context());
  EXPECT_EQ(test::get(y), (std::vector<float>{500, 600, 100, 200}));
  embeddings.sum(batch, y, setup.context());
  EXPECT_EQ(test::get(y), (std::vector<float>{513, 624, 131, 242}));
  copy_table(*embeddings.position, all, setup.context());
  EXPECT_EQ(test::get(all), position);
}

// Sums of these powers of two are exact in every type. Token 0 has 4 + 2 + 1 and -4 + 2 + 1, which LayerNorm makes ±1.
TEST(Embeddings, TakeTablesOfAnyType) {
  const std::vector<uint16_t> word = {0x4400, 0xC400};  // 4 and -4 in F16
  const std::vector<uint16_t> type = {0x4000, 0x4000};  // 2 and 2 in BF16
  const std::vector<float> position = {1, 1};
  const std::vector<float> weight = {1, 1}, bias = {10, 20};
  const test::Ragged batch({1}, 1, 1);
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 2, .wide = 1, .head_dim = 1});
  Embeddings{.word = {word.data(), WeightFormat::kF16, 1, 2},
             .token_type = WeightView{type.data(), WeightFormat::kBF16, 1, 2},
             .position = WeightView{position.data(), WeightFormat::kF32, 1, 2},
             .sinusoid = {},
             .norm = Norm{weight.data(), bias.data(), 0},
             .projection = {}}
      .forward(batch.view(), setup.workspace().hidden(), setup.context());
  EXPECT_EQ(test::get(setup.workspace().hidden()), (std::vector<float>{11, 19}));
}

TEST(Embeddings, ScaleTheWordsVector) {
  const std::vector<float> word = {1, -2, 3, 0.5f}, position = {10, 20};
  const test::Ragged batch({1}, 1, 1);
  test::LayerSetup setup({.tokens = 1, .longest = 1, .hidden = 2, .wide = 1, .head_dim = 1});
  const Embeddings embeddings{.word = {word.data(), WeightFormat::kF32, 2, 2},
                              .token_type = {},
                              .position = WeightView{position.data(), WeightFormat::kF32, 1, 2},
                              .sinusoid = {},
                              .projection = {},
                              .scale = 3};
  embeddings.forward(batch.view(), setup.workspace().hidden(), setup.context());
  EXPECT_EQ(test::get(setup.workspace().hidden()), (std::vector<float>{13, 14}));
  embeddings.words(batch.view(), setup.workspace().hidden(), setup.context());
  EXPECT_EQ(test::get(setup.workspace().hidden()), (std::vector<float>{3, -6}));
}

// The tables are narrower than the layers. The expected values are word plus sinusoid, then LayerNorm, then the dense
// layer, in float64.
TEST(Embeddings, ProjectToTheLayersSize) {
  const size_t width = 6, hidden = 20, vocab = 10;
  test::Random random(4);
  const std::vector<float> word = random.numbers(vocab * width);
  const test::NormWeights norm(width, random);
  const test::Dense dense(hidden, width, random);
  const test::Ragged batch({5, 3});
  test::LayerSetup setup({.tokens = 8, .longest = 5, .hidden = hidden, .wide = width, .head_dim = 1});
  Embeddings{.word = {word.data(), WeightFormat::kF32, vocab, width},
             .token_type = {},
             .position = {},
             .sinusoid = Sinusoid(width),
             .norm = norm.layer(1e-5),
             .projection = dense.linear()}
      .forward(batch.view(), setup.workspace().hidden(), setup.context());
  test::Doubles sums;
  for (size_t token = 0; token < 8; ++token) {
    const double position = batch.view().positions[token];
    for (size_t c = 0; c < width; ++c) {
      const double angle = position / std::pow(10000.0, static_cast<double>(c / 2 * 2) / 6);
      sums.push_back(static_cast<double>(word[static_cast<size_t>(batch.view().ids[token]) * width + c]) +
                     (c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  }
  EXPECT_TRUE(test::within(5e-6, test::get(setup.workspace().hidden()), dense.exact(norm.exact(sums, 1e-5))));
}

}  // namespace
}  // namespace bert
