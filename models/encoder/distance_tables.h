// The distance tables that each layer with disentangled attention computes from one learned table: its rows,
// normalised, times the layer's projections. They depend only on the model.
#pragma once

#include <optional>
#include <vector>

#include "engine/layers/linear.h"
#include "engine/layers/norm.h"
#include "engine/tensor/matrix.h"

namespace bert {

class Backend;
struct EncoderPlan;

// The inputs of the tables; views of the checkpoint's weights.
struct DistanceSource {
  WeightView rows;  // [2 * distances, hidden]
  std::optional<Norm> norm;
  struct Projections {
    std::optional<Linear> for_queries;  // projects the rows that queries are multiplied by
    std::optional<Linear> for_keys;
  };
  std::vector<Projections> layers;  // for each of EncoderPlan::layers
};

// Computes the tables into the plan and gives each layer views of them; must be called before the plan is used.
void compute_distance_tables(EncoderPlan& plan, Backend& backend);

}  // namespace bert
