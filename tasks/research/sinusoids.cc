// Compares a learned position table with the sinusoidal table of its size.
#include <algorithm>
#include <string>

#include "bert/experiments.h"
#include "tasks/analysis/linear_map.h"
#include "tasks/analysis/positions.h"
#include "tasks/research/layer_states.h"

namespace bert {
namespace {

bool all_equal(const analysis::Rows& rows) {
  for (size_t i = 1; i < rows.count(); ++i) {
    if (!std::equal(rows[i].begin(), rows[i].end(), rows[0].begin())) return false;
  }
  return true;
}

PositionSimilarities similarities_of(const analysis::Rows& rows) {
  const size_t count = rows.count();
  PositionSimilarities result;
  result.cosines = analysis::cosine_matrix(rows);
  result.by_distance = analysis::mean_by_distance(result.cosines, count);
  for (size_t i = 0; i < count; ++i) {
    const auto nearest = analysis::nearest_rows(result.cosines, count, i, PositionSimilarities::kNearest);
    result.nearest.insert(result.nearest.end(), nearest.begin(), nearest.end());
    const size_t first = analysis::nearest_rows(result.cosines, count, i, 1).front();
    result.neighbours_nearest += first + 1 == i || first == i + 1 ? 1 : 0;
  }
  return result;
}

}  // namespace

SinusoidComparison compare_with_sinusoids(const PositionTable& table) {
  if (table.positions <= PositionSimilarities::kNearest) {
    refuse_argument("the model has " + std::to_string(table.positions) + " positions, expected 4 or more");
  }
  if (table.values.size() != table.positions * table.hidden) {
    refuse_argument(std::to_string(table.values.size()) + " numbers in the position table, expected " +
                    std::to_string(table.positions) + " rows of " + std::to_string(table.hidden));
  }
  const analysis::Rows learned{table.values, table.hidden};
  if (all_equal(learned)) {
    refuse_argument("the model's position vectors are all the same, expected different ones");
  }
  const std::vector<float> fixed_table = analysis::sinusoidal_table(table.positions, table.hidden);
  const analysis::Rows sinusoidal{fixed_table, table.hidden};
  SinusoidComparison result;
  result.learned = similarities_of(learned);
  result.sinusoidal = similarities_of(sinusoidal);
  for (size_t i = 0; i < table.positions; ++i) result.norms.push_back(analysis::norm(learned[i]));
  result.learned_to_sinusoidal = analysis::fit_linear_map(learned, sinusoidal);
  result.sinusoidal_to_learned = analysis::fit_linear_map(sinusoidal, learned);
  return result;
}

}  // namespace bert
