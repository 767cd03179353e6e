// Tests the encoder without Model: examples of the embedding layer calculated by hand, positions, and memory.
#include "models/encoder/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/base/file_source.h"
#include "engine/kernels/gemm/native_gemm.h"
#include "models/config/config.h"
#include "models/encoder/plan_reader.h"
#include "tests/models/allocations.h"
#include "tests/support/compare.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

// A model's encoder with its threads and workspace, and the stored weights.
class LoadedEncoder {
 public:
  explicit LoadedEncoder(const std::filesystem::path& folder, size_t threads = 2)
      : config_(read_config(DirectorySource(folder))),
        reader_(Checkpoint::open(folder), bert_family.weights, {}),
        plan_(read_plan(config_, bert_family, reader_)),
        weights_(reader_.finish()),
        gemm_(products_for(detect_cpu_features())),
        pool_(threads),
        context_{kernels_for(detect_cpu_features()), gemm_, pool_, workspace_} {}

  const ModelConfig& config() const { return config_; }

  // Computes one sequence at these positions. Returns [tokens, hidden] after `state` layers.
  std::vector<float> run(const std::vector<int32_t>& ids, const std::vector<int32_t>& positions, size_t state) {
    struct Recorder final : ForwardObserver {
      size_t wanted = 0;
      std::vector<float> rows;
      void hidden_state(size_t index, MatrixView hidden) override {
        if (index != wanted) return;
        for (size_t row = 0; row < hidden.rows; ++row) {
          rows.insert(rows.end(), hidden.row(row), hidden.row(row) + hidden.cols);
        }
      }
      void attention(size_t, const SelfAttention&, ExecutionContext&) override {}
    } recorder;
    recorder.wanted = state;
    const std::vector<int32_t> types(ids.size(), 0);
    const std::vector<size_t> starts = {0, ids.size()};
    forward({ids, types, positions, starts}, &recorder);
    return recorder.rows;
  }
  void forward(const RaggedBatch& batch, ForwardObserver* observer = nullptr) {
    size_t longest = 0;
    for (size_t i = 0; i < batch.sequences(); ++i) longest = std::max(longest, batch.length(i));
    workspace_.prepare(workspace_shape(plan_, batch.tokens(), longest, longest, pool_.size()), gemm_);
    run_encoder(plan_, batch, context_, observer);
  }
  // Returns the stored float32 tensor whose name has this ending.
  std::span<const float> tensor(std::string_view ending) const {
    for (const StoredTensor& tensor : weights_.checkpoint.tensors()) {
      if (tensor.name.ends_with(ending)) {
        return {reinterpret_cast<const float*>(tensor.data.data()), tensor.data.size() / sizeof(float)};
      }
    }
    throw std::runtime_error("no tensor " + std::string(ending));
  }

 private:
  ModelConfig config_;
  WeightReader reader_;
  EncoderPlan plan_;
  WeightStorage weights_;
  NativeGemm gemm_;
  ThreadPool pool_;
  Workspace workspace_;
  ExecutionContext context_;
};

const std::vector<int32_t> kFox = {101, 1996, 4248, 2829, 4419, 14523, 2058, 1996, 13971, 3899, 102};

std::vector<int32_t> counted(size_t tokens) {
  std::vector<int32_t> positions(tokens);
  for (size_t i = 0; i < tokens; ++i) positions[i] = static_cast<int32_t>(i);
  return positions;
}

// The expected vectors are calculated in float64 from the checkpoint's tables.
TEST(Encoder, StartsFromTheSumOfThreeTablesThenLayerNorm) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own");
  LoadedEncoder encoder(folder);
  const size_t hidden = encoder.config().hidden_size;
  const auto word = encoder.tensor("word_embeddings.weight"), type = encoder.tensor("token_type_embeddings.weight"),
             position = encoder.tensor("position_embeddings.weight"),
             gamma = encoder.tensor("embeddings.LayerNorm.weight"), beta = encoder.tensor("embeddings.LayerNorm.bias");
  std::vector<double> expected;
  for (size_t token = 0; token < kFox.size(); ++token) {
    std::vector<double> sum(hidden);
    double mean = 0, variance = 0;
    for (size_t c = 0; c < hidden; ++c) {
      sum[c] = static_cast<double>(word[static_cast<size_t>(kFox[token]) * hidden + c]) + static_cast<double>(type[c]) +
               static_cast<double>(position[token * hidden + c]);
      mean += sum[c] / static_cast<double>(hidden);
    }
    for (const double value : sum) variance += (value - mean) * (value - mean) / static_cast<double>(hidden);
    for (size_t c = 0; c < hidden; ++c) {
      expected.push_back((sum[c] - mean) / std::sqrt(variance + 1e-12) * static_cast<double>(gamma[c]) +
                         static_cast<double>(beta[c]));
    }
  }
  EXPECT_TRUE(test::within(2e-6, encoder.run(kFox, counted(kFox.size()), 0), expected));
}

// The ids of "I do like coding" and "Do I like coding" with [CLS] and [SEP]: the same tokens, two of which are swapped.
const std::vector<int32_t> kIDo = {101, 1045, 2079, 2066, 16861, 102}, kDoI = {101, 2079, 1045, 2066, 16861, 102};
const std::vector<size_t> kSwap = {0, 2, 1, 3, 4, 5};

// Returns the largest difference between a token's row in one sentence and its row in the other.
double difference_of_tokens(LoadedEncoder& encoder, const std::vector<int32_t>& positions) {
  const size_t hidden = encoder.config().hidden_size;
  const std::vector<float> one = encoder.run(kIDo, positions, encoder.config().num_hidden_layers);
  const std::vector<float> other = encoder.run(kDoI, positions, encoder.config().num_hidden_layers);
  double largest = 0;
  for (size_t token = 0; token < kSwap.size(); ++token) {
    for (size_t c = 0; c < hidden; ++c) {
      largest = std::max(largest, std::abs(static_cast<double>(one[token * hidden + c]) -
                                           static_cast<double>(other[kSwap[token] * hidden + c])));
    }
  }
  return largest;
}

TEST(Encoder, PermutesItsOutputWithItsInputWhereThereAreNoPositions) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own");
  LoadedEncoder encoder(folder);
  EXPECT_LE(difference_of_tokens(encoder, std::vector<int32_t>(6, 0)), 1e-5);  // sums over keys have another order
}

TEST(Encoder, TellsOrdersApartByTheirPositions) {
  BERT_TEST_DATA_OR_SKIP(folder, "checkpoint/bert-tiny-own");
  LoadedEncoder encoder(folder);
  EXPECT_GE(difference_of_tokens(encoder, counted(6)), 0.1);
}

TEST(Encoder, AllocatesNothingInASecondPassOfASize) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory, {.hidden = 60, .layers = 3, .intermediate = 111});
  LoadedEncoder encoder(directory.path(), 3);
  const std::vector<int32_t> ids(40, 7), types(40, 1);
  std::vector<int32_t> positions = counted(20);
  positions.insert(positions.end(), positions.begin(), positions.begin() + 20);
  const std::vector<size_t> starts = {0, 20, 21, 40};
  const RaggedBatch batch{ids, types, positions, starts};
  const size_t before_first = test::allocations();
  encoder.forward(batch);
  if (!BERT_COUNTS_ALLOCATIONS) GTEST_SKIP() << "SKIPPED, allocations are not counted here";
  const size_t before_second = test::allocations();
  encoder.forward(batch);
  EXPECT_EQ(test::allocations(), before_second);
  EXPECT_GT(before_second, before_first) << "the first pass makes the workspace, so the counter must have seen it";
}

}  // namespace
}  // namespace bert
