// A loaded encoder as data: the layers with the choices of their family, and views of their weights. Immutable after
// reading (models/encoder/plan_reader.h); models/encoder/encoder.h executes it. The views point into a WeightStorage,
// which must outlive the plan.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bert/model.h"
#include "engine/layers/convolution.h"
#include "engine/layers/distance_rows.h"
#include "engine/layers/embeddings.h"
#include "engine/layers/encoder_layer.h"
#include "engine/layers/pooler.h"
#include "engine/layers/prediction_head.h"
#include "engine/layers/rotary.h"
#include "engine/layers/workspace.h"
#include "models/config/family.h"
#include "models/encoder/contacts.h"
#include "models/encoder/distance_tables.h"

namespace bert {

struct HeadSpec {
  Head head;
  HeadInput input;
  PredictionHead layers;
};

class PackedWeights;

struct EncoderPlan {
  Embeddings embeddings;
  std::vector<LayerSpec> layers;  // each layer once, even if it runs several times
  // Indices of the layers that run between one hidden state and the next.
  std::vector<std::vector<size_t>> layer_schedule;
  bool positions_at_every_layer = false;   // the embeddings' positions are added to each hidden state between layers
  std::optional<Convolution> convolution;  // parallel to the first layer
  std::optional<Norm> final_norm;          // after the last layer
  std::vector<Rotary> rotary;              // indexed by SelfAttention::rotary_table
  std::optional<Pooler> pooler;
  std::optional<ContactRegression> contacts;
  std::vector<HeadSpec> heads;                    // in the family's order
  DistanceRows distance_rows;                     // the layers' relative positions are views of it
  std::optional<DistanceSource> distance_source;  // for compute_distance_tables
  std::vector<Matrix> distance_tables;            // result of compute_distance_tables; the layers have views of it
  PackedWeights* packed = nullptr;                // panels of the layers; null: weights are read as stored

  const HeadSpec* find(Head head) const;  // nullptr: no such head
};

// Calls use(linear) for each product of the layers. The plan may be const.
template <class Plan, class Use>
void for_each_layer_product(Plan& plan, const Use& use) {
  for (auto& layer : plan.layers) {
    use(layer.attention.qkv);
    if (layer.convolution) {
      use(layer.convolution->pointwise);
      use(layer.convolution->kernel);
      use(layer.convolution->values);
    }
    if (!layer.attention.global.parts.empty()) use(layer.attention.global);
    use(layer.attention_output);
    if (layer.bottleneck) {
      use(layer.bottleneck->enter);
      use(layer.bottleneck->leave);
    }
    for (auto& block : layer.feed_forwards) {
      use(block.network.up);
      use(block.network.down);
      if (!block.network.experts) continue;
      use(block.network.experts->router);
      for (auto& expert : block.network.experts->up) use(expert);
      for (auto& expert : block.network.experts->down) use(expert);
    }
  }
}

// Returns the most columns that a pass writes to the workspace's wide matrix.
size_t wide_columns(const EncoderPlan& plan);

bool has_8_bit_products(const EncoderPlan& plan);
// Returns the most inputs of a product whose rows of x are quantised or rounded first; 0: no such product.
size_t prepared_inputs(const EncoderPlan& plan);

// Returns the scratch memory of a pass. longest: tokens of the longest sequence; span: the largest last place − first
// place + 1 of a sequence.
WorkspaceShape workspace_shape(const EncoderPlan& plan, size_t tokens, size_t longest, size_t span, size_t threads);

}  // namespace bert
