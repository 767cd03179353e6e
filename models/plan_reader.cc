#include "models/plan_reader.h"

#include <string>
#include <utility>

#include "models/activations.h"
#include "models/head_reader.h"
#include "models/parameter_reader.h"
#include "models/positions.h"

namespace bert {
namespace {

// The numbers in a layer's names: its own, or its group's and its index in the group if layers are shared.
struct LayerNumbers {
  size_t layer;
  size_t group;
  size_t inner;
};

std::string name_of(std::string_view pattern, const LayerNumbers& numbers) {
  std::string text(pattern);
  const auto put = [&](std::string_view mark, size_t number) {
    if (const size_t at = text.find(mark); at != std::string::npos) {
      text.replace(at, mark.size(), std::to_string(number));
    }
  };
  put("{}", numbers.layer);
  put("{group}", numbers.group);
  put("{inner}", numbers.inner);
  return text;
}

class PlanReader {
 public:
  PlanReader(const ModelConfig& config, const Family& family, WeightReader& weights)
      : config_(config),
        family_(family),
        weights_(weights),
        parameters_(weights, config.layer_norm_eps),
        scheme_(position_scheme(config)),
        activation_(*find_activation(config.hidden_act)) {}

  Embeddings embeddings() {
    const size_t width = config_.embedding_width();
    Embeddings embeddings;
    embeddings.word = table(family_.word_embeddings, config_.vocab_size);
    embeddings.norm = parameters_.norm(family_.embeddings_norm, width);
    if (!family_.token_type_embeddings.empty()) {
      embeddings.token_type = table(family_.token_type_embeddings, config_.type_vocab_size);
    }
    if (scheme_.table) embeddings.position = table(family_.position_embeddings, config_.max_position_embeddings);
    if (scheme_.sinusoid) embeddings.sinusoid.emplace(width);
    if (width != config_.hidden_size || family_.projects_equal_sizes) {
      embeddings.projection = Linear{{parameters_.dense(family_.embedding_projection, config_.hidden_size, width)}};
    }
    return embeddings;
  }

  LayerSpec layer(const LayerNumbers& numbers) {
    const size_t hidden = config_.hidden_size;
    const size_t intermediate = config_.intermediate_size;
    const auto dense = [&](std::string_view pattern, size_t out, size_t in) {
      return parameters_.dense(name_of(pattern, numbers), out, in);
    };
    const auto norm = [&](std::string_view pattern) { return parameters_.norm(name_of(pattern, numbers), hidden); };
    LayerSpec layer;
    layer.attention.qkv.parts = {dense(family_.query, hidden, hidden), dense(family_.key, hidden, hidden),
                                 dense(family_.value, hidden, hidden)};
    layer.attention.heads = config_.num_attention_heads;
    layer.attention.key_heads = config_.num_attention_heads;
    layer.attention.head_dim = config_.head_dim();
    layer.attention.relative = relative_positions(numbers);
    layer.attention_output.parts = {dense(family_.attention_output, hidden, hidden)};
    layer.norm_after_attention = norm(family_.attention_norm);
    layer.feed_forward.up = Linear{{dense(family_.feed_forward_up, intermediate, hidden)}, activation_};
    layer.feed_forward.down.parts = {dense(family_.feed_forward_down, hidden, intermediate)};
    layer.norm_after_feed_forward = norm(family_.output_norm);
    return layer;
  }

  std::optional<Pooler> pooler() {
    const std::string name(family_.pooler);
    if (name.empty() || (!weights_.has(name + ".weight") && !weights_.has(name + ".bias"))) return std::nullopt;
    return Pooler{{{parameters_.dense(name, config_.hidden_size, config_.hidden_size)}, Activation::kTanh}};
  }

 private:
  WeightView table(std::string_view name, size_t rows) {
    return weights_.matrix(std::string(name) + ".weight", rows, config_.embedding_width(), WeightRole::kTable);
  }

  std::optional<RelativePositions> relative_positions(const LayerNumbers& numbers) {
    if (scheme_.bias) {
      const std::string name = std::string(family_.relative_bias) + ".weight";
      const auto rows = weights_.floats(name, RelativePositions::kBuckets, config_.num_attention_heads,
                                        WeightRole::kRelativePositions);
      return RelativePositions(RelativePositions::Biases{rows.data()});
    }
    if (!scheme_.distances) return std::nullopt;
    const size_t positions = config_.max_position_embeddings;
    const auto rows = weights_.floats(name_of(family_.distance_embedding, numbers) + ".weight", 2 * positions - 1,
                                      config_.head_dim(), WeightRole::kRelativePositions);
    return RelativePositions(RelativePositions::Vectors{.rows = rows.data(),
                                                        .positions = positions,
                                                        .keys = scheme_.distances_keys,
                                                        .scaled = family_.scales_distances});
  }

  const ModelConfig& config_;
  const Family& family_;
  WeightReader& weights_;
  ParameterReader parameters_;
  const PositionScheme& scheme_;
  Activation activation_;
};

// Groups of equal size except for rounding: group ⌊s / (states / groups)⌋ computes hidden state s; the inner division
// is not rounded.
size_t group_of(size_t state, const ModelConfig& config) {
  return static_cast<size_t>(static_cast<double>(state) / (static_cast<double>(config.num_hidden_layers) /
                                                           static_cast<double>(config.num_hidden_groups)));
}

}  // namespace

EncoderPlan read_plan(const ModelConfig& config, const Family& family, WeightReader& weights) {
  PlanReader reader(config, family, weights);
  EncoderPlan plan;
  plan.embeddings = reader.embeddings();
  const bool is_shared = config.num_hidden_groups > 0;
  const size_t groups = is_shared ? config.num_hidden_groups : config.num_hidden_layers;
  for (size_t group = 0; group < groups; ++group) {
    for (size_t inner = 0; inner < config.inner_group_num; ++inner) {
      plan.layers.push_back(reader.layer({.layer = group, .group = group, .inner = inner}));
    }
  }
  for (size_t state = 0; state < config.num_hidden_layers; ++state) {
    const size_t group = is_shared ? group_of(state, config) : state;
    plan.layer_schedule.emplace_back();
    for (size_t inner = 0; inner < config.inner_group_num; ++inner) {
      plan.layer_schedule.back().push_back(group * config.inner_group_num + inner);
    }
  }
  plan.pooler = reader.pooler();
  plan.heads = read_heads(config, family, plan.embeddings.word, weights);
  return plan;
}

}  // namespace bert
