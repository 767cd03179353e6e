// Row operations: LayerNorm, sums of table rows, activations. Sums over a row go into 16 lanes, column i into lane
// i mod 16, and the lanes are added in one fixed tree. Included after math.inl.h and parts.inl.h.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace bert {
namespace {

// Computed in float64 and rounded once at the end, because an error of the mean or the deviation would shift the whole
// row. Without centring the mean counts as 0: RMSNorm.
template <bool kCentred>
inline void norm(const NormArgs& args) {
  const size_t cols = args.cols;
  const size_t whole = cols / 16 * 16;  // columns in whole Lanes
  const size_t rest = cols - whole;
  const double count = static_cast<double>(cols);
  for (size_t row = 0; row < args.rows; ++row) {
    const float* x = args.x + row * args.x_stride;
    float* y = args.y + row * args.y_stride;
    double mean = 0.0;
    if constexpr (kCentred) {
      Doubles sum = set1(0.0);
      for (size_t c = 0; c < whole; c += 16) sum = add(sum, load_doubles(x + c));
      if (rest > 0) sum = add(sum, widen(load_part(x + whole, rest)));
      mean = sum_of(sum) / count;
    }

    Doubles squares = set1(0.0);
    const auto add_square = [&](Doubles values, Doubles means) {
      const Doubles d = sub(values, means);
      squares = fma(d, d, squares);
    };
    for (size_t c = 0; c < whole; c += 16) add_square(load_doubles(x + c), set1(mean));
    if (rest > 0) {
      double means[16] = {};  // 0 past the row's end, as in x
      for (size_t i = 0; i < rest; ++i) means[i] = mean;
      add_square(widen(load_part(x + whole, rest)), load(means));
    }
    const double scale = 1.0 / square_root(sum_of(squares) / count + args.eps);

    const auto normalized = [&](Doubles values, Doubles weight, Doubles bias) {
      return narrow(fma(mul(sub(values, set1(mean)), set1(scale)), weight, bias));
    };
    const auto put = [&](const auto& bias_at) {
      for (size_t c = 0; c < whole; c += 16) {
        store(y + c, normalized(load_doubles(x + c), load_doubles(args.weight + c), bias_at(c, size_t{16})));
      }
      if (rest > 0) {
        const auto part = [&](const float* p) { return widen(load_part(p + whole, rest)); };
        store_part(y + whole, normalized(part(x), part(args.weight), bias_at(whole, rest)), rest);
      }
    };
    if (args.bias == nullptr) {
      put([](size_t, size_t) { return set1(0.0); });
    } else {
      put([&](size_t c, size_t n) {
        return n == 16 ? load_doubles(args.bias + c) : widen(load_part(args.bias + c, n));
      });
    }
  }
}

void layer_norm(const NormArgs& args) { norm<true>(args); }
void rms_norm(const NormArgs& args) { norm<false>(args); }

// A row of 8-bit weights; each is multiplied by the row's scale.
struct ScaledI8 {
  float scale;
  float widen(int8_t a) const { return static_cast<float>(a) * scale; }
  Lanes load16(const int8_t* p) const {
    float numbers[16];
    for (size_t i = 0; i < 16; ++i) numbers[i] = widen(p[i]);
    return load(numbers);
  }
};

// Calls use(Type(), elements) for the row's format.
template <class Use>
inline void with_elements(WeightRow row, const Use& use) {
  switch (row.format) {
    case WeightFormat::kF32:
      return use(F32(), static_cast<const F32::Storage*>(row.data));
    case WeightFormat::kF16:
      return use(F16(), static_cast<const F16::Storage*>(row.data));
    case WeightFormat::kBF16:
      return use(BF16(), static_cast<const BF16::Storage*>(row.data));
    case WeightFormat::kI8:
    case WeightFormat::kI8Symmetric:
      return use(ScaledI8{row.scale}, static_cast<const int8_t*>(row.data));
  }
}

void add_row(float* y, WeightRow row, size_t count) {
  with_elements(row, [&](auto type, const auto* elements) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) store(y + i, add(load(y + i), type.load16(elements + i)));
    for (; i < count; ++i) y[i] += type.widen(elements[i]);
  });
}

void copy_row(float* y, WeightRow row, size_t count) {
  with_elements(row, [&](auto type, const auto* elements) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) store(y + i, type.load16(elements + i));
    for (; i < count; ++i) y[i] = type.widen(elements[i]);
  });
}

template <class Type>
inline Type of_row(Type type, const WeightRow&) {
  return type;
}
inline ScaledI8 of_row(ScaledI8, const WeightRow& row) { return {row.scale}; }

// Sums 16 * kLanes columns, starting at `column`, in registers; one column if kLanes is 0.
template <size_t kLanes, class Type, class Element>
inline void sum_columns(const WeightRow* rows, size_t count, size_t column, float* y, Type type, const Element*) {
  const auto at = [&](size_t row) { return static_cast<const Element*>(rows[row].data) + column; };
  if constexpr (kLanes == 0) {
    float sum = type.widen(*at(0));
    for (size_t row = 1; row < count; ++row) sum += of_row(type, rows[row]).widen(*at(row));
    y[column] = sum;
  } else {
    Lanes sums[kLanes];
    for (size_t i = 0; i < kLanes; ++i) sums[i] = type.load16(at(0) + 16 * i);
    for (size_t row = 1; row < count; ++row) {
      for (size_t i = 0; i < kLanes; ++i) sums[i] = add(sums[i], of_row(type, rows[row]).load16(at(row) + 16 * i));
    }
    for (size_t i = 0; i < kLanes; ++i) store(y + column + 16 * i, sums[i]);
  }
}

void sum_rows(float* y, const WeightRow* rows, size_t row_count, size_t count) {
  with_elements(rows[0], [&](auto type, const auto* elements) {
    size_t i = 0;
    for (; i + 64 <= count; i += 64) sum_columns<4>(rows, row_count, i, y, type, elements);
    for (; i + 16 <= count; i += 16) sum_columns<1>(rows, row_count, i, y, type, elements);
    for (; i < count; ++i) sum_columns<0>(rows, row_count, i, y, type, elements);
  });
}

void activate_row(float* x, size_t count, Activation activation) {
  with_activation(activation, [&](auto f) {
    for (size_t i = 0; i < count; i += 16) store_part(x + i, f(load_part(x + i, count - i)), count - i);
  });
}

void gate(const GateArgs& args) {
  with_activation(args.activation, [&](auto f) {
    for (size_t row = 0; row < args.rows; ++row) {
      const float* x = args.x + row * args.stride;
      const float* g = args.gate + row * args.stride;
      float* y = args.y + row * args.y_stride;
      for (size_t i = 0; i < args.cols; i += 16) {
        const size_t count = args.cols - i;
        store_part(y + i, mul(f(load_part(x + i, count)), load_part(g + i, count)), count);
      }
    }
  });
}

// Replaces (a, b) by (a cos - b sin, b cos + a sin), with one rounding after each fused multiply-add.
void rotate(const RotationArgs& args) {
  const size_t half = args.head_dim / 2;
  for (size_t row = 0; row < args.rows; ++row) {
    const float* cosines = args.table + row * args.head_dim;
    const float* sines = cosines + half;
    for (size_t head = 0; head < args.heads; ++head) {
      float* a = args.x + row * args.stride + head * args.head_dim;
      float* b = a + half;
      for (size_t d = 0; d < half; d += 16) {
        const size_t count = half - d;
        const Lanes first = load_part(a + d, count), second = load_part(b + d, count);
        const Lanes cosine = load_part(cosines + d, count), sine = load_part(sines + d, count);
        store_part(a + d, fma(first, cosine, sub(set1(0.0f), mul(second, sine))), count);
        store_part(b + d, fma(second, cosine, mul(first, sine)), count);
      }
    }
  }
}

}  // namespace
}  // namespace bert
