// Tests calls with the largest counts that a caller can give. A call must succeed or throw Error, and must never
// compute with an overflowed sum.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "bert/bert.h"
#include "bert/bert_tasks.h"
#include "bert/bert_vectors.h"
#include "bert/clusters.h"
#include "bert/experiments.h"
#include "bert/explain.h"
#include "bert/explore.h"
#include "bert/fit.h"
#include "bert/model.h"
#include "bert/tasks.h"
#include "bert/text_pipeline.h"
#include "bert/text_tasks.h"
#include "bert/vectors.h"
#include "bert/windows.h"

namespace bert {
namespace {

constexpr size_t kLargest[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / 4 + 1};

// Returns true if the call returns, and false if it throws an Error for a too large argument or for memory.
template <class Call>
bool returns(const Call& call) {
  try {
    call();
    return true;
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kInvalidText ||
                error.code() == ErrorCode::kOutOfMemory)
        << error.what();
    return false;
  }
}

TEST(CallersCounts, OfTokensAreLimitsOrRefused) {
  const Model model = Model::builtin({.threads = 1});
  const Tokenizer& tokenizer = model.tokenizer();
  const std::vector<int32_t> ids = tokenizer.tokenize("the quick brown fox").ids;
  for (const size_t count : kLargest) {
    SCOPED_TRACE(count);
    for (const bool sentences : {false, true}) {
      const VectorRequest request{.dense = EmbedOptions{},
                                  .chunks = ChunkOptions{.tokens = count, .sentences = sentences}};
      EXPECT_EQ(model.vectors("The quick fox jumps.", request).chunks.size(), 1u);
    }
    EXPECT_EQ(tokenizer.tokenize("the quick brown fox", {.max_length = count}).ids, ids);
    EXPECT_EQ(
        tokenizer.tokenize_windows("the quick brown fox", std::nullopt, {.max_length = count, .max_windows = count})
            .size(),
        1u);
    EXPECT_FALSE(returns(
        [&] { tokenizer.tokenize_windows("the quick brown fox", std::nullopt, {.max_length = 5, .stride = count}); }));
    const auto windows_beside = [&](size_t pair_tokens) {
      return tokenizer.tokenize_windows("the quick brown fox", "pair", {.max_length = 7, .pair_tokens = pair_tokens})
          .size();
    };
    EXPECT_EQ(windows_beside(count), windows_beside(1000)) << "a pair that has all the room that it can have";
    EXPECT_FALSE(returns([&] { tokenizer.tokenize("fox", {.padding = {.length = count}}); }));
    EXPECT_FALSE(returns([&] { tokenizer.tokenize("fox", {.padding = {.length = 5, .multiple_of = count}}); }));
    EXPECT_FALSE(returns([&] { check_max_length(count, model.max_positions()); }));
    EXPECT_FALSE(returns([&] { Model::builtin({.threads = count}); }));
    EXPECT_FALSE(returns([&] { Model::builtin({.layers = count}); }));
    EXPECT_FALSE(returns([&] { model.embed("fox", {.dimensions = count}); }));
    EXPECT_TRUE(returns([&] { Model::builtin({.packed_bytes = count}); }));
    EXPECT_TRUE(
        returns([&] { Model::builtin({.runtime = Runtime({.threads = 1, .memory_bytes = count})}).embed("fox"); }));
    const TokenSequence sequence{.ids = ids, .unattended = count};
    EXPECT_FALSE(returns([&] { model.encode({&sequence, 1}); }));
  }
}

TEST(CallersCounts, OfResultsAreLimits) {
  const Model model = Model::builtin({.threads = 1});
  const Encoding masked = model.tokenizer().tokenize("the [MASK] fox");
  for (const size_t count : kLargest) {
    SCOPED_TRACE(count);
    EXPECT_EQ(layer_words(model, masked, count).words.front().front().size(), model.config().vocab_size);
    EXPECT_EQ(nearest_words(model, 300, count).size() + 1, model.config().vocab_size);
    EXPECT_TRUE(returns([&] { score_positions(model, count); }));
  }
}

TEST(CallersCounts, OfVectorsAreLimitsOrRefused) {
  const std::vector<float> rows = {1, 0, 0, 1, 1, 0};
  const std::vector<float> query = {1, 0};
  const std::vector<uint32_t> labels = {0, 1, 0};
  const VectorIndex floats(rows, 2), binary(rows, 2, {.scan = ScanRows::kBinary});
  for (const size_t count : kLargest) {
    SCOPED_TRACE(count);
    for (const VectorIndex* index : {&floats, &binary}) {
      EXPECT_EQ(index->search(query, {.top = count})[0].size(), 3u);
      EXPECT_EQ(index->search(query, {.top = 1, .candidates = count})[0].size(), 1u);
      EXPECT_EQ(index->search(query, {.top = count, .candidates = count})[0].size(), 3u);
    }
    EXPECT_FALSE(returns([&] { VectorIndex(rows, count); }));
    EXPECT_FALSE(returns([&] { VectorIndex(rows, 2, {.threads = count}).search(query); }));
    EXPECT_FALSE(returns([&] { k_means(rows, 2, {.clusters = count}); }));
    EXPECT_TRUE(returns([&] { k_means(rows, 2, {.clusters = 2, .most_iterations = count}); }));
    EXPECT_TRUE(find_communities(rows, 2, {.least_rows = count}).empty());
    EXPECT_TRUE(returns([&] { find_duplicates(rows, 2, {.run = {.most_bytes = count}}); }));
    EXPECT_FALSE(returns([&] { find_duplicates(rows, count); }));
    const LabelledRows data{.rows = rows, .width = 2, .labels = labels, .label_count = 2};
    EXPECT_FALSE(returns([&] { held_out_accuracy(data, count); }));
    bert_index* index = nullptr;
    EXPECT_EQ(bert_index_create({rows.data(), count, 2}, nullptr, &index), BERT_INVALID_ARGUMENT);
    EXPECT_EQ(bert_index_create({rows.data(), 2, count}, nullptr, &index), BERT_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace bert
