// Parts of rows shorter than 16 lanes, and sixteen lanes to one number. Included after a lanes_*.h.
#pragma once

#include <stddef.h>

namespace bert {
namespace {

// The first `count` of 16 floats, followed by zeros; count < 16 only at the end of a row.
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
template <class Number>
inline Number sum_of_lanes(Number (&lanes)[16]) {
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) lanes[i] = lanes[i] + lanes[i + half];
  }
  return lanes[0];
}
inline float sum_of(Lanes a) {
  float lanes[16];
  store(lanes, a);
  return sum_of_lanes(lanes);
}
inline double sum_of(Doubles a) {
  double lanes[16];
  store(lanes, a);
  return sum_of_lanes(lanes);
}
inline float max_of(Lanes a) {
  float lanes[16];
  store(lanes, a);
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) lanes[i] = lanes[i] > lanes[i + half] ? lanes[i] : lanes[i + half];
  }
  return lanes[0];
}

}  // namespace
}  // namespace bert
