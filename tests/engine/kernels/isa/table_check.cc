#include "tests/engine/kernels/isa/table_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix.h"
#include "tests/engine/kernels/isa/check_data.h"
#include "tests/support/compare.h"

namespace bert::test {
namespace {

struct AttentionCase {
  size_t length;
  size_t head_dim;
  Numbers numbers = Numbers::kOrdinary;
  float scale = 0.25f;
  std::optional<float> sink = {};
};

// Compares one function of both tables on the same head. The output has gaps between its rows.
void check_attention_case(const AttentionPair& pair, void (*AttentionKernels::*function)(const AttentionArgs&),
                          size_t columns, const AttentionCase& c) {
  Random random(c.length * 1009 + c.head_dim);
  const auto next = [&] { return make_number(random, c.numbers); };
  const size_t stride = 3 * c.head_dim + 1, context_stride = columns + 3;
  Misaligned<float> qkv(c.length * stride, next);
  Misaligned<float> got(c.length * context_stride, [] { return kUntouched; });
  Misaligned<float> expected(c.length * context_stride, [] { return kUntouched; });

  AttentionArgs args{};
  args.q = qkv.data();
  args.k = qkv.data() + c.head_dim;
  args.v = qkv.data() + 2 * c.head_dim;
  args.stride = stride;
  args.length = c.length;
  args.head_dim = c.head_dim;
  args.scale = c.scale;
  args.queries = c.length;
  args.window = kNoWindow;
  args.context_stride = context_stride;
  if (c.sink) args.sink = &*c.sink;
  const auto run = [&](const AttentionKernels& kernels, Misaligned<float>& context) {
    AlignedBuffer<float> scratch = dirty_scratch(attention_scratch_floats(c.length, c.head_dim));
    args.scratch = scratch.data();
    args.context = context.data();
    (kernels.*function)(args);
  };
  run(pair.portable, expected);
  run(pair.kernels, got);

  const std::string which = "length " + std::to_string(c.length) + ", head_dim " + std::to_string(c.head_dim);
  ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << which;
  for (size_t row = 0; row < c.length; ++row) {
    for (size_t gap = columns; gap < context_stride; ++gap) {
      ASSERT_EQ(got.data()[row * context_stride + gap], kUntouched) << which << ", row " << row << ", past its end";
    }
  }
}

const std::vector<size_t> kLengths = {1,  2,  5,  6,  7,  13,  14,  15,  16,  17, 31,
                                      63, 64, 65, 79, 80, 127, 128, 129, 131, 193};
const std::vector<size_t> kHeadDims = {1, 5, 12, 15, 16, 17, 31, 32, 33, 64, 67, 96, 130};

// The sizes of rows are around 16 and its multiples, and primes.
const std::vector<size_t> kCounts = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 61, 64, 127, 384, 389};

}  // namespace

const std::vector<Activation>& all_activations() {
  static const std::vector<Activation> all = [] {
    std::vector<Activation> result;
    for (int i = 0; i <= static_cast<int>(Activation::kLog1pRelu); ++i) result.push_back(static_cast<Activation>(i));
    return result;
  }();
  return all;
}

void check_epilogue(const KernelTable& table) {
  Random random(5);
  for (const Activation activation : all_activations()) {
    for (const size_t outs : {1, 15, 16, 17, 33, 67}) {
      const size_t rows = 3, stride = outs + 1;
      const auto next = [&] { return random.hostile(); };
      Misaligned<float> bias(outs, next), residual(rows * stride, next), got(rows * stride, next);
      Misaligned<float> expected = got;
      ProductOutput output = {.rows = rows,
                              .outs = outs,
                              .bias = bias.data(),
                              .activation = activation,
                              .residual = residual.data(),
                              .residual_stride = stride,
                              .y = expected.data(),
                              .y_stride = stride};
      kPortableKernels.epilogue(output);
      output.y = got.data();
      table.epilogue(output);
      ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()}))
          << "activation " << static_cast<int>(activation) << ", outs " << outs;
    }
  }
}

void check_attention(const AttentionPair& pair) {
  for (const size_t length : kLengths) {
    for (const size_t head_dim : kHeadDims) {
      check_attention_case(pair, &AttentionKernels::context, head_dim, {.length = length, .head_dim = head_dim});
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  for (const float sink : {-100.0f, 0.5f, 100.0f, std::numeric_limits<float>::quiet_NaN()}) {
    for (const size_t length : {1, 17, 130}) {
      const AttentionCase with_sink{.length = length, .head_dim = 18, .sink = sink};
      check_attention_case(pair, &AttentionKernels::context, 18, with_sink);
      check_attention_case(pair, &AttentionKernels::probabilities, length, with_sink);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

void check_attention_of_hostile_numbers(const AttentionPair& pair) {
  for (const Numbers numbers : {Numbers::kExtreme, Numbers::kHostile}) {
    for (const size_t length : {1, 3, 16, 65, 129}) {
      for (const size_t head_dim : {1, 2, 16, 33}) {
        check_attention_case(pair, &AttentionKernels::context, head_dim,
                             {.length = length, .head_dim = head_dim, .numbers = numbers});
        check_attention_case(pair, &AttentionKernels::probabilities, length,
                             {.length = length, .head_dim = head_dim, .numbers = numbers});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  // The scores differ so much that all weights but one vanish, and the running maximum changes from block to block.
  for (const size_t head_dim : {16, 130}) {
    check_attention_case(pair, &AttentionKernels::context, head_dim,
                         {.length = 211, .head_dim = head_dim, .scale = 50.0f});
  }
}

void check_attention_probabilities(const AttentionPair& pair) {
  for (const size_t length : kLengths) {
    for (const size_t head_dim : {1, 5, 16, 33}) {
      check_attention_case(pair, &AttentionKernels::probabilities, length, {.length = length, .head_dim = head_dim});
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

void check_attention_with_bias(const AttentionPair& pair) {
  for (const size_t length : {1, 15, 16, 17, 64, 65, 130}) {
    const size_t dim = 12, stride = dim + 2;
    for (const bool by_distance : {false, true}) {
      Random random(length);
      const auto next = [&] { return random.number(); };
      Misaligned<float> q(length * stride, next), k(length * stride, next), v(length * stride, next);
      Misaligned<float> bias(by_distance ? 2 * length - 1 : length * length, next);
      const auto run = [&](const AttentionKernels& kernels, auto function, size_t cols) {
        AlignedBuffer<float> scratch = dirty_scratch(attention_scratch_floats(length, dim));
        std::vector<float> context(length * cols, kUntouched);
        AttentionArgs args{};
        args.q = q.data();
        args.k = k.data();
        args.v = v.data();
        args.stride = stride;
        args.length = length;
        args.head_dim = dim;
        args.scale = 0.3f;
        args.queries = length;
        args.window = kNoWindow;
        args.attention_bias = bias.data() + (by_distance ? length - 1 : 0);
        args.attention_bias_stride = by_distance ? -1 : static_cast<ptrdiff_t>(length);
        args.context = context.data();
        args.context_stride = cols;
        args.scratch = scratch.data();
        (kernels.*function)(args);
        return context;
      };
      for (const auto& [function, cols] :
           {std::pair{&AttentionKernels::context, dim}, std::pair{&AttentionKernels::probabilities, length}}) {
        ASSERT_TRUE(same_bits(run(pair.kernels, function, cols), run(pair.portable, function, cols))) << length;
      }
    }
  }
}

namespace {

// Expects the portable table's bits, whichever queries a call computes. The places have gaps.
void check_attention_with_a_window(const AttentionPair& pair, size_t global_keys, float soft_cap) {
  for (const size_t length : {1, 7, 64, 65, 129, 300}) {
    for (const size_t window : {0, 1, 5, 64, 1000}) {
      const size_t dim = 12, stride = dim + 2;
      Random random(length * 7 + window);
      const auto next = [&] { return random.number(); };
      Misaligned<float> q(length * stride, next), k(length * stride, next), v(length * stride, next);
      std::vector<int32_t> places;
      for (size_t i = 0; i < length; ++i) places.push_back(static_cast<int32_t>(i + i / 50 * 3));
      const auto run = [&](const AttentionKernels& kernels, auto function, size_t cols, size_t queries_a_call) {
        std::vector<float> context(length * cols, kUntouched);
        for (size_t first = 0; first < length; first += queries_a_call) {
          AlignedBuffer<float> scratch = dirty_scratch(attention_scratch_floats(length, dim));
          AttentionArgs args{};
          args.q = q.data();
          args.k = k.data();
          args.v = v.data();
          args.stride = stride;
          args.length = length;
          args.head_dim = dim;
          args.scale = 0.3f;
          args.first_query = first;
          args.queries = std::min(queries_a_call, length - first);
          args.window = window;
          args.global_keys = std::min(global_keys, length);
          args.soft_cap = soft_cap;
          args.places = places.data();
          args.context = context.data() + first * cols;
          args.context_stride = cols;
          args.scratch = scratch.data();
          (kernels.*function)(args);
        }
        return context;
      };
      for (const auto& [function, cols] :
           {std::pair{&AttentionKernels::context, dim}, std::pair{&AttentionKernels::probabilities, length}}) {
        const std::vector<float> expected = run(pair.portable, function, cols, length);
        ASSERT_TRUE(same_bits(run(pair.kernels, function, cols, length), expected)) << length << ", window " << window;
        ASSERT_TRUE(same_bits(run(pair.kernels, function, cols, 13), expected)) << length << ", window " << window;
      }
    }
  }
}

}  // namespace

void check_attention_with_a_window(const AttentionPair& pair) {
  check_attention_with_a_window(pair, 0, 0);
  check_attention_with_a_window(pair, 0, 1.5f);
  for (const size_t global_keys : {1, 70, 300}) check_attention_with_a_window(pair, global_keys, 0);
}

void check_norms(const KernelTable& table) {
  for (const Numbers numbers : {Numbers::kOrdinary, Numbers::kExtreme, Numbers::kHostile}) {
    for (const size_t cols : kCounts) {
      if (cols == 0) continue;
      Random random(cols);
      const auto next = [&] { return make_number(random, numbers); };
      const size_t rows = 5, stride = cols + 3;
      Misaligned<float> weight(cols, next), bias(cols, next), x(rows * stride, next);
      for (const auto norm : {&KernelTable::layer_norm, &KernelTable::rms_norm}) {
        for (const bool biased : {true, false}) {
          const auto run = [&](const KernelTable& kernels) {
            std::vector<float> y(rows * cols, kUntouched);
            (kernels.*norm)({.x = x.data(),
                             .x_stride = stride,
                             .y = y.data(),
                             .y_stride = cols,
                             .rows = rows,
                             .cols = cols,
                             .weight = weight.data(),
                             .bias = biased ? bias.data() : nullptr,
                             .eps = 1e-12});
            return y;
          };
          ASSERT_TRUE(same_bits(run(table), run(kPortableKernels))) << cols << " columns";
        }
      }
    }
  }
}

void check_gate(const KernelTable& table) {
  for (const Activation activation : all_activations()) {
    for (const size_t cols : kCounts) {
      if (cols == 0) continue;
      Random random(cols);
      const size_t rows = 3, stride = 2 * cols + 3;
      Misaligned<float> got(rows * stride, [&] { return random.number(); });
      Misaligned<float> expected = got;
      const auto run = [&](const KernelTable& kernels, float* halves) {
        kernels.gate({.x = halves + cols,
                      .gate = halves,
                      .stride = stride,
                      .y = halves,
                      .y_stride = stride,
                      .rows = rows,
                      .cols = cols,
                      .activation = activation});
      };
      run(table, got.data());
      run(kPortableKernels, expected.data());
      ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << cols << " columns";
    }
  }
}

void check_rotate(const KernelTable& table) {
  for (const size_t head_dim : {2, 6, 12, 32, 34, 64, 130}) {
    Random random(head_dim);
    const size_t rows = 3, heads = 2, stride = heads * head_dim + 5;
    const auto next = [&] { return random.number(); };
    Misaligned<float> got(rows * stride, next), rotary_table(rows * head_dim, next);
    Misaligned<float> expected = got;
    const auto run = [&](const KernelTable& kernels, float* x) {
      kernels.rotate(
          {.x = x, .stride = stride, .rows = rows, .heads = heads, .head_dim = head_dim, .table = rotary_table.data()});
    };
    run(table, got.data());
    run(kPortableKernels, expected.data());
    ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << head_dim;
  }
}

void check_add_row(const KernelTable& table, WeightFormat format) {
  for (const size_t count : kCounts) {
    Random random(count);
    Weights row(format, 1, count, random, Numbers::kHostile);
    Misaligned<float> got(count, [&] { return random.hostile(); });
    Misaligned<float> expected = got;
    kPortableKernels.add_row(expected.data(), row.row(), count);
    table.add_row(got.data(), row.row(), count);
    ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << count << " values";
  }
}

void check_copy_row(const KernelTable& table, WeightFormat format) {
  for (const size_t count : kCounts) {
    Random random(count);
    Weights row(format, 1, count, random, Numbers::kHostile);
    Misaligned<float> got(count, [] { return kUntouched; });
    Misaligned<float> expected = got;
    kPortableKernels.copy_row(expected.data(), row.row(), count);
    table.copy_row(got.data(), row.row(), count);
    ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << count << " values";
  }
  if (element_bytes(format) != 2) return;
  // Compares every number of a 16-bit format with the conversion of engine/tensor.
  std::vector<uint16_t> all(65536);
  std::vector<float> expected(all.size()), got(all.size());
  for (size_t bits = 0; bits < all.size(); ++bits) {
    all[bits] = static_cast<uint16_t>(bits);
    expected[bits] = format == WeightFormat::kF16 ? widen_f16(all[bits]) : widen_bf16(all[bits]);
  }
  table.copy_row(got.data(), {all.data(), format}, all.size());
  ASSERT_TRUE(same_bits(got, expected));
}

void check_sum_rows(const KernelTable& table, WeightFormat format) {
  for (const size_t count : kCounts) {
    for (const size_t rows : {1, 2, 7}) {
      Random random(count + rows);
      Weights weights(format, rows, count, random, Numbers::kHostile);
      std::vector<WeightRow> all;
      for (size_t i = 0; i < rows; ++i) all.push_back(weights.row(i));
      Misaligned<float> got(count, [] { return kUntouched; }), expected(count, [] { return kUntouched; });
      kPortableKernels.copy_row(expected.data(), all[0], count);
      for (size_t i = 1; i < rows; ++i) kPortableKernels.add_row(expected.data(), all[i], count);
      table.sum_rows(got.data(), all.data(), rows, count);
      ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()}))
          << rows << " rows of " << count << " values";
    }
  }
}

void check_activate(const KernelTable& table, Activation activation) {
  Random random(11);
  std::vector<float> values;
  for (size_t i = 0; i < 60'013; ++i) values.push_back(i % 2 == 0 ? random.hostile() : 8 * random.number());
  // The values are around 0.6, where tanh changes its formula, and around exp's limits.
  for (const float border : {0.6f, 14.5f, 89.0f, -104.0f, 20.0f, 6.0f, 10.0f}) {
    for (float value = std::nextafter(border, 0.0f), i = 0; i < 3; ++i, value = std::nextafter(value, 1e9f * border)) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  for (const size_t count : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17}, values.size()}) {
    std::vector<float> expected(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<float> got = expected;
    kPortableKernels.activate(expected.data(), count, activation);
    table.activate(got.data(), count, activation);
    ASSERT_TRUE(same_bits(got, expected))
        << "activation " << static_cast<int>(activation) << ", " << count << " values";
  }
}

}  // namespace bert::test
