// Row operations: LayerNorm, sums of table rows, activations. Sums over a row go into 16 lanes, column i into lane
// i mod 16, and the lanes are added in one fixed tree. Included after math.inl.h.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace bert {
namespace {

// The first `count` of 16 floats, zeros behind them; count < 16 only at the end of a row.
inline Lanes load_part(const float* p, size_t count) {
  if (count >= 16) return load(p);
  float part[16] = {};
  for (size_t i = 0; i < count; ++i) part[i] = p[i];
  return load(part);
}
inline void store_part(float* p, Lanes a, size_t count) {
  if (count >= 16) return store(p, a);
  float part[16];
  store(part, a);
  for (size_t i = 0; i < count; ++i) p[i] = part[i];
}

// Lanes i and i + 8, then i and i + 4, i and i + 2, 0 and 1.
inline float sum_of(Lanes a) {
  float lanes[16];
  store(lanes, a);
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) lanes[i] = lanes[i] + lanes[i + half];
  }
  return lanes[0];
}
inline float max_of(Lanes a) {
  float lanes[16];
  store(lanes, a);
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) lanes[i] = lanes[i] > lanes[i + half] ? lanes[i] : lanes[i + half];
  }
  return lanes[0];
}

void layer_norm(const LayerNormArgs& args) {
  const size_t cols = args.cols;
  const float count = static_cast<float>(cols);
  for (size_t row = 0; row < args.rows; ++row) {
    float* x = args.x + row * args.stride;
    Lanes sum = set1(0.0f);
    for (size_t c = 0; c < cols; c += 16) sum = add(sum, load_part(x + c, cols - c));
    const float mean = sum_of(sum) / count;
    Lanes squares = set1(0.0f);
    for (size_t c = 0; c < cols; c += 16) {
      const Lanes d = sub(load_part(x + c, cols - c), set1(mean));
      Lanes next = fma(d, d, squares);
      if (cols - c < 16) {  // the lanes behind the row's end hold -mean; they must not count
        float kept[16];
        float counted[16];
        store(kept, squares);
        store(counted, next);
        for (size_t i = 0; i < 16; ++i) kept[i] = i < cols - c ? counted[i] : kept[i];
        next = load(kept);
      }
      squares = next;
    }
    const float deviation = square_root(sum_of(squares) / count + args.eps);
    const Lanes scale = set1(1.0f / deviation);
    for (size_t c = 0; c < cols; c += 16) {
      const Lanes d = mul(sub(load_part(x + c, cols - c), set1(mean)), scale);
      store_part(x + c, fma(d, load_part(args.weight + c, cols - c), load_part(args.bias + c, cols - c)), cols - c);
    }
  }
}

template <class Type>
void add_row(float* y, const void* row, size_t count) {
  const auto* from = static_cast<const typename Type::Storage*>(row);
  size_t i = 0;
  for (; i + 16 <= count; i += 16) store(y + i, add(load(y + i), Type::load16(from + i)));
  for (; i < count; ++i) y[i] += Type::widen(from[i]);
}

template <class Type>
void copy_row(float* y, const void* row, size_t count) {
  const auto* from = static_cast<const typename Type::Storage*>(row);
  size_t i = 0;
  for (; i + 16 <= count; i += 16) store(y + i, Type::load16(from + i));
  for (; i < count; ++i) y[i] = Type::widen(from[i]);
}

void activate_row(float* x, size_t count, Activation activation) {
  with_activation(activation, [&](auto f) {
    for (size_t i = 0; i < count; i += 16) store_part(x + i, f(load_part(x + i, count - i)), count - i);
  });
}

}  // namespace
}  // namespace bert
