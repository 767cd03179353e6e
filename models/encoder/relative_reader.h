// Reads the parts that make a layer's attention scores depend on distances: a bias for each bucket, slopes, tables of
// vectors, or the one table that disentangled attention projects in each layer. Views of its arguments, which must
// outlive it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bert/config.h"
#include "models/config/family.h"
#include "models/config/parameter_reader.h"
#include "models/config/positions.h"
#include "models/encoder/plan.h"

namespace bert {

// The numbers in the names of a layer's tensors: the layer's own, or, if layers are shared, its group's and its index
// in the group.
struct LayerNumbers {
  size_t layer;
  size_t group;
  size_t inner;
};

// Returns the pattern with its numbers filled in.
std::string name_of(std::string_view pattern, const LayerNumbers& numbers);

class RelativeReader {
 public:
  // Throws Error for a tensor that is missing or has another shape, as the other functions do.
  RelativeReader(const ModelConfig& config, const Family& family, const EncoderNames& names, WeightReader& weights);

  // Reads a layer's relative positions; nullopt with disentangled attention, for which compute_distance_tables sets
  // them.
  std::optional<RelativePositions> layer(const LayerNumbers& numbers);

  // With disentangled attention: reads the layer's projections of the table.   qkv: the layer's, as three parts.
  void read_projections(const Linear& qkv, const LayerNumbers& numbers);

  // Moves the plan's parts into it; call it after all layers. The layers' relative positions are views of these parts.
  void move_into(EncoderPlan& plan) &&;

 private:
  void read_distances(const DisentangledAttention& attention);

  const ModelConfig& config_;
  const Family& family_;
  const EncoderNames& names_;
  WeightReader& weights_;
  ParameterReader parameters_;
  const PositionScheme& scheme_;
  DistanceRows rows_;
  std::optional<DistanceSource> source_;
};

}  // namespace bert
