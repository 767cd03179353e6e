// Compares real models with the reference's float64 outputs. The largest error over all cases must be at most the
// reference library's own in float32, or 1.5 times that with OpenBLAS.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "bert/error.h"
#include "tests/models/golden.h"
#include "tests/support/compare.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using test::Golden;
using test::GoldenCase;

struct Figure {
  double error = 0;
  std::string where;
  void take(double value, const std::string& place) {
    if (std::isnan(value)) value = INFINITY;
    if (value > error) error = value, where = place;
  }
  template <class Got, class Expected>
  void compare(const Got& got, const Expected& expected, const std::string& place) {
    if (got.size() != expected.size()) return take(INFINITY, place + ": other size");
    const test::Worst worst = test::worst_of(got, expected);
    take(worst.error, place + " at " + std::to_string(worst.index) + ": " + std::to_string(worst.got) + ", expected " +
                          std::to_string(worst.expected));
  }
};

struct Figures {
  Figure hidden, pooler, embedding, statistics, entropy;
};

// The error of a layer's mean, deviation and largest value cannot exceed its worst element's.
void compare_statistics(const EncodedSequence& got, const GoldenCase& c, bool sample_deviation, Figures& figures) {
  const size_t size = got.tokens * got.hidden;
  const auto divisor = static_cast<double>(sample_deviation ? size - 1 : size);
  for (size_t layer = 0; layer < c.layers.size(); ++layer) {
    const float* values = got.hidden_states.data() + layer * size;
    double mean = 0, variance = 0, absmax = 0;
    for (size_t i = 0; i < size; ++i) mean += static_cast<double>(values[i]) / static_cast<double>(size);
    for (size_t i = 0; i < size; ++i) {
      const double distance = static_cast<double>(values[i]) - mean;
      variance += distance * distance / divisor;
      absmax = std::max(absmax, std::abs(static_cast<double>(values[i])));
    }
    const std::string where = c.id + " state " + std::to_string(layer);
    figures.statistics.take(std::abs(mean - c.layers[layer].mean), where + " mean");
    figures.statistics.take(std::abs(std::sqrt(variance) - c.layers[layer].std), where + " std");
    figures.statistics.take(std::abs(absmax - c.layers[layer].absmax), where + " absmax");
  }
}

// Compares each head's entropy, the mean over the queries of -sum p ln p.
void compare_entropies(const EncodedSequence& got, const GoldenCase& c, Figures& figures) {
  const float* p = got.attentions.data();
  for (size_t layer = 0; layer < c.entropies.size(); ++layer) {
    for (size_t head = 0; head < c.entropies[layer].size(); ++head) {
      double entropy = 0;
      for (size_t i = 0; i < got.tokens * got.tokens; ++i, ++p) {
        if (*p > 0) entropy -= static_cast<double>(*p) * std::log(static_cast<double>(*p));
      }
      figures.entropy.take(std::abs(entropy / static_cast<double>(got.tokens) - c.entropies[layer][head]),
                           c.id + " layer " + std::to_string(layer) + " head " + std::to_string(head));
    }
  }
}

// Returns the errors of the cases of at most `max_tokens` tokens, computed in batches of `batch_size`.
Figures measure(const Model& model, const Golden& golden, size_t batch_size, size_t max_tokens = 512) {
  std::vector<const GoldenCase*> chosen;
  for (const GoldenCase& c : golden.cases) {
    if (c.ids.size() <= max_tokens) chosen.push_back(&c);
  }
  Figures figures;
  for (size_t begin = 0; begin < chosen.size(); begin += batch_size) {
    const size_t count = std::min(batch_size, chosen.size() - begin);
    std::vector<TokenSequence> batch;
    for (size_t i = 0; i < count; ++i) batch.push_back(chosen[begin + i]->sequence());
    const auto encoded = model.encode(batch, {.hidden_states = true, .attentions = true});
    std::vector<float> embeddings;
    if (golden.embedding) embeddings = model.embed(batch);
    for (size_t i = 0; i < count; ++i) {
      const GoldenCase& c = *chosen[begin + i];
      figures.hidden.compare(encoded[i].last_hidden_state, golden.hidden(c), c.id);
      figures.pooler.compare(encoded[i].pooler_output, golden.pooler_output.rows(c.index, 1), c.id);
      if (golden.embedding) {
        const std::span<const float> embedding(&embeddings[i * encoded[i].hidden], encoded[i].hidden);
        figures.embedding.compare(embedding, golden.embedding->rows(c.index, 1), c.id);
      }
      if (c.is_masked()) continue;  // the stored statistics include masked tokens' rows
      compare_statistics(encoded[i], c, golden.sample_deviation, figures);
      compare_entropies(encoded[i], c, figures);
    }
  }
  return figures;
}

void expect_within(const char* what, const Golden& golden, const Figures& figures, double factor) {
  const double limit = golden.reference_error * factor;
  const auto check = [&](const char* output, const Figure& figure, double allowed) {
    std::printf("%s %s: %.3g of %.3g allowed, %s\n", what, output, figure.error, allowed, figure.where.c_str());
    ::testing::Test::RecordProperty(output, std::to_string(figure.error * 1e6) + "e-6");
    EXPECT_LE(figure.error, allowed) << what << " " << output << ": " << figure.where;
  };
  check("last_hidden_state", figures.hidden, limit);
  check("pooler_output", figures.pooler, limit);
  if (golden.embedding) check("embedding", figures.embedding, limit);
  check("statistics", figures.statistics, limit);
  const bool has_entropies = !golden.cases.front().entropies.empty();
  if (has_entropies) check("attention_entropy", figures.entropy, 1e-5);  // each sums up to 512 terms, up to 6
}

void check(const std::filesystem::path& model_folder, const Golden& golden, GemmProvider provider,
           size_t max_tokens = 512) {
  static const char* const kNames[] = {"auto", "native", "portable", "openblas"};
  const double factor = provider == GemmProvider::kOpenBlas ? 1.5 : 1;
  try {
    const Model model = Model::load(model_folder.string(), {.gemm = provider});
    expect_within(kNames[static_cast<int>(provider)], golden, measure(model, golden, 4, max_tokens), factor);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound || provider != GemmProvider::kOpenBlas) throw;
    GTEST_SKIP() << "SKIPPED, " << error.what();
  }
}

class TinyGolden : public ::testing::TestWithParam<std::string> {
 protected:
  void check_with(GemmProvider provider, size_t max_tokens = 512) const {
    BERT_TEST_DATA_OR_SKIP(model, "checkpoint/" + GetParam());
    BERT_TEST_DATA_OR_SKIP(folder, "golden/" + GetParam());
    check(model, test::read_golden(folder), provider, max_tokens);
  }
};

TEST_P(TinyGolden, IsAsNearAsTheReferenceWithOurKernels) { check_with(GemmProvider::kNative); }
// This provider is slow, so only short texts of the second model are compared. Both models have the same shape.
TEST_P(TinyGolden, IsAsNearAsTheReferenceWithThePortableProvider) {
  check_with(GemmProvider::kPortable, GetParam() == "bert-tiny-own" ? 512 : 64);
}
TEST_P(TinyGolden, IsNearWithOpenBlas) { check_with(GemmProvider::kOpenBlas); }

TEST_P(TinyGolden, HasTheIdsThatOurTokenizerGives) {
  BERT_TEST_DATA_OR_SKIP(model, "checkpoint/" + GetParam());
  BERT_TEST_DATA_OR_SKIP(folder, "golden/" + GetParam());
  const Tokenizer tokenizer = Tokenizer::load(model);
  size_t compared = 0;
  for (const GoldenCase& c : test::read_golden(folder).cases) {
    if (!c.text) continue;
    TokenizeOptions options;
    options.max_length = c.is_masked() ? c.ids.size() : 512;
    options.padding.length = c.is_masked() ? c.ids.size() : 0;
    const Encoding got = c.pair ? tokenizer.tokenize(*c.text, *c.pair, options) : tokenizer.tokenize(*c.text, options);
    EXPECT_EQ(got.ids, c.ids) << c.id;
    EXPECT_EQ(got.type_ids, c.type_ids) << c.id;
    EXPECT_EQ(got.attention_mask, c.mask) << c.id;
    ++compared;
  }
  EXPECT_EQ(compared, 80u);
}

INSTANTIATE_TEST_SUITE_P(Models, TinyGolden, ::testing::Values("bert-tiny-own", "bert-tiny-own-sst2"),
                         [](const auto& param) { return param.param == "bert-tiny-own" ? "TinyOwn" : "TinyOwnSst2"; });

class SlowMiniLmGolden : public ::testing::Test {
 protected:
  static void check_with(GemmProvider provider, size_t max_tokens = 512) {
    BERT_MINILM_OR_SKIP(model);
    BERT_TEST_DATA_OR_SKIP(folder, "golden/all-MiniLM-L6-v2");
    check(model, test::read_golden(folder), provider, max_tokens);
  }
};

TEST_F(SlowMiniLmGolden, IsAsNearAsTheReferenceWithOurKernels) { check_with(GemmProvider::kNative); }
TEST_F(SlowMiniLmGolden, IsNearWithOpenBlas) { check_with(GemmProvider::kOpenBlas); }
TEST_F(SlowMiniLmGolden, IsAsNearAsTheReferenceWithThePortableProviderOnShortTexts) {
  check_with(GemmProvider::kPortable, 11);
}

TEST(MiniLmGolden, HasTheIdsThatOurTokenizerGives) {
  BERT_MINILM_OR_SKIP(model);
  BERT_TEST_DATA_OR_SKIP(folder, "golden/all-MiniLM-L6-v2");
  const Tokenizer tokenizer = Tokenizer::load(model);
  for (const GoldenCase& c : test::read_golden(folder).cases) {
    TokenizeOptions options;
    options.max_length = 512;
    const Encoding got = c.pair ? tokenizer.tokenize(*c.text, *c.pair, options) : tokenizer.tokenize(*c.text, options);
    const size_t kept = static_cast<size_t>(std::count(c.mask.begin(), c.mask.end(), 1));
    EXPECT_EQ(got.ids, std::vector<int32_t>(c.ids.begin(), c.ids.begin() + static_cast<std::ptrdiff_t>(kept))) << c.id;
  }
}

}  // namespace
}  // namespace bert
