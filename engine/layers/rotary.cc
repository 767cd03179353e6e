#include "engine/layers/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/elementary.h"

namespace bert {
namespace {

// Returns how much of each frequency stays undivided. Bounds are in float64 and the ramp in float32, as in the
// reference.
std::vector<float> undivided_shares(size_t head_dim, const Rotary::Options& options) {
  const auto dim = static_cast<double>(head_dim);
  const auto number_of = [&](double turns) {  // index of the frequency with this many rotations in the trained length
    return dim * std::log(static_cast<double>(options.trained_length) / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(options.theta));
  };
  double low = number_of(options.fast), high = number_of(options.slow);
  if (options.whole_bounds) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0);
  high = std::min(high, dim - 1);
  if (low == high) high += 0.001;
  std::vector<float> shares;
  for (size_t i = 0; i < head_dim / 2; ++i) {
    const float place = (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low);
    shares.push_back(1 - std::clamp(place, 0.0f, 1.0f));
  }
  return shares;
}

// Divides a frequency by a share that depends on its rotations, in float32.
float scaled_by_turns(float frequency, const Rotary::Options& options) {
  const auto length = static_cast<float>(options.trained_length);
  const auto factor = static_cast<float>(options.factor);
  const float turns = length / (static_cast<float>(2 * std::numbers::pi) / frequency);
  const float share = std::clamp(
      (turns - static_cast<float>(options.slow)) / static_cast<float>(options.fast - options.slow), 0.0f, 1.0f);
  return (1 - share) * frequency / factor + share * frequency;
}

// Returns theta · (factor · length / trained_length - (factor - 1)) ^ (head_dim / (head_dim - 2)). The length is a
// tensor in the reference (transformers 5.16, _compute_dynamic_ntk_parameters), so each step but the exponent is
// rounded to float32.
double grown_theta(size_t length, size_t head_dim, const Rotary::Options& options) {
  const auto dim = static_cast<double>(head_dim);
  const double exponent = dim / (dim - 2), factor = options.factor;
  if (options.wide_theta) {
    const double times = factor * static_cast<double>(length) / static_cast<double>(options.trained_length);
    return options.theta * power_of(times - (factor - 1), exponent);
  }
  const float times =
      static_cast<float>(factor) * static_cast<float>(length) / static_cast<float>(options.trained_length) -
      static_cast<float>(factor - 1);
  const auto power = static_cast<float>(power_of(static_cast<double>(times), exponent));
  return static_cast<float>(options.theta) * power;
}

// Moves the even components of each head before the odd ones.
void move_neighbors(MatrixView x, size_t heads, size_t head_dim, ExecutionContext& context) {
  constexpr size_t kRowsAtOnce = 16;
  const size_t half = head_dim / 2;
  context.pool.run((x.rows + kRowsAtOnce - 1) / kRowsAtOnce, [&](size_t task, size_t slot) {
    float* odd = context.workspace.thread_scratch()[slot].data;
    for (size_t row = task * kRowsAtOnce; row < std::min(x.rows, (task + 1) * kRowsAtOnce); ++row) {
      for (float* head = x.row(row); head < x.row(row) + heads * head_dim; head += head_dim) {
        for (size_t pair = 0; pair < half; ++pair) {
          odd[pair] = head[2 * pair + 1];
          head[pair] = head[2 * pair];
        }
        std::copy_n(odd, half, head + half);
      }
    }
  });
}

}  // namespace

Rotary::Rotary(size_t head_dim, const Options& options) : head_dim_(head_dim), options_(options) {}

// Computed in float32 as in the reference, because models are trained with these roundings. A power is rounded once
// from float64, so the C library's last bit does not matter.
std::vector<float> Rotary::frequencies(size_t length) const {
  const auto dim = static_cast<double>(head_dim_);
  const double factor = options_.factor;
  double theta = options_.theta;
  float divisor = 1;
  switch (options_.scaling) {
    case Scaling::kNone:
      break;
    case Scaling::kLinear:
      divisor = static_cast<float>(factor);
      break;
    case Scaling::kNtk:
      theta *= factor;
      divisor = static_cast<float>(power_of(factor, 2 / dim));
      break;
    case Scaling::kDynamic:
      if (length > options_.trained_length) theta = grown_theta(length, head_dim_, options_);
      break;
    case Scaling::kYarn:
    case Scaling::kLlama3:
      break;
  }
  std::vector<float> frequencies, shares;
  if (options_.scaling == Scaling::kYarn) shares = undivided_shares(head_dim_, options_);
  for (size_t d = 0; d < head_dim_; d += 2) {
    const float exponent = static_cast<float>(d) / static_cast<float>(head_dim_);
    const auto power = static_cast<float>(power_of(static_cast<double>(static_cast<float>(theta)), exponent));
    if (options_.scaling == Scaling::kLlama3) {
      frequencies.push_back(scaled_by_turns(1.0f / power, options_));
    } else if (shares.empty()) {
      frequencies.push_back(1.0f / power / divisor);
    } else {
      const float share = shares[d / 2], divided = 1.0f / (static_cast<float>(factor) * power);
      frequencies.push_back(divided * (1 - share) + 1.0f / power * share);
    }
  }
  return frequencies;
}

void Rotary::fill_table(const RaggedBatch& batch, MatrixView table, ExecutionContext& context) const {
  const size_t half = head_dim_ / 2;
  const auto times = static_cast<float>(options_.attention_factor);
  const auto fill = [&](size_t first, size_t rows, const std::vector<float>& frequencies) {
    context.pool.run_rows(rows, [&](size_t begin, size_t count) {
      for (size_t token = first + begin; token < first + begin + count; ++token) {
        const auto place = static_cast<float>(batch.places[token]);
        float* row = table.row(token);
        for (size_t d = 0; d < half; ++d) {
          const auto angle = static_cast<double>(place * frequencies[d]);
          row[d] = static_cast<float>(std::cos(angle)) * times;
          row[half + d] = static_cast<float>(std::sin(angle)) * times;
        }
      }
    });
  };
  if (options_.scaling != Scaling::kDynamic) return fill(0, batch.tokens(), frequencies(0));
  for (size_t sequence = 0; sequence < batch.sequences(); ++sequence) {
    const size_t first = batch.row_starts[sequence], end = batch.row_starts[sequence + 1];
    fill(first, end - first, frequencies(static_cast<size_t>(batch.places[end - 1]) + 1));
  }
}

void rotate(MatrixView x, size_t heads, ConstMatrixView table, RotaryPairs pairs, ExecutionContext& context) {
  if (pairs == RotaryPairs::kNeighbors) move_neighbors(x, heads, table.cols, context);
  context.pool.run_rows(x.rows, [&](size_t first, size_t rows) {
    context.kernels.rotate({.x = x.row(first),
                            .stride = x.stride,
                            .rows = rows,
                            .heads = heads,
                            .head_dim = table.cols,
                            .table = table.row(first)});
  });
}

}  // namespace bert
