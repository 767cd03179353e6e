#include "engine/layers/sinusoid.h"

#include <cmath>

#include "engine/base/elementary.h"

namespace bert {

Sinusoid::Sinusoid(size_t width) : width_(width) {
  for (size_t i = 0; i < width; i += 2) {
    periods_.push_back(power_of(10000.0, static_cast<double>(i) / static_cast<double>(width)));
  }
}

// Computed in float64 and rounded once, so the last bit of the C library's sine does not affect the float.
void Sinusoid::add_to(float* row, size_t position) const {
  for (size_t c = 0; c < width_; ++c) {
    const double angle = static_cast<double>(position) / periods_[c / 2];
    row[c] += static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
  }
}

}  // namespace bert
