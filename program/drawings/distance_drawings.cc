#include "program/drawings/distance_drawings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "program/drawings/charts.h"

namespace bert::drawings {
namespace {

// Distances with a column of their own in a drawing.
constexpr size_t kColumns = 512;
constexpr size_t kDrawnPlaces = 128, kWavePlaces = 64, kMostPairs = 256;  // for sinusoids

}  // namespace

Picture draw_mean_cosines(const std::vector<Rotation>& rotations) {
  constexpr Ink kInks[] = {Ink::kBlue, Ink::kOrange, Ink::kGreen};
  LineChart chart{.title = "Mean cosine of the turns by distance",
                  .x_axis = "distance in tokens",
                  .y_axis = "mean cosine",
                  .lines = {},
                  .log_x = true};
  for (size_t i = 0; i < rotations.size(); ++i) {
    chart.lines.push_back({rotations[i].name, kInks[i % std::size(kInks)], rotations[i].cosines});
  }
  return draw_line_chart(chart);
}

Picture draw_turns(const Rotation& rotation) {
  MatrixChart chart{.title = "Cosine of each pair's turn by distance, " + rotation.name,
                    .rows_are = "pair",
                    .columns_are = "distance in tokens",
                    .rows = counted(0, rotation.frequencies.size()),
                    .columns = std::min(kColumns, rotation.cosines.size()),
                    .values = {}};
  for (const float frequency : rotation.frequencies) {
    for (size_t distance = 0; distance < chart.columns; ++distance) {
      chart.values.push_back(std::cos(static_cast<double>(distance) * double{frequency}));
    }
  }
  return draw_matrix(chart);
}

Picture draw_sines(const Rotation& rotation) {
  const size_t pairs = rotation.frequencies.size(), step = (pairs + kMostPairs - 1) / kMostPairs;
  MatrixChart chart{
      .title = "Sines of each pair of components, by place",
      .columns_are = step == 1 ? "pair of components" : "every " + std::to_string(step) + "th pair of components",
      .columns = (pairs + step - 1) / step,
      .values = {}};
  for (size_t place = 0; place < std::min(kDrawnPlaces, rotation.cosines.size()); ++place) {
    for (size_t pair = 0; pair < pairs; pair += step) {
      chart.values.push_back(std::sin(static_cast<double>(place) * double{rotation.frequencies[pair]}));
    }
  }
  return draw_matrix(chart);
}

Picture draw_waves(const Rotation& rotation) {
  constexpr Ink kInks[] = {Ink::kBlue, Ink::kOrange, Ink::kGreen, Ink::kGrey};
  const size_t pairs = rotation.frequencies.size();
  LineChart chart{
      .title = "Sines of four pairs of components, by place", .x_axis = "place", .y_axis = "sine", .lines = {}};
  for (size_t i = 0; i < std::size(kInks); ++i) {
    const size_t pair = i * pairs / 8;
    LineChart::Line line{"pair " + std::to_string(pair), kInks[i], {}};
    for (size_t place = 0; place < std::min(kWavePlaces, rotation.cosines.size()); ++place) {
      line.values.push_back(std::sin(static_cast<double>(place) * double{rotation.frequencies[pair]}));
    }
    chart.lines.push_back(std::move(line));
  }
  return draw_line_chart(chart);
}

Picture draw_slopes(const std::vector<float>& slopes, size_t longest) {
  MatrixChart chart{.title = "What an attention weight is multiplied by, by head and distance",
                    .rows_are = "head",
                    .columns_are = "distance in tokens",
                    .rows = counted(1, slopes.size()),
                    .columns = std::min(kColumns, longest),
                    .values = {}};
  for (const float slope : slopes) {
    for (size_t distance = 0; distance < chart.columns; ++distance) {
      chart.values.push_back(std::exp(-double{slope} * static_cast<double>(distance)));
    }
  }
  return draw_matrix(chart);
}

Picture draw_bias(const std::vector<ScorePositions>& parts, std::vector<float> DistanceBias::*values) {
  const size_t farthest = std::min(parts.front().bias->farthest, (kColumns - 1) / 2);
  MatrixChart chart{.title = "By head and distance",
                    .rows_are = parts.size() == 1 ? "head" : "layer, head",
                    .columns_are = "distance: key minus query",
                    .rows = {},
                    .first_column = -static_cast<ptrdiff_t>(farthest),
                    .columns = 2 * farthest + 1,
                    .values = {},
                    .full = 1e-9};
  for (const ScorePositions& part : parts) {
    const DistanceBias& bias = *part.bias;
    const size_t count = 2 * bias.farthest + 1;
    for (size_t head = 0; head < bias.heads; ++head) {
      const std::string layer = parts.size() == 1 ? "" : std::to_string(part.layers.front() + 1) + ", ";
      chart.rows.push_back(layer + std::to_string(head + 1));
      const float* row = (bias.*values).data() + head * count + bias.farthest - farthest;
      chart.values.insert(chart.values.end(), row, row + chart.columns);
    }
  }
  for (const double value : chart.values) chart.full = std::max(chart.full, std::abs(value));
  return draw_matrix(chart);
}

}  // namespace bert::drawings
