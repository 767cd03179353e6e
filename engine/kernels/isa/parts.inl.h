// Parts of rows shorter than 16 lanes. Included after a lanes_*.h.
#pragma once

#include <stddef.h>

namespace bert {
namespace {

// Returns the first `count` of 16 floats, followed by zeros; count < 16 only at the end of a row.
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

}  // namespace
}  // namespace bert
