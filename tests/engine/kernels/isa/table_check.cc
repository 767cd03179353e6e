#include "tests/engine/kernels/isa/table_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "engine/base/aligned_buffer.h"
#include "tests/support/compare.h"
#include "tests/support/random.h"

namespace bert::test {
namespace {

constexpr float kUntouched = -12345.0f;

// Numbers at an address that is aligned to their own size only.
template <class T>
class Misaligned {
 public:
  template <class Make>
  Misaligned(size_t count, const Make& make) : values_(count + 1) {
    for (T& value : values_) value = make();
  }
  T* data() { return values_.data() + 1; }
  size_t size() const { return values_.size() - 1; }

 private:
  std::vector<T> values_;
};

enum class Numbers { kOrdinary, kExtreme, kHostile };

float make_number(Random& random, Numbers numbers) {
  if (numbers == Numbers::kHostile) return random.hostile();
  return numbers == Numbers::kExtreme ? random.extreme() : random.number();
}

// Weights of one type as the checkpoint would hold them.
class Weights {
 public:
  Weights(WeightType type, size_t count, Random& random, Numbers numbers)
      : type_(type),
        floats_(type == kWeightF32 ? count : 0, [&] { return make_number(random, numbers); }),
        halves_(type == kWeightF32 ? 0 : count, [&] {
          if (numbers != Numbers::kOrdinary && random.below(4) == 0) return static_cast<uint16_t>(random.bits());
          return random.half(type == kWeightF16 ? DType::kF16 : DType::kBF16);
        }) {}
  const void* data() { return type_ == kWeightF32 ? static_cast<const void*>(floats_.data()) : halves_.data(); }

 private:
  WeightType type_;
  Misaligned<float> floats_;
  Misaligned<uint16_t> halves_;
};

// Scratch memory full of NaN, so that reading what was not written shows.
AlignedBuffer<float> dirty_scratch(size_t floats) {
  AlignedBuffer<float> scratch(floats);
  std::fill_n(scratch.data(), floats, std::numeric_limits<float>::quiet_NaN());
  return scratch;
}

struct GemmCase {
  size_t rows;
  size_t in;
  size_t outs;
  Numbers numbers = Numbers::kOrdinary;
  size_t number = 0;  // of the case; picks bias, residual and activation
};

std::string text_of(const GemmCase& c) {
  return "[" + std::to_string(c.rows) + ", " + std::to_string(c.in) + "] x [" + std::to_string(c.outs) + ", " +
         std::to_string(c.in) + "]";
}

void check_gemm_case(const KernelTable& table, WeightType type, const GemmCase& c) {
  Random random(c.rows * 1'000'003 + c.in * 1009 + c.outs);
  const auto next = [&] { return make_number(random, c.numbers); };
  const size_t x_stride = c.in + 3, y_stride = c.outs + 5, residual_stride = c.outs + 1;
  Misaligned<float> x(c.rows * x_stride, next), bias(c.outs, next), residual(c.rows * residual_stride, next);
  Weights weights(type, c.outs * c.in, random, c.numbers);
  Misaligned<float> got(c.rows * y_stride, [] { return kUntouched; });
  Misaligned<float> expected(c.rows * y_stride, [] { return kUntouched; });
  AlignedBuffer<float> scratch = dirty_scratch(kGemmScratchFloats);

  GemmArgs args{};
  args.x = x.data();
  args.x_stride = x_stride;
  args.rows = c.rows;
  args.in = c.in;
  args.weight = weights.data();
  args.outs = c.outs;
  args.bias = c.number % 3 == 0 ? nullptr : bias.data();
  args.activation = all_activations()[c.number % all_activations().size()];
  args.residual = c.number % 2 == 0 ? nullptr : residual.data();
  args.residual_stride = residual_stride;
  args.y_stride = y_stride;
  args.scratch = scratch.data();
  args.y = expected.data();
  kPortableKernels.gemm[type](args);
  args.y = got.data();
  scratch = dirty_scratch(kGemmScratchFloats);
  args.scratch = scratch.data();
  table.gemm[type](args);

  ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << text_of(c);
  for (size_t row = 0; row < c.rows; ++row) {
    for (size_t gap = c.outs; gap < y_stride; ++gap) {
      ASSERT_EQ(got.data()[row * y_stride + gap], kUntouched) << text_of(c) << ", row " << row << ", past its end";
    }
  }
}

// Around the row tiles (4, 6, 8, 16), their multiples, and the borders between few and many rows; around 16, 48 and
// the blocks of k; primes.
const std::vector<size_t> kRows = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                   14, 15, 16, 17, 19, 20, 21, 31, 32, 33, 39, 40, 41, 65};
const std::vector<size_t> kIns = {0, 1, 2, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 211};
const std::vector<size_t> kOuts = {1, 15, 16, 17, 31, 33, 47, 48, 49, 97};

struct AttentionCase {
  size_t length;
  size_t head_dim;
  Numbers numbers = Numbers::kOrdinary;
  float scale = 0.25f;
};

// Runs one function of both tables on the same head; the output has gaps between its rows.
void check_attention_case(const KernelTable& table, void (*KernelTable::*function)(const AttentionArgs&),
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
  args.context_stride = context_stride;
  const auto run = [&](const KernelTable& kernels, Misaligned<float>& context) {
    AlignedBuffer<float> scratch = dirty_scratch(attention_scratch_floats(c.length, c.head_dim));
    args.scratch = scratch.data();
    args.context = context.data();
    (kernels.*function)(args);
  };
  run(kPortableKernels, expected);
  run(table, got);

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

// Sizes of rows: around 16 and its multiples, primes.
const std::vector<size_t> kCounts = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 61, 64, 127, 384, 389};

}  // namespace

const std::vector<Activation>& all_activations() {
  static const std::vector<Activation> all = {Activation::kIdentity,  Activation::kGelu,   Activation::kGeluTanh,
                                              Activation::kGeluFast,  Activation::kGelu10, Activation::kQuickGelu,
                                              Activation::kRelu,      Activation::kRelu2,  Activation::kRelu6,
                                              Activation::kLeakyRelu, Activation::kSilu,   Activation::kSigmoid,
                                              Activation::kTanh,      Activation::kMish,   Activation::kLaplace};
  return all;
}

void check_gemm(const KernelTable& table, WeightType type) {
  size_t number = 0;
  for (const size_t rows : kRows) {
    for (const size_t in : kIns) {
      for (const size_t outs : kOuts) {
        // All sizes with floats; every third with the 16-bit types, whose tiles differ in the widening only.
        if (++number % 3 != 0 && type != kWeightF32) continue;
        check_gemm_case(table, type, {.rows = rows, .in = in, .outs = outs, .number = number});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  // As many outputs as one call takes on the instruction set with the widest panels.
  for (const size_t rows : {5, 70}) check_gemm_case(table, type, {.rows = rows, .in = 130, .outs = 192, .number = 1});
  // Around the depth of a group of panels, which many rows are cut at.
  for (const size_t rows : {1, 32, 33}) {
    for (const size_t in : {kGemmDepth - 1, kGemmDepth, kGemmDepth + 1, 2 * kGemmDepth + 65}) {
      for (const size_t outs : {1, 17, 33}) {
        check_gemm_case(table, type, {.rows = rows, .in = in, .outs = outs, .number = ++number});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

void check_gemm_of_hostile_numbers(const KernelTable& table, WeightType type) {
  size_t number = 0;
  for (const Numbers numbers : {Numbers::kExtreme, Numbers::kHostile}) {
    for (const size_t rows : {1, 5, 15, 33}) {
      for (const size_t in : {1, 2, 5, 17, 64, 129}) {
        for (const size_t outs : {1, 16, 33}) {
          check_gemm_case(table, type, {.rows = rows, .in = in, .outs = outs, .numbers = numbers, .number = number++});
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

void check_epilogue(const KernelTable& table) {
  Random random(5);
  for (const Activation activation : all_activations()) {
    for (const size_t outs : {1, 15, 16, 17, 33, 67}) {
      const size_t rows = 3, stride = outs + 1;
      const auto next = [&] { return random.hostile(); };
      Misaligned<float> bias(outs, next), residual(rows * stride, next), got(rows * stride, next);
      Misaligned<float> expected = got;
      GemmArgs args{};
      args.rows = rows;
      args.outs = outs;
      args.bias = bias.data();
      args.activation = activation;
      args.residual = residual.data();
      args.residual_stride = stride;
      args.y_stride = stride;
      args.y = expected.data();
      kPortableKernels.epilogue(args);
      args.y = got.data();
      table.epilogue(args);
      ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()}))
          << "activation " << static_cast<int>(activation) << ", outs " << outs;
    }
  }
}

void check_attention(const KernelTable& table) {
  for (const size_t length : kLengths) {
    for (const size_t head_dim : kHeadDims) {
      check_attention_case(table, &KernelTable::attention, head_dim, {.length = length, .head_dim = head_dim});
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

void check_attention_of_hostile_numbers(const KernelTable& table) {
  for (const Numbers numbers : {Numbers::kExtreme, Numbers::kHostile}) {
    for (const size_t length : {1, 3, 16, 65, 129}) {
      for (const size_t head_dim : {1, 2, 16, 33}) {
        check_attention_case(table, &KernelTable::attention, head_dim,
                             {.length = length, .head_dim = head_dim, .numbers = numbers});
        check_attention_case(table, &KernelTable::attention_probabilities, length,
                             {.length = length, .head_dim = head_dim, .numbers = numbers});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  // Scores so far apart that all weights but one vanish, and the running maximum changes from block to block.
  for (const size_t head_dim : {16, 130}) {
    check_attention_case(table, &KernelTable::attention, head_dim,
                         {.length = 211, .head_dim = head_dim, .scale = 50.0f});
  }
}

void check_attention_probabilities(const KernelTable& table) {
  for (const size_t length : kLengths) {
    for (const size_t head_dim : {1, 5, 16, 33}) {
      check_attention_case(table, &KernelTable::attention_probabilities, length,
                           {.length = length, .head_dim = head_dim});
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

void check_attention_with_terms(const KernelTable& table) {
  for (const size_t length : {1, 15, 16, 17, 64, 65, 130}) {
    const size_t dim = 12, stride = dim + 2;
    for (const bool by_distance : {false, true}) {
      Random random(length);
      const auto next = [&] { return random.number(); };
      Misaligned<float> q(length * stride, next), k(length * stride, next), v(length * stride, next);
      Misaligned<float> terms(by_distance ? 2 * length - 1 : length * length, next);
      const auto run = [&](const KernelTable& kernels, auto function, size_t cols) {
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
        args.terms = terms.data() + (by_distance ? length - 1 : 0);
        args.terms_stride = by_distance ? -1 : static_cast<ptrdiff_t>(length);
        args.context = context.data();
        args.context_stride = cols;
        args.scratch = scratch.data();
        (kernels.*function)(args);
        return context;
      };
      for (const auto& [function, cols] :
           {std::pair{&KernelTable::attention, dim}, std::pair{&KernelTable::attention_probabilities, length}}) {
        ASSERT_TRUE(same_bits(run(table, function, cols), run(kPortableKernels, function, cols))) << length;
      }
    }
  }
}

void check_relative_terms(const KernelTable& table) {
  for (const size_t length : {1, 2, 15, 16, 17, 40}) {
    for (const size_t dim : {1, 12, 16, 33}) {
      for (const bool keys : {false, true}) {
        Random random(length * 100 + dim);
        const auto next = [&] { return random.number(); };
        const size_t stride = dim + 1, positions = 3 * length;
        std::vector<int32_t> places;
        for (size_t i = 0; i < length; ++i) places.push_back(static_cast<int32_t>(2 * i + i % 2));
        Misaligned<float> q(length * stride, next), k(length * stride, next), rows((2 * positions - 1) * dim, next);
        const auto run = [&](const KernelTable& kernels) {
          const size_t span = static_cast<size_t>(places.back() - places.front()) + 1;
          AlignedBuffer<float> scratch = dirty_scratch(relative_scratch_floats(span, dim));
          std::vector<float> terms(length * length, kUntouched);
          kernels.relative_terms({.q = q.data(),
                                  .k = keys ? k.data() : nullptr,
                                  .stride = stride,
                                  .length = length,
                                  .head_dim = dim,
                                  .places = places.data(),
                                  .table = rows.data(),
                                  .positions = positions,
                                  .scale = 0.25f,
                                  .terms = terms.data(),
                                  .scratch = scratch.data()});
          return terms;
        };
        ASSERT_TRUE(same_bits(run(table), run(kPortableKernels))) << length << " tokens, " << dim;
      }
    }
  }
}

void check_layer_norm(const KernelTable& table) {
  for (const Numbers numbers : {Numbers::kOrdinary, Numbers::kExtreme, Numbers::kHostile}) {
    for (const size_t cols : kCounts) {
      if (cols == 0) continue;
      Random random(cols);
      const auto next = [&] { return make_number(random, numbers); };
      const size_t rows = 5, stride = cols + 3;
      Misaligned<float> weight(cols, next), bias(cols, next), got(rows * stride, next);
      Misaligned<float> expected = got;
      const auto args = [&](Misaligned<float>& x) {
        return LayerNormArgs{.x = x.data(),
                             .stride = stride,
                             .rows = rows,
                             .cols = cols,
                             .weight = weight.data(),
                             .bias = bias.data(),
                             .eps = 1e-12};
      };
      kPortableKernels.layer_norm(args(expected));
      table.layer_norm(args(got));
      ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << cols << " columns";
    }
  }
}

void check_add_row(const KernelTable& table, WeightType type) {
  for (const size_t count : kCounts) {
    Random random(count);
    Weights row(type, count, random, Numbers::kHostile);
    Misaligned<float> got(count, [&] { return random.hostile(); });
    Misaligned<float> expected = got;
    kPortableKernels.add_row[type](expected.data(), row.data(), count);
    table.add_row[type](got.data(), row.data(), count);
    ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << count << " values";
  }
}

void check_copy_row(const KernelTable& table, WeightType type) {
  for (const size_t count : kCounts) {
    Random random(count);
    Weights row(type, count, random, Numbers::kHostile);
    Misaligned<float> got(count, [] { return kUntouched; });
    Misaligned<float> expected = got;
    kPortableKernels.copy_row[type](expected.data(), row.data(), count);
    table.copy_row[type](got.data(), row.data(), count);
    ASSERT_TRUE(same_bits({got.data(), got.size()}, {expected.data(), expected.size()})) << count << " values";
  }
  if (type == kWeightF32) return;
  // Every number of a 16-bit type, against engine/tensor's own widening.
  std::vector<uint16_t> all(65536);
  std::vector<float> expected(all.size()), got(all.size());
  for (size_t bits = 0; bits < all.size(); ++bits) {
    all[bits] = static_cast<uint16_t>(bits);
    expected[bits] = type == kWeightF16 ? widen_f16(all[bits]) : widen_bf16(all[bits]);
  }
  table.copy_row[type](got.data(), all.data(), all.size());
  ASSERT_TRUE(same_bits(got, expected));
}

void check_activate(const KernelTable& table, Activation activation) {
  Random random(11);
  std::vector<float> values;
  for (size_t i = 0; i < 60'013; ++i) values.push_back(i % 2 == 0 ? random.hostile() : 8 * random.number());
  // Around 0.6, tanh's border between its two formulas, and around exp's limits.
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
