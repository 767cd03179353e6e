// Checks that a text has the same bits alone and in batches, in any order, and on any number of threads and any
// instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "engine/kernels/kernels.h"
#include "engine/kernels/product_kernel.h"
#include "tests/models/golden.h"
#include "tests/support/compare.h"
#include "tests/support/environment.h"
#include "tests/support/isa.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using test::GoldenCase;

// A way to run the cases.
struct Way {
  const char* isa = kernels_for(detect_cpu_features()).name;
  size_t threads = 1;
  size_t batch_size = 1;
  uint64_t shuffle = 0;  // the seed of the order; 0: the cases' order
  std::string text() const {
    return std::string(isa) + ", " + std::to_string(threads) + " threads, batches of " + std::to_string(batch_size) +
           (shuffle != 0 ? ", shuffled" : "");
  }
};

struct Results {
  std::vector<EncodedSequence> encoded;  // in the cases' order
  std::vector<std::vector<float>> embedded;
};

Results run(const std::filesystem::path& folder, const std::vector<GoldenCase>& cases, const Way& way) {
  const test::WithVariable isa("BERT_INFER_ISA", way.isa);
  const Model model = Model::load(folder.string(), {.threads = way.threads, .gemm = GemmProvider::kNative});
  EXPECT_EQ(model.describe().isa, way.isa);
  EXPECT_TRUE(model.describe().reproducible);
  std::vector<size_t> order(cases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (way.shuffle != 0) {
    test::Random random(way.shuffle);
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  Results results{std::vector<EncodedSequence>(cases.size()), std::vector<std::vector<float>>(cases.size())};
  for (size_t begin = 0; begin < order.size(); begin += way.batch_size) {
    const size_t count = std::min(way.batch_size, order.size() - begin);
    std::vector<TokenSequence> batch;
    for (size_t i = 0; i < count; ++i) batch.push_back(cases[order[begin + i]].sequence());
    std::vector<EncodedSequence> encoded = model.encode(batch);
    const std::vector<float> embedded = model.embed(batch);
    const auto hidden = static_cast<std::ptrdiff_t>(model.config().hidden_size);
    for (size_t i = 0; i < count; ++i) {
      const auto first = embedded.begin() + static_cast<std::ptrdiff_t>(i) * hidden;
      results.encoded[order[begin + i]] = std::move(encoded[i]);
      results.embedded[order[begin + i]].assign(first, first + hidden);
    }
  }
  return results;
}

void expect_same(const std::vector<GoldenCase>& cases, const Results& got, const Results& expected) {
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string& id = cases[i].id;
    EXPECT_TRUE(test::same_bits(got.encoded[i].last_hidden_state, expected.encoded[i].last_hidden_state)) << id;
    EXPECT_TRUE(test::same_bits(got.encoded[i].pooler_output, expected.encoded[i].pooler_output)) << id;
    EXPECT_TRUE(test::same_bits(got.embedded[i], expected.embedded[i])) << id << ", embedding";
  }
}

// Compares all ways with the first. Prints and skips a way if the CPU lacks its instruction set.
void expect_same_bits(const std::filesystem::path& folder, const std::vector<GoldenCase>& cases,
                      const std::vector<Way>& ways) {
  const Results expected = run(folder, cases, ways.front());
  for (size_t i = 1; i < ways.size(); ++i) {
    if (!test::cpu_has(ways[i].isa)) {
      std::cout << "not run, the CPU lacks it: " << ways[i].text() << "\n";
      continue;
    }
    SCOPED_TRACE(ways[i].text());
    expect_same(cases, run(folder, cases, ways[i]), expected);
  }
}

std::vector<GoldenCase> cases_up_to(const std::filesystem::path& golden, size_t tokens) {
  std::vector<GoldenCase> cases = test::read_golden(golden).cases;
  std::erase_if(cases, [&](const GoldenCase& c) { return c.ids.size() > tokens; });
  return cases;
}

TEST(SameBits, OfATinyModelInEveryWay) {
  BERT_TEST_DATA_OR_SKIP(golden, "golden/bert-tiny-own");
  BERT_TEST_DATA_OR_SKIP(model, "checkpoint/bert-tiny-own");
  expect_same_bits(model, cases_up_to(golden, 512),
                   {{},
                    {.threads = 3},
                    {.batch_size = 7},
                    {.threads = 2, .batch_size = 80},
                    {.threads = 3, .batch_size = 9, .shuffle = 5},
                    {.isa = "avx2", .threads = 2, .batch_size = 11, .shuffle = 6},
                    {.isa = "avx512", .threads = 1, .batch_size = 32},
                    {.isa = "portable", .threads = 2, .batch_size = 13, .shuffle = 7}});
}

// Runs one text of each length; other tests run all texts on a tiny model.
TEST(SlowSameBits, OfMiniLmInEveryFastWay) {
  BERT_TEST_DATA_OR_SKIP(golden, "golden/all-MiniLM-L6-v2");
  BERT_MINILM_OR_SKIP(model);
  std::vector<GoldenCase> cases = cases_up_to(golden, 512);
  std::set<size_t> lengths;
  std::erase_if(cases, [&](const GoldenCase& c) { return !lengths.insert(c.ids.size()).second; });
  expect_same_bits(model, cases,
                   {{},
                    {.threads = 2, .batch_size = 16, .shuffle = 8},
                    {.isa = "avx2", .threads = 2, .batch_size = 80},
                    {.isa = "avx512", .threads = 3, .batch_size = 5}});
}

// The portable code is slow, so only some texts are tested: the short ones, the shortest with more than kGemmFewRows
// rows, and the shortest with a second block of keys.
TEST(SlowSameBits, OfMiniLmsShortTextsOnEveryInstructionSet) {
  BERT_TEST_DATA_OR_SKIP(golden, "golden/all-MiniLM-L6-v2");
  BERT_MINILM_OR_SKIP(model);
  std::vector<GoldenCase> cases = cases_up_to(golden, 10);
  const std::vector<GoldenCase> all = cases_up_to(golden, 512);
  for (const size_t tokens : {kGemmFewRows, kAttentionKeyBlock}) {
    const GoldenCase* next = nullptr;
    for (const GoldenCase& c : all) {
      if (c.ids.size() > tokens && (next == nullptr || c.ids.size() < next->ids.size())) next = &c;
    }
    ASSERT_NE(next, nullptr) << "none with more than " << tokens << " tokens";
    cases.push_back(*next);
  }
  expect_same_bits(
      model, cases,
      {{.isa = "portable", .threads = 2}, {.isa = "avx2"}, {.isa = "avx512", .batch_size = 5}, {.isa = "neon"}});
}

}  // namespace
}  // namespace bert
