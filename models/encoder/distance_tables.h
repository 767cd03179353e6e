// The tables of distances that each layer with disentangled attention makes of one learned table: its rows, normalised,
// times the layer's projections. They depend on the model alone.
#pragma once

#include <optional>
#include <vector>

#include "engine/layers/linear.h"
#include "engine/layers/norm.h"
#include "engine/tensor/matrix.h"

namespace bert {

class Backend;
struct EncoderPlan;

// What they are computed from; views of the checkpoint's weights.
struct DistanceSource {
  WeightView rows;  // [2 * distances, hidden]
  std::optional<Norm> norm;
  struct Projections {
    std::optional<Linear> for_queries;  // of the rows that queries are multiplied by
    std::optional<Linear> for_keys;
  };
  std::vector<Projections> layers;  // of EncoderPlan::layers
};

// Computes the tables into the plan and gives each layer its views of them; called before the plan is used.
void compute_distance_tables(EncoderPlan& plan, Backend& backend);

}  // namespace bert
