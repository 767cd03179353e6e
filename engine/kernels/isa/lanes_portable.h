// Sixteen float lanes in plain C++: the specification of the other Lanes types, operation by operation. Every fused
// multiply-add is explicit; a * b + c never fuses (the build sets -ffp-contract=off).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/kernels/isa/bfloat16.h"

namespace bert {
namespace {

template <class Number>
struct Sixteen {
  Number v[16];
};
using Lanes = Sixteen<float>;
using TileLanes = Lanes;
using Doubles = Sixteen<double>;
using Mask = Sixteen<bool>;

constexpr size_t kRowTile = 4;         // rows of a tile of the product
constexpr size_t kPanelLanes = 1;      // Lanes across a panel of weights
constexpr size_t kStepUnits = 1;       // inputs of a row of x that a tile loads at once
constexpr size_t kQueries = 4;         // rows of a tile of attention
constexpr size_t kMaxGroupPanels = 6;  // panels packed together for many rows
constexpr size_t kDotRows = 2;         // rows of a tile of 8-bit products for few rows
constexpr size_t kDotOutputs = 2;
constexpr size_t kInt8FewRows = 16;  // up to this many rows, 8-bit weights are not transposed
constexpr const char* kName = "portable";

#define BERT_EACH_LANE for (int i = 0; i < 16; ++i)

template <class Number>
inline Sixteen<Number> load(const Number* p) {
  Sixteen<Number> r;
  BERT_EACH_LANE r.v[i] = p[i];
  return r;
}
template <class Number>
inline void store(Number* p, Sixteen<Number> a) {
  BERT_EACH_LANE p[i] = a.v[i];
}
template <class Number>
inline Sixteen<Number> set1(Number a) {
  Sixteen<Number> r;
  BERT_EACH_LANE r.v[i] = a;
  return r;
}
template <class Number>
inline Sixteen<Number> add(Sixteen<Number> a, Sixteen<Number> b) {
  BERT_EACH_LANE a.v[i] += b.v[i];
  return a;
}
template <class Number>
inline Sixteen<Number> sub(Sixteen<Number> a, Sixteen<Number> b) {
  BERT_EACH_LANE a.v[i] -= b.v[i];
  return a;
}
template <class Number>
inline Sixteen<Number> mul(Sixteen<Number> a, Sixteen<Number> b) {
  BERT_EACH_LANE a.v[i] *= b.v[i];
  return a;
}
inline Lanes div(Lanes a, Lanes b) {
  BERT_EACH_LANE a.v[i] /= b.v[i];
  return a;
}
// a * b + c, rounded once.
inline Lanes fma(Lanes a, Lanes b, Lanes c) {
  BERT_EACH_LANE c.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
  return c;
}
// Returns the second operand unless the first is larger (smaller); so also if one is a NaN.
inline Lanes max(Lanes a, Lanes b) {
  BERT_EACH_LANE b.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
  return b;
}
inline Lanes min(Lanes a, Lanes b) {
  BERT_EACH_LANE b.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
  return b;
}
inline Lanes abs(Lanes a) {
  BERT_EACH_LANE a.v[i] = __builtin_fabsf(a.v[i]);
  return a;
}
inline Mask less(Lanes a, Lanes b) {
  Mask r;
  BERT_EACH_LANE r.v[i] = a.v[i] < b.v[i];
  return r;
}
inline Lanes select(Mask mask, Lanes yes, Lanes no) {
  BERT_EACH_LANE no.v[i] = mask.v[i] ? yes.v[i] : no.v[i];
  return no;
}
// a * 2^n, rounded once; n is integral, -150 <= n <= 128.
inline Lanes scale_by_power_of_2(Lanes a, Lanes n) {
  BERT_EACH_LANE a.v[i] = __builtin_ldexpf(a.v[i], n.v[i] == n.v[i] ? static_cast<int>(n.v[i]) : 0);
  return a;
}
// Returns the largest n with 2^n <= a for a normal number above 0; 128 for infinity and for a NaN without a sign.
inline Lanes exponent_of(Lanes a) {
  BERT_EACH_LANE {
    int32_t bits;
    __builtin_memcpy(&bits, &a.v[i], 4);
    a.v[i] = static_cast<float>((bits >> 23) - 127);
  }
  return a;
}
inline Lanes rounded_to_bfloat16(Lanes a) {
  BERT_EACH_LANE a.v[i] = rounded_to_bfloat16(a.v[i]);
  return a;
}
// Returns in each lane table[n], where n is the lowest four bits of the lane.
inline Lanes lookup(const float (&table)[16], Lanes places) {
  BERT_EACH_LANE {
    uint32_t bits;
    __builtin_memcpy(&bits, &places.v[i], 4);
    places.v[i] = table[bits & 15];
  }
  return places;
}

inline Doubles fma(Doubles a, Doubles b, Doubles c) {
  BERT_EACH_LANE c.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
  return c;
}
inline Doubles widen(Lanes a) {
  Doubles r;
  BERT_EACH_LANE r.v[i] = a.v[i];
  return r;
}
inline Doubles load_doubles(const float* p) { return widen(load(p)); }
inline Lanes narrow(Doubles a) {
  Lanes r;
  BERT_EACH_LANE r.v[i] = static_cast<float>(a.v[i]);
  return r;
}
inline double square_root(double a) { return __builtin_sqrt(a); }

// Adds the lanes: i and i + 8, then i and i + 4, i and i + 2, 0 and 1.
template <class Number>
inline Number sum_of(Sixteen<Number> a) {
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) a.v[i] += a.v[i + half];
  }
  return a.v[0];
}
inline float max_of(Lanes a) {
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) a.v[i] = a.v[i] > a.v[i + half] ? a.v[i] : a.v[i + half];
  }
  return a.v[0];
}

// The types of weights. Each widens 16 adjacent elements exactly.
struct F32 {
  using Storage = float;
  static float widen(Storage a) { return a; }
  static Lanes load16(const Storage* p) { return load(p); }
};
struct BF16 {
  using Storage = uint16_t;
  static float widen(Storage a) {
    const uint32_t bits = static_cast<uint32_t>(a) << 16;
    float r;
    __builtin_memcpy(&r, &bits, 4);
    return r;
  }
  static Lanes load16(const Storage* p) {
    Lanes r;
    BERT_EACH_LANE r.v[i] = widen(p[i]);
    return r;
  }
};
struct F16 {
  using Storage = uint16_t;
  static float widen(Storage a) {
    const uint32_t sign = static_cast<uint32_t>(a & 0x8000u) << 16;
    const uint32_t exponent = a >> 10 & 31;
    const uint32_t fraction = a & 0x3FFu;
    if (exponent == 0) {
      const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return sign != 0 ? -magnitude : magnitude;
    }
    const uint32_t quiet = exponent == 31 && fraction != 0 ? 0x400000u : 0;  // as the CPUs convert a signalling NaN
    const uint32_t bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | quiet | fraction << 13;
    float r;
    __builtin_memcpy(&r, &bits, 4);
    return r;
  }
  static Lanes load16(const Storage* p) {
    Lanes r;
    BERT_EACH_LANE r.v[i] = widen(p[i]);
    return r;
  }
};

// 8-bit weights (eight_bit.inl.h). A unit is one input: an integer in the bits of a float.
struct I8 {
  using Storage = int8_t;
  using Weight = int32_t;
  using Activation = uint32_t;
  static int32_t integer(float a) {
    int32_t bits;
    __builtin_memcpy(&bits, &a, 4);
    return bits;
  }
  static float widen(int32_t a) {
    float r;
    __builtin_memcpy(&r, &a, 4);
    return r;
  }
  static Lanes load16(const Storage* p) {
    Lanes r;
    BERT_EACH_LANE r.v[i] = widen(p[i]);
    return r;
  }
  static Lanes multiply_add(Lanes x, Lanes w, Lanes sum) {
    BERT_EACH_LANE sum.v[i] = widen(integer(sum.v[i]) + integer(x.v[i]) * integer(w.v[i]));
    return sum;
  }
  static void store16(Activation* to, Lanes x) { BERT_EACH_LANE to[i] = static_cast<uint32_t>(integer(x.v[i])) & 255u; }
  static float add_lanes(Lanes a) {
    int32_t sum = 0;
    BERT_EACH_LANE sum += integer(a.v[i]);
    return widen(sum);
  }
  static void add_lanes(Lanes a, Lanes b, Lanes c, Lanes d, float* to) {
    to[0] = add_lanes(a);
    to[1] = add_lanes(b);
    to[2] = add_lanes(c);
    to[3] = add_lanes(d);
  }
  static Lanes corrected(Lanes sum, int32_t zero, const int32_t* weight_sums) {
    BERT_EACH_LANE sum.v[i] = static_cast<float>(integer(sum.v[i]) - zero * weight_sums[i]);
    return sum;
  }
};

// Transposes sixteen rows of sixteen adjacent elements, `stride` elements apart, to sixteen rows of floats, `to_stride`
// apart: to[j][i] = rows[i][j].
template <class Type>
inline void transpose16(const typename Type::Storage* rows, size_t stride, float* to, size_t to_stride) {
  for (size_t i = 0; i < 16; ++i) {
    for (size_t j = 0; j < 16; ++j) to[j * to_stride + i] = Type::widen(rows[i * stride + j]);
  }
}

#undef BERT_EACH_LANE

}  // namespace
}  // namespace bert
