#include "models/encoder/plan_reader.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/quote.h"
#include "models/config/activations.h"
#include "models/config/parameter_reader.h"
#include "models/config/positions.h"
#include "models/encoder/head_reader.h"
#include "models/encoder/relative_reader.h"
#include "models/encoder/rotary_kinds.h"

namespace bert {
namespace {

const EncoderNames& names_of(const Family& family, const WeightReader& weights) {
  const EncoderNames* other = family.other_names;
  const LayerNumbers first{};
  return other != nullptr && weights.has(name_of(other->attention_output, first) + ".weight") ? *other : family.names;
}

class PlanReader {
 public:
  PlanReader(const ModelConfig& config, const Family& family, WeightReader& weights)
      : config_(config),
        family_(family),
        names_(names_of(family, weights)),
        weights_(weights),
        parameters_(weights, config.layer_norm_eps),
        scheme_(position_scheme(config)),
        activation_(*find_activation(config.hidden_act)),
        relative_(config, family, names_, weights) {}

  Embeddings embeddings() {
    const size_t width = config_.embedding_width();
    Embeddings embeddings;
    const bool has_usual =
        names_.other_word_embeddings.empty() || weights_.has(std::string(names_.word_embeddings) + ".weight");
    embeddings.word = table(has_usual ? names_.word_embeddings : names_.other_word_embeddings, config_.vocab_size);
    if (has_usual && !names_.other_word_embeddings.empty()) {
      embeddings.word = weights_.tied(names_.other_word_embeddings, names_.word_embeddings, embeddings.word);
    }
    if (config_.scales_embeddings) embeddings.scale = static_cast<float>(std::sqrt(static_cast<double>(width)));
    embeddings.norm = norm(names_.embeddings_norm, width);
    if (!names_.token_type_embeddings.empty() && config_.type_vocab_size > 0) {
      embeddings.token_type = config_.task_type_vocab_size > 0
                                  ? with_first_task()
                                  : table(names_.token_type_embeddings, config_.type_vocab_size);
    }
    if (scheme_.added == AddedPositions::kTable) embeddings.position = position_table();
    if (scheme_.added == AddedPositions::kSinusoid) embeddings.sinusoid.emplace(width);
    if (projects_embeddings(config_, family_)) {
      embeddings.projection = Linear{{parameters_.dense(names_.embedding_projection, config_.hidden_size, width)}};
    }
    return embeddings;
  }

  LayerSpec layer(const LayerNumbers& numbers) {
    const size_t hidden = config_.hidden_size;
    const auto norm_of = [&](std::string_view pattern) { return norm(name_of(pattern, numbers), hidden); };
    LayerSpec layer;
    if (numbers.layer > 0 || family_.first_layer_is_normed) {
      layer.norm_before_attention = norm_of(names_.norm_before_attention);
    }
    const bool is_convolution = config_.short_convolution && config_.short_convolution->layers[numbers.layer];
    layer.attention = is_convolution ? short_convolution(numbers) : attention(numbers);
    const std::string_view output = is_convolution ? names_.short_convolution_output : names_.attention_output;
    layer.attention_output.parts = {
        parameters_.dense(name_of(output, numbers), hidden, layer.attention.outputs(),
                          has_bias(family_.attention_output_bias.value_or(family_.attention_bias), config_))};
    layer.norm_of_attention = norm_of(names_.norm_of_attention);
    layer.norm_after_attention = norm_of(names_.norm_after_attention);
    layer.norm_before_feed_forward = norm_of(names_.norm_before_feed_forward);
    layer.feed_forward = feed_forward(numbers);
    layer.norm_of_feed_forward = norm_of(names_.norm_of_feed_forward);
    layer.norm_after_feed_forward = norm_of(names_.norm_after_feed_forward);
    return layer;
  }

  FeedForward feed_forward(const LayerNumbers& numbers) {
    const size_t hidden = config_.hidden_size;
    const size_t intermediate = config_.intermediate_size;
    const auto dense = [&](std::string_view pattern, size_t out, size_t in, Bias bias) {
      return parameters_.dense(name_of(pattern, numbers), out, in, has_bias(bias, config_));
    };
    FeedForward feed_forward;
    if (config_.experts && config_.experts->in_layer(numbers.layer)) {
      feed_forward.experts = config_.experts->gate_limit ? gated_experts(numbers) : experts(numbers);
      return feed_forward;
    }
    const bool is_plain = !config_.gated_feed_forward && !names_.plain_up.empty();
    const bool has_gate = !is_plain && !names_.feed_forward_gate.empty();
    if (has_gate) {
      feed_forward.up.parts = {dense(names_.feed_forward_gate, intermediate, hidden, family_.up_bias)};
      feed_forward.gate = Gate{Gate::Activated::kFirst, activation_};
    } else if (names_.stacked_gate) {
      feed_forward.gate = Gate{*names_.stacked_gate, activation_};
    } else {
      feed_forward.up.activation = activation_;
    }
    const size_t halves = names_.stacked_gate ? 2 : 1;
    const std::string_view up = is_plain ? names_.plain_up : names_.feed_forward_up;
    feed_forward.up.parts.push_back(dense(up, halves * intermediate, hidden, family_.up_bias));
    feed_forward.down.parts = {dense(names_.feed_forward_down, hidden, intermediate, family_.down_bias)};
    Activation& activation = feed_forward.gate ? feed_forward.gate->activation : feed_forward.up.activation;
    if (feed_forward.down.parts.front().weight.has_prepared_rows() && activation == Activation::kGelu) {
      activation = Activation::kGeluOfFewBits;
    }
    return feed_forward;
  }

  std::optional<Convolution> convolution() {
    if (!config_.convolution) return std::nullopt;
    const size_t hidden = config_.hidden_size, width = config_.convolution->width;
    const std::string name(names_.convolution);
    const LinearPart part = {
        weights_.convolution(name + ".weight", hidden, hidden, width),
        weights_.vector(name + ".bias", hidden, WeightRole::kConvolution).data(),
    };
    return Convolution{.width = width,
                       .dense = {.parts = {part}, .activation = *find_activation(config_.convolution->activation)},
                       .norm = *norm(names_.convolution_norm, hidden)};
  }

  std::optional<Norm> final_norm() { return norm(names_.final_norm, config_.hidden_size); }

  void move_relative_parts(EncoderPlan& plan) && { std::move(relative_).move_into(plan); }

  std::optional<Pooler> pooler() {
    const std::string name(names_.pooler);
    if (name.empty() || (!weights_.has(name + ".weight") && !weights_.has(name + ".bias"))) return std::nullopt;
    return Pooler{{{parameters_.dense(name, config_.hidden_size, config_.hidden_size)}, Activation::kTanh}};
  }

 private:
  // The rows of the segments, each plus that of the first task.
  WeightView with_first_task() {
    const size_t width = config_.embedding_width(), rows = config_.type_vocab_size;
    const auto floats = [&](std::string_view name, size_t count) {
      return weights_.floats(std::string(name) + ".weight", count, width, WeightRole::kTable);
    };
    const std::span<const float> segments = floats(names_.token_type_embeddings, rows);
    const std::span<const float> tasks = floats(names_.task_type_embeddings, config_.task_type_vocab_size);
    std::vector<float> sums(segments.begin(), segments.end());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += tasks[i % width];
    return {.data = weights_.keep(sums).data(), .format = WeightFormat::kF32, .rows = rows, .cols = width};
  }

  // The router's choice needs float32, and the second layers have no scale for an output: they stay floats where the
  // first ones have 8 bits.
  Experts experts(const LayerNumbers& numbers) {
    const size_t hidden = config_.hidden_size, intermediate = config_.intermediate_size;
    const size_t count = config_.experts->experts, rows = count * intermediate;
    Experts experts;
    experts.top_k = config_.experts->top_k;
    const std::span<const float> router =
        weights_.floats(name_of(names_.router, numbers) + ".weight", count, hidden, WeightRole::kProjection);
    experts.router.parts = {{{.data = router.data(), .rows = count, .cols = hidden}, nullptr}};
    const WeightView up = weights_.matrix(name_of(names_.experts_up, numbers), rows, hidden, WeightRole::kProjection);
    const WeightView down = weights_.transposed(name_of(names_.experts_down, numbers), std::array{rows, hidden},
                                                intermediate, WeightRole::kProjection);
    experts.bias = weights_.vector(name_of(names_.experts_bias, numbers), hidden, WeightRole::kProjection).data();
    for (size_t expert = 0; expert < count; ++expert) {
      experts.up.push_back({{{up.row_range(expert * intermediate, intermediate), nullptr}}, activation_});
      experts.down.push_back({{{down.row_range(expert * hidden, hidden), nullptr}}});
    }
    return experts;
  }

  // The choice needs float32 here too.
  Experts gated_experts(const LayerNumbers& numbers) {
    const size_t hidden = config_.hidden_size, intermediate = config_.intermediate_size;
    const size_t count = config_.experts->experts;
    const std::string router = name_of(names_.router, numbers), up_name = name_of(names_.experts_up, numbers),
                      down_name = name_of(names_.experts_down, numbers);
    Experts experts;
    experts.top_k = config_.experts->top_k;
    experts.softmax_of_chosen = true;
    experts.gate = Gate{Gate::Activated::kFirst, activation_, static_cast<float>(*config_.experts->gate_limit)};
    const std::span<const float> weights = weights_.floats(router + ".weight", count, hidden, WeightRole::kProjection);
    experts.router.parts = {{{.data = weights.data(), .rows = count, .cols = hidden},
                             weights_.vector(router + ".bias", count, WeightRole::kProjection).data()}};
    const WeightView up = weights_.expert_weights(up_name, count, hidden, 2 * intermediate, WeightRole::kProjection);
    const WeightView down = weights_.expert_weights(down_name, count, intermediate, hidden, WeightRole::kProjection);
    const float* up_bias = weights_.floats(up_name + "_bias", count, 2 * intermediate, WeightRole::kProjection).data();
    const float* down_bias = weights_.floats(down_name + "_bias", count, hidden, WeightRole::kProjection).data();
    for (size_t i = 0; i < count; ++i) {
      experts.up.push_back({{{up.row_range(i * 2 * intermediate, 2 * intermediate), up_bias + i * 2 * intermediate}}});
      experts.down.push_back({{{down.row_range(i * hidden, hidden), down_bias + i * hidden}}});
    }
    return experts;
  }

  WeightView table(std::string_view name, size_t rows) {
    return weights_.matrix(std::string(name) + ".weight", rows, config_.embedding_width(), WeightRole::kTable);
  }

  WeightView position_table() {
    if (names_.position_embeddings.empty()) {
      throw Error(ErrorCode::kUnsupported, "positions absolute are not supported for a model of type " +
                                               quote(config_.model_type) + ", expected its own: it has no such table");
    }
    const size_t first = family_.first_position_row, rows = config_.max_position_embeddings;
    return table(names_.position_embeddings, first + rows).row_range(first, rows);
  }

  std::optional<Norm> norm(std::string_view name, size_t size) {
    if (name.empty()) return std::nullopt;
    return parameters_.norm(name, size, family_.norm, has_bias(family_.norm_bias, config_),
                            family_.norm_weights_are_less_1 ? 1.0f : 0.0f);
  }

  SelfAttention short_convolution(const LayerNumbers& numbers) {
    const size_t hidden = config_.hidden_size, width = config_.short_convolution->width;
    SelfAttention layer;
    layer.heads = layer.key_heads = config_.num_attention_heads;
    layer.head_dim = config_.head_dim();
    layer.qkv.parts = {parameters_.dense(name_of(names_.short_convolution_input, numbers), 3 * hidden, hidden, false)};
    const std::string name = name_of(names_.short_convolution, numbers) + ".weight";
    const WeightView weights = weights_.convolution(name, hidden, 1, width);
    layer.convolution =
        ShortConvolution{.channels = hidden, .width = width, .weights = static_cast<const float*>(weights.data)};
    return layer;
  }

  SelfAttention attention(const LayerNumbers& numbers) {
    const size_t hidden = config_.hidden_size;
    SelfAttention attention;
    attention.heads = config_.num_attention_heads;
    attention.key_heads = config_.key_value_heads();
    attention.head_dim = config_.head_dim();
    const size_t queries = attention.outputs(), keys = attention.key_heads * attention.head_dim;
    const auto dense = [&](std::string_view pattern, size_t out) {
      return parameters_.dense(name_of(pattern, numbers), out, hidden, has_bias(family_.attention_bias, config_));
    };
    if (!names_.qkv.empty()) {
      attention.qkv.parts = {dense(names_.qkv, queries + 2 * keys)};
    } else {
      attention.qkv.parts = {dense(names_.query, queries), dense(names_.key, keys), dense(names_.value, keys)};
    }
    attention.query_norm = norm(name_of(names_.query_norm, numbers), attention.head_dim);
    attention.key_norm = norm(name_of(names_.key_norm, numbers), attention.head_dim);
    if (!names_.sinks.empty()) {
      const std::string name = name_of(names_.sinks, numbers);
      attention.sinks = weights_.vector(name, attention.heads, WeightRole::kProjection).data();
    }
    attention.rotary_pairs = family_.rotary_pairs;
    attention.is_causal = config_.causal_attention;
    const bool is_local = !config_.local_layers.empty() && config_.local_layers[numbers.layer];
    if (is_local) {
      attention.window =
          config_.layer_distances.empty() ? config_.local_distance : config_.layer_distances[numbers.layer];
    }
    if (config_.global_tokens != GlobalTokens::kNone) {
      attention.global.parts = {dense(names_.global_query, queries), dense(names_.global_key, keys),
                                dense(names_.global_value, keys)};
    }
    if (scheme_.distances == ScoreDistances::kRotary) attention.rotary_table = is_local ? 1 : 0;
    attention.relative = relative_.layer(numbers);
    attention.score_width = config_.score_width();
    attention.soft_cap = static_cast<float>(config_.attention_soft_cap);
    if (scheme_.distances == ScoreDistances::kDisentangled) relative_.read_projections(attention.qkv, numbers);
    return attention;
  }

  const ModelConfig& config_;
  const Family& family_;
  const EncoderNames& names_;
  WeightReader& weights_;
  ParameterReader parameters_;
  const PositionScheme& scheme_;
  Activation activation_;
  RelativeReader relative_;
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
  plan.positions_at_every_layer = config.positions_at_every_layer;
  plan.convolution = reader.convolution();
  plan.final_norm = reader.final_norm();
  plan.rotary = rotary_kinds(config);
  plan.pooler = reader.pooler();
  std::move(reader).move_relative_parts(plan);
  plan.heads = read_heads(config, family, plan.embeddings.word, names_of(family, weights).word_embeddings, weights);
  return plan;
}

size_t ignore_later_layers(const ModelConfig& config, const Family& family, WeightReader& weights) {
  const std::string_view pattern = names_of(family, weights).attention_output;
  const size_t number = pattern.find("{}");
  if (number == std::string_view::npos) return 0;  // the layers share their tensors
  size_t layer = config.num_hidden_layers;
  for (; weights.has(name_of(pattern, {.layer = layer, .group = layer, .inner = 0}) + ".weight"); ++layer) {
    weights.ignore(std::string(pattern.substr(0, number)) + std::to_string(layer) + ".*");
  }
  return layer - config.num_hidden_layers;
}

}  // namespace bert
