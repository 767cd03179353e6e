// Tests the portable table, which is the specification of all others. Its bits must equal those of the order written in
// engine/kernels/isa/*.inl.h, spelled out here number by number. Its errors against plain float64 must be within the
// bounds of Higham, Accuracy and Stability of Numerical Algorithms (2nd ed., section 3.1).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "engine/base/aligned_buffer.h"
#include "engine/kernels/isa/lanes_portable.h"
// the Lanes first
#include "engine/kernels/isa/math.inl.h"
#include "engine/kernels/product_kernel.h"
#include "tests/engine/kernels/isa/table_check.h"
#include "tests/support/compare.h"
#include "tests/support/random.h"

namespace bert {
namespace {

using Vector = std::vector<float>;
constexpr double kUnit = 0x1p-24;  // the largest relative error of a rounding

float exp_of(float x) { return exp(set1(x)).v[0]; }

// Returns the sum of products: each block of `block` fused multiply-adds begins at 0, and the blocks are added in
// order.
template <class Product>
float blocked_sum(size_t count, size_t block, const Product& product) {
  float sum = 0;
  for (size_t begin = 0; begin < count; begin += block) {
    float accumulator = 0;
    for (size_t i = begin; i < std::min(begin + block, count); ++i) accumulator = product(i, accumulator);
    sum = begin == 0 ? accumulator : sum + accumulator;
  }
  return sum;
}

// Sums the 16 lanes pairwise: adds lane i + 8 to lane i, then i + 4, then i + 2, and at last lane 1 to lane 0.
template <class Number>
Number tree_sum(std::array<Number, 16> lanes) {
  for (const size_t half : {8, 4, 2, 1}) {
    for (size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

struct Gemm {
  size_t rows, in, outs;
  Vector x, weight, bias, residual, y;

  Gemm(size_t rows_, size_t in_, size_t outs_) : rows(rows_), in(in_), outs(outs_), y(rows_ * outs_) {
    test::Random random(rows * 7919 + in * 31 + outs);
    x = random.numbers(rows * in);
    weight = random.numbers(outs * in);
    bias = random.numbers(outs);
    residual = random.numbers(rows * outs);
  }
  void run() {
    AlignedBuffer<float> scratch(kGemmScratchFloats);
    GemmArgs args{};
    args.x = x.data();
    args.x_stride = in;
    args.in = in;
    args.weight = weight.data();
    args.output = {.rows = rows,
                   .outs = outs,
                   .bias = bias.data(),
                   .activation = Activation::kRelu,
                   .residual = residual.data(),
                   .residual_stride = outs,
                   .y = y.data(),
                   .y_stride = outs};
    args.blocks = {.group_panels = 6, .row_group = 60};
    args.scratch = scratch.data();
    kPortableFloatProducts.f32.multiply(args);
  }
};

const std::array<std::array<size_t, 3>, 9> kGemmSizes = {{{1, 1, 1},
                                                          {2, 63, 5},
                                                          {3, 64, 16},
                                                          {4, 65, 17},
                                                          {33, 129, 31},
                                                          {32, 200, 33},
                                                          {37, 384, 40},
                                                          {34, 1601, 3},
                                                          {5, 0, 3}}};

TEST(PortableGemm, FollowsItsWrittenOrder) {
  for (const auto& [rows, in, outs] : kGemmSizes) {
    Gemm gemm(rows, in, outs);
    gemm.run();
    Vector expected(rows * outs);
    for (size_t row = 0; row < rows; ++row) {
      for (size_t out = 0; out < outs; ++out) {
        const float* x = gemm.x.data() + row * in;
        const float* w = gemm.weight.data() + out * in;
        const float sum =
            blocked_sum(in, 64, [&](size_t k, float sum_of_block) { return std::fma(x[k], w[k], sum_of_block); });
        const float before = sum + gemm.bias[out];
        expected[row * outs + out] = (before > 0 ? before : 0) + gemm.residual[row * outs + out];
      }
    }
    EXPECT_TRUE(test::same_bits(gemm.y, expected)) << rows << " x " << in << " x " << outs;
  }
}

TEST(PortableGemm, KeepsTheErrorBoundOfItsOrder) {
  double worst = 0;
  for (const auto& [rows, in, outs] : kGemmSizes) {
    Gemm gemm(rows, in, outs);
    gemm.run();
    // A product is rounded at most 64 times in its block and once for each later block, then twice for bias and
    // residual.
    const double steps = 64.0 + static_cast<double>(in) / 64 + 2;
    for (size_t row = 0; row < rows; ++row) {
      for (size_t out = 0; out < outs; ++out) {
        double sum = gemm.bias[out];
        double sizes = std::abs(sum);
        for (size_t k = 0; k < in; ++k) {
          const double product =
              static_cast<double>(gemm.x[row * in + k]) * static_cast<double>(gemm.weight[out * in + k]);
          sum += product;
          sizes += std::abs(product);
        }
        const double residual = gemm.residual[row * outs + out];
        const double error = std::abs(gemm.y[row * outs + out] - (std::max(sum, 0.0) + residual));
        const double bound = steps * kUnit / (1 - steps * kUnit) * (sizes + std::abs(residual));
        ASSERT_LE(error, bound) << rows << " x " << in << " x " << outs << " at " << row << ", " << out;
        worst = std::max(worst, error / bound);
      }
    }
  }
  RecordProperty("largest_part_of_the_bound", std::to_string(worst));
}

struct Head {
  size_t length, dim;
  bool in_bfloat16;
  float scale;
  Vector qkv, context, probabilities;
  const float* sink = nullptr;

  Head(size_t length_, size_t dim_, float spread, bool in_bfloat16_ = false)
      : length(length_),
        dim(dim_),
        in_bfloat16(in_bfloat16_),
        scale(1 / std::sqrt(static_cast<float>(dim_))),
        context(length_ * dim_),
        probabilities(length_ * length_) {
    test::Random random(length * 31 + dim);
    qkv = random.numbers(length * 3 * dim, spread);
  }
  const float* q(size_t row) const { return qkv.data() + row * 3 * dim; }
  const float* k(size_t row) const { return q(row) + dim; }
  const float* v(size_t row) const { return q(row) + 2 * dim; }

  void run() {
    AlignedBuffer<float> scratch(attention_scratch_floats(length, dim));
    AttentionArgs args{};
    args.q = q(0);
    args.k = k(0);
    args.v = v(0);
    args.stride = 3 * dim;
    args.length = length;
    args.head_dim = dim;
    args.scale = scale;
    args.queries = length;
    args.window = kNoWindow;
    args.sink = sink;
    args.scratch = scratch.data();
    args.context = context.data();
    args.context_stride = dim;
    const AttentionKernels& kernels = in_bfloat16 ? kPortableKernels.bfloat16_attention : kPortableKernels.attention;
    kernels.context(args);
    args.context = probabilities.data();
    args.context_stride = length;
    kernels.probabilities(args);
  }

  // Returns the sum of `count` products in this arithmetic's order. bfloat16 takes pairs and adds the odd number first.
  template <class First, class Second>
  float sum_of_products(size_t count, const First& first, const Second& second) const {
    const auto number = [&](float x) { return in_bfloat16 ? rounded_to_bfloat16(x) : x; };
    return blocked_sum(count, in_bfloat16 ? 32 : 16, [&](size_t i, float sum_of_block) {
      const size_t at = in_bfloat16 && (i ^ 1) < count ? i ^ 1 : i;
      return std::fma(number(first(at)), number(second(at)), sum_of_block);
    });
  }
  float score(size_t query, size_t key) const {
    const auto of_query = [&](size_t d) { return q(query)[d]; };
    return sum_of_products(dim, of_query, [&](size_t d) { return k(key)[d]; }) * scale;
  }
};

// Each entry is length, head size and spread. Spread 3 makes scores of up to about 100, so that the maximum changes
// between blocks.
const std::array<std::array<size_t, 3>, 8> kHeadSizes = {
    {{1, 1, 1}, {2, 12, 1}, {17, 16, 1}, {64, 17, 3}, {65, 33, 1}, {129, 32, 3}, {200, 64, 1}, {131, 130, 2}}};

void check_written_order(Head head) {
  head.run();
  const size_t length = head.length, dim = head.dim;
  Vector expected(length * dim), probabilities(length * length);
  for (size_t query = 0; query < length; ++query) {
    float maximum = 0;
    std::array<float, 16> weight_sums{};
    Vector sums(dim);
    for (size_t first = 0; first < length; first += 64) {
      const size_t count = std::min<size_t>(64, length - first);
      Vector weights(count);
      for (size_t i = 0; i < count; ++i) weights[i] = head.score(query, first + i);
      const float block_maximum = *std::max_element(weights.begin(), weights.end());
      if (first == 0) {
        maximum = block_maximum;
      } else if (block_maximum > maximum) {
        const float factor = exp_of(maximum - block_maximum);
        for (float& sum : weight_sums) sum *= factor;
        for (float& sum : sums) sum *= factor;
        maximum = block_maximum;
      }
      for (size_t i = 0; i < count; ++i) {
        weights[i] = exp_of(weights[i] - maximum);
        weight_sums[i % 16] += weights[i];
      }
      const size_t block = head.in_bfloat16 ? 32 : 16;
      for (size_t d = 0; d < dim; ++d) {
        for (size_t begin = 0; begin < count; begin += block) {
          const float sum = head.sum_of_products(
              std::min(block, count - begin), [&](size_t i) { return weights[begin + i]; },
              [&](size_t i) { return head.v(first + begin + i)[d]; });
          sums[d] = first + begin == 0 ? sum : sums[d] + sum;
        }
      }
    }
    for (size_t d = 0; d < dim; ++d) expected[query * dim + d] = sums[d] / tree_sum(weight_sums);

    float* row = probabilities.data() + query * length;
    for (size_t key = 0; key < length; ++key) row[key] = head.score(query, key);
    maximum = *std::max_element(row, row + length);
    weight_sums.fill(0);
    for (size_t key = 0; key < length; ++key) {
      row[key] = exp_of(row[key] - maximum);
      weight_sums[key % 16] += row[key];
    }
    for (size_t key = 0; key < length; ++key) row[key] /= tree_sum(weight_sums);
  }
  EXPECT_TRUE(test::same_bits(head.context, expected)) << length << " keys of " << dim;
  EXPECT_TRUE(test::same_bits(head.probabilities, probabilities)) << length << " keys of " << dim;
}

TEST(PortableAttention, FollowsItsWrittenOrder) {
  for (const auto& [length, dim, spread] : kHeadSizes) {
    check_written_order(Head(length, dim, static_cast<float>(spread)));
    check_written_order(Head(length, dim, static_cast<float>(spread), true));
  }
}

TEST(PortableAttention, IsNearFloat64) {
  double worst = 0, worst_probability = 0;
  for (const auto& [length, dim, spread] : kHeadSizes) {
    Head head(length, dim, static_cast<float>(spread));
    head.run();
    for (size_t query = 0; query < length; ++query) {
      std::vector<double> weights(length), sums(dim), sizes(dim);
      double largest_terms = 0;  // the largest sum of a score's terms' magnitudes
      for (size_t key = 0; key < length; ++key) {
        double terms = 0;
        for (size_t d = 0; d < dim; ++d) {
          const double product = static_cast<double>(head.q(query)[d]) * static_cast<double>(head.k(key)[d]);
          weights[key] += product * head.scale;
          terms += std::abs(product * head.scale);
        }
        largest_terms = std::max(largest_terms, terms);
      }
      const double maximum = *std::max_element(weights.begin(), weights.end());
      double total = 0;
      for (double& weight : weights) total += weight = std::exp(weight - maximum);
      // A score's error is at most (16 + blocks + 2) units of its terms' magnitudes. It enters a weight twice, because
      // the maximum has an error too. The weighted sums add (16 + blocks) units; exp, rescaling and division add a few.
      const double score_steps = 16.0 + static_cast<double>(dim) / 16 + 2;
      const double sum_steps = 16.0 + static_cast<double>(length) / 16 + 16;
      const double relative = kUnit * (2 * score_steps * largest_terms + 2 * sum_steps);
      for (size_t key = 0; key < length; ++key) {
        const double error = std::abs(head.probabilities[query * length + key] - weights[key] / total);
        ASSERT_LE(error, relative) << length << " keys of " << dim << " at " << query << ", " << key;
        worst_probability = std::max(worst_probability, error / relative);
        for (size_t d = 0; d < dim; ++d) {
          sums[d] += weights[key] / total * static_cast<double>(head.v(key)[d]);
          sizes[d] += weights[key] / total * std::abs(static_cast<double>(head.v(key)[d]));
        }
      }
      for (size_t d = 0; d < dim; ++d) {
        const double error = std::abs(head.context[query * dim + d] - sums[d]);
        ASSERT_LE(error, 2 * relative * sizes[d]) << length << " keys of " << dim << " at " << query << ", " << d;
        worst = std::max(worst, error / (2 * relative * sizes[d]));
      }
    }
  }
  RecordProperty("largest_part_of_the_bound", std::to_string(worst));
  RecordProperty("largest_part_of_the_probabilities_bound", std::to_string(worst_probability));
}

TEST(PortableAttention, GivesRowsThatSumToOne) {
  Head head(131, 16, 2.0f);
  head.run();
  for (size_t query = 0; query < head.length; ++query) {
    double sum = 0;
    for (size_t key = 0; key < head.length; ++key) sum += head.probabilities[query * head.length + key];
    EXPECT_NEAR(sum, 1, 1e-6) << "query " << query;
  }
}

// A sink acts as a key with this score and the value 0. A sink of -infinity changes nothing.
TEST(PortableAttention, GivesASinkItsPartOfTheWeights) {
  const float values[] = {-3, 0, 2, 40, -std::numeric_limits<float>::infinity()};
  for (const size_t length : {1, 70, 131}) {
    for (const float& sink : values) {
      Head plain(length, 16, 1.0f), head(length, 16, 1.0f);
      plain.run();
      head.sink = &sink;
      head.run();
      for (size_t query = 0; query < length; ++query) {
        double sum = 0;
        for (size_t key = 0; key < length; ++key) sum += std::exp(static_cast<double>(head.score(query, key)));
        const double part = sum / (sum + std::exp(static_cast<double>(sink)));
        for (size_t key = 0; key < length; ++key) {
          const size_t at = query * length + key;
          ASSERT_NEAR(head.probabilities[at], plain.probabilities[at] * part, 8e-6 * part) << length << ", " << sink;
        }
        for (size_t d = 0; d < 16; ++d) {
          ASSERT_NEAR(head.context[query * 16 + d], plain.context[query * 16 + d] * part, 8e-6 * part);
        }
      }
      if (std::isinf(sink)) {
        EXPECT_TRUE(test::same_bits(head.context, plain.context));
      }
    }
  }
}

struct Rows {
  size_t rows = 3, cols;
  Vector x, weight, bias;
  explicit Rows(size_t cols_) : cols(cols_) {
    test::Random random(cols);
    x = random.numbers(rows * cols, 3.0f);
    for (float& value : x) value += 1.0f;
    weight = random.numbers(cols);
    bias = random.numbers(cols);
  }
  Vector normalized(double eps) const {
    Vector y(x.size());
    kPortableKernels.layer_norm({.x = x.data(),
                                 .x_stride = cols,
                                 .y = y.data(),
                                 .y_stride = cols,
                                 .rows = rows,
                                 .cols = cols,
                                 .weight = weight.data(),
                                 .bias = bias.data(),
                                 .eps = eps});
    return y;
  }
};

TEST(PortableLayerNorm, FollowsItsWrittenOrder) {
  for (const size_t cols : {1, 2, 7, 15, 16, 17, 31, 33, 128, 389}) {
    const Rows rows(cols);
    Vector expected = rows.x;
    for (size_t row = 0; row < rows.rows; ++row) {
      float* x = expected.data() + row * cols;
      const auto count = static_cast<double>(cols);
      std::array<double, 16> lanes{};
      for (size_t c = 0; c < cols; ++c) lanes[c % 16] += x[c];
      const double mean = tree_sum(lanes) / count;
      lanes = {};
      for (size_t c = 0; c < cols; ++c) lanes[c % 16] = std::fma(x[c] - mean, x[c] - mean, lanes[c % 16]);
      const double scale = 1 / std::sqrt(tree_sum(lanes) / count + 1e-5);
      for (size_t c = 0; c < cols; ++c) {
        const double weight = rows.weight[c], bias = rows.bias[c];
        x[c] = static_cast<float>(std::fma((x[c] - mean) * scale, weight, bias));
      }
    }
    EXPECT_TRUE(test::same_bits(rows.normalized(1e-5), expected)) << cols << " columns";
  }
}

// The error is at most half a unit in the last place, as of a single rounding.
TEST(PortableLayerNorm, IsFloat64RoundedOnce) {
  for (const size_t cols : {2, 7, 16, 128, 389, 1024}) {
    const Rows rows(cols);
    std::vector<double> expected;
    for (size_t row = 0; row < rows.rows; ++row) {
      const float* x = rows.x.data() + row * cols;
      double mean = 0, variance = 0;
      for (size_t c = 0; c < cols; ++c) mean += x[c] / static_cast<double>(cols);
      for (size_t c = 0; c < cols; ++c) variance += (x[c] - mean) * (x[c] - mean) / static_cast<double>(cols);
      for (size_t c = 0; c < cols; ++c) {
        expected.push_back((x[c] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(rows.weight[c]) +
                           static_cast<double>(rows.bias[c]));
      }
    }
    const Vector got = rows.normalized(1e-5);
    for (size_t i = 0; i < got.size(); ++i) {
      const double half_a_unit = kUnit * std::abs(expected[i]) + 1e-12;
      ASSERT_NEAR(got[i], expected[i], half_a_unit) << cols << " columns, at " << i;
    }
  }
}

// The mean is 2 and the variance 2/3, so the normalized row is -√1.5, 0, √1.5.
TEST(PortableLayerNorm, MatchesAHandCalculation) {
  Vector x = {1, 2, 3};
  const Vector weight = {2, 5, 1}, bias = {1, -1, 0.5f};
  NormArgs args{};
  args.x = args.y = x.data();
  args.rows = 1;
  args.cols = 3;
  args.weight = weight.data();
  args.bias = bias.data();
  kPortableKernels.layer_norm(args);
  const std::vector<double> expected = {1 - 2 * std::sqrt(1.5), -1, 0.5 + std::sqrt(1.5)};
  EXPECT_TRUE(test::within(3e-7, x, expected));
}

// The mean of the squares is 4, and eps 5 makes it 9.
TEST(PortableRmsNorm, MatchesAHandCalculation) {
  const Vector x = {1, -3, 1, std::sqrt(5.0f)}, weight = {3, 2, -3, 0};
  Vector y(4);
  NormArgs args{};
  args.x = x.data();
  args.y = y.data();
  args.rows = 1;
  args.cols = 4;
  args.weight = weight.data();
  args.eps = 5;
  kPortableKernels.rms_norm(args);
  EXPECT_TRUE(test::within(3e-7, y, std::vector<double>{1, -2, -1, 0}));
}

TEST(PortableGate, MultipliesTheActivatedHalfByTheOther) {
  Vector row = {1, -2, 3, 10, 20, 30};
  kPortableKernels.gate({.x = row.data(),
                         .gate = row.data() + 3,
                         .stride = 6,
                         .y = row.data(),
                         .y_stride = 6,
                         .rows = 1,
                         .cols = 3,
                         .activation = Activation::kRelu});
  EXPECT_EQ(row, (Vector{10, 0, 90, 10, 20, 30}));
}

// Each of two heads has 4 components. The first pair turns by a quarter, the second by an eighth.
TEST(PortableRotate, TurnsTheHalvesOfEachHead) {
  Vector x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const float r = std::sqrt(0.5f);
  const Vector table = {0, r, 1, r};
  kPortableKernels.rotate({.x = x.data(), .stride = 9, .rows = 1, .heads = 2, .head_dim = 4, .table = table.data()});
  EXPECT_TRUE(test::within(1e-6, x,
                           std::vector<double>{-3, -2 * std::sqrt(0.5), 1, 6 * std::sqrt(0.5), -7, -2 * std::sqrt(0.5),
                                               5, 14 * std::sqrt(0.5), 9}));
}

TEST(PortableRows, AreWidenedAndAdded) {
  const std::vector<uint16_t> half = {0x3C00, 0xC000, 0x0001, 0x7BFF};   // 1, -2, 2^-24, 65504
  const std::vector<uint16_t> brain = {0x3F80, 0xC000, 0x0001, 0x7F7F};  // 1, -2, 2^-133, 255 * 2^120
  Vector y = {10, 20, 0, 0};
  kPortableKernels.add_row(y.data(), {half.data(), WeightFormat::kF16}, 4);
  EXPECT_EQ(y, (Vector{11, 18, 0x1p-24f, 65504}));
  kPortableKernels.copy_row(y.data(), {brain.data(), WeightFormat::kBF16}, 4);
  EXPECT_EQ(y, (Vector{1, -2, 0x1p-133f, 0x1.FEp127f}));
}

}  // namespace
}  // namespace bert
