#include "models/encoder/plan_reader.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/quote.h"
#include "models/config/activations.h"
#include "models/config/parameter_reader.h"
#include "models/config/positions.h"
#include "models/encoder/expert_reader.h"
#include "models/encoder/head_reader.h"
#include "models/encoder/narrow_reader.h"
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
    const std::string_view word_name = has_usual ? names_.word_embeddings : names_.other_word_embeddings;
    if (config_.bottleneck) {
      const size_t word_width = config_.bottleneck->word_width;
      embeddings.word =
          weights_.matrix(std::string(word_name) + ".weight", config_.vocab_size, word_width, WeightRole::kTable);
      embeddings.word_projection =
          Linear{{parameters_.dense(names_.word_projection, width, config_.bottleneck->words * word_width)}};
    } else {
      embeddings.word = table(word_name, config_.vocab_size);
    }
    if (has_usual && !names_.other_word_embeddings.empty()) {
      embeddings.word = weights_.tied(names_.other_word_embeddings, names_.word_embeddings, embeddings.word);
    }
    if (config_.scales_embeddings) embeddings.scale = static_cast<float>(std::sqrt(static_cast<double>(width)));
    embeddings.dropped_word = config_.dropped_token_id;
    if (config_.normalizes_embeddings) embeddings.norm = norm(names_.embeddings_norm, width);
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
    const size_t width = config_.layer_width();
    const auto norm_of = [&](std::string_view pattern) { return norm(name_of(pattern, numbers), width); };
    LayerSpec layer;
    if (config_.norms_come_first) {
      layer.norm_before_attention = norm_of(names_.norm_after_attention);
    } else if (numbers.layer > 0 || family_.first_layer_is_normed) {
      layer.norm_before_attention = norm_of(names_.norm_before_attention);
    }
    const bool is_convolution = config_.short_convolution && config_.short_convolution->layers[numbers.layer];
    layer.attention = is_convolution ? short_convolution(numbers) : attention(numbers);
    if (config_.span_convolution > 0) layer.convolution = span_convolution(numbers);
    const std::string_view output = is_convolution ? names_.short_convolution_output : names_.attention_output;
    layer.attention_output.parts = {dense(name_of(output, numbers), width, layer.mixed_outputs(),
                                          family_.attention_output_bias.value_or(family_.attention_bias),
                                          groups().attention_output)};
    layer.norm_of_attention = norm_of(names_.norm_of_attention);
    if (!config_.norms_come_first) layer.norm_after_attention = norm_of(names_.norm_after_attention);
    FeedForwardBlock block{.norm_before = norm_of(names_.norm_before_feed_forward),
                           .network = feed_forward(numbers),
                           .norm_of_output = norm_of(names_.norm_of_feed_forward),
                           .norm_after = norm_of(names_.norm_after_feed_forward)};
    if (config_.norms_come_first) std::swap(block.norm_before, block.norm_after);
    if (config_.bottleneck) NarrowReader(config_, names_, weights_, activation_).read_around(layer, numbers);
    layer.feed_forwards.push_back(std::move(block));
    if (config_.language_adapters) add_language_adapter(layer, numbers);
    return layer;
  }

  FeedForward feed_forward(const LayerNumbers& numbers) {
    const size_t hidden = config_.layer_width();
    const size_t intermediate = config_.intermediate_size;
    const auto up_part = [&](std::string_view pattern, size_t out) {
      return dense(name_of(pattern, numbers), out, hidden, family_.up_bias, groups().up);
    };
    FeedForward feed_forward;
    if (config_.experts && config_.experts->in_layer(numbers.layer)) {
      feed_forward.experts = read_experts(config_, names_, numbers, activation_, weights_);
      return feed_forward;
    }
    const bool is_plain = !config_.gated_feed_forward && !names_.plain_up.empty();
    const bool has_gate = !is_plain && !names_.feed_forward_gate.empty();
    if (has_gate) {
      feed_forward.up.parts = {up_part(names_.feed_forward_gate, intermediate)};
      feed_forward.gate = Gate{Gate::Activated::kFirst, activation_};
    } else if (names_.stacked_gate) {
      feed_forward.gate = Gate{*names_.stacked_gate, activation_};
    } else {
      feed_forward.up.activation = activation_;
    }
    const size_t halves = names_.stacked_gate ? 2 : 1;
    const std::string_view up = is_plain ? names_.plain_up : names_.feed_forward_up;
    feed_forward.up.parts.push_back(up_part(up, halves * intermediate));
    feed_forward.down.parts = {
        dense(name_of(names_.feed_forward_down, numbers), hidden, intermediate, family_.down_bias, groups().down)};
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

  std::optional<Norm> final_norm() {
    if (family_.final_norm_if_first && !config_.norms_come_first) return std::nullopt;
    return norm(names_.final_norm, config_.hidden_size);
  }

  void move_relative_parts(EncoderPlan& plan) && { std::move(relative_).move_into(plan); }

  std::optional<Pooler> pooler() {
    const std::string name(names_.pooler);
    if (name.empty() || (!weights_.has(name + ".weight") && !weights_.has(name + ".bias"))) return std::nullopt;
    return Pooler{{{parameters_.dense(name, config_.hidden_size, config_.hidden_size)}, Activation::kTanh}};
  }

  std::optional<ContactRegression> contacts() {
    const std::string weight = std::string(names_.contacts) + ".weight";
    if (names_.contacts.empty() || !weights_.has(weight)) return std::nullopt;
    const size_t count = config_.attention_layers() * config_.num_attention_heads;
    return ContactRegression{
        weights_.floats(weight, 1, count, WeightRole::kHead),
        weights_.vector(std::string(names_.contacts) + ".bias", 1, WeightRole::kHead).front(),
    };
  }

 private:
  DenseGroups groups() const { return config_.dense_groups.value_or(DenseGroups()); }

  // Returns a weight in groups as a whole matrix, with zeros.
  LinearPart dense(const std::string& name, size_t out, size_t in, Bias bias, size_t groups) {
    const bool is_convolution = config_.dense_groups && family_.grouped_shape == GroupedShape::kOneByOne;
    if (!is_convolution && groups == 1) return parameters_.dense(name, out, in, has_bias(bias, config_));
    const size_t inputs = in / groups;
    const WeightView rows = is_convolution
                                ? weights_.convolution(name + ".weight", out, inputs, 1)
                                : weights_.transposed(name + ".weight", std::array{groups, inputs, out / groups},
                                                      inputs, WeightRole::kProjection);
    std::vector<float> whole(out * in);
    for (size_t i = 0; i < out; ++i) {
      kernels_for({}).copy_row(&whole[i * in + i / (out / groups) * inputs], rows.row(i), inputs);
    }
    return {{.data = weights_.keep(whole).data(), .rows = out, .cols = in},
            has_bias(bias, config_) ? weights_.vector(name + ".bias", out, WeightRole::kProjection).data() : nullptr};
  }

  // Adds the network of the chosen language, between the layer's own network and the norm after that.
  void add_language_adapter(LayerSpec& layer, const LayerNumbers& numbers) {
    using enum LanguageAdapters::Norm;
    const LanguageAdapters& adapters = *config_.language_adapters;
    const size_t hidden = config_.hidden_size;
    const std::string all = name_of(names_.language_adapters, numbers), one = all + "." + adapters.language;
    weights_.ignore(all + ".*");
    FeedForwardBlock& own = layer.feed_forwards.front();
    FeedForwardBlock block;
    block.network.up = {{parameters_.dense(one + ".dense1", adapters.size, hidden)}, activation_};
    block.network.down = {{parameters_.dense(one + ".dense2", hidden, adapters.size)}};
    block.norm_after = std::exchange(own.norm_after, std::nullopt);
    if (adapters.norm != kNone) {
      const std::string_view name = adapters.norm == kOwn ? names_.language_norm : names_.norm_after_feed_forward;
      (adapters.norm_before_residual ? own.norm_after : block.norm_before) = norm(name_of(name, numbers), hidden);
    }
    layer.feed_forwards.push_back(std::move(block));
  }

  SpanConvolution span_convolution(const LayerNumbers& numbers) {
    const size_t hidden = config_.hidden_size, width = config_.span_convolution;
    const std::string name = name_of(names_.span_convolution, numbers), keys = name + ".key_conv_attn_layer";
    SpanConvolution result{.width = width, .heads = config_.num_attention_heads, .head_dim = config_.head_dim()};
    const size_t outputs = result.outputs();
    const WeightView stored = weights_.convolution(keys + ".depthwise.weight", hidden, 1, width);
    std::vector<float> depthwise(width * hidden);
    for (size_t i = 0; i < depthwise.size(); ++i) {
      depthwise[i % width * hidden + i / width] = static_cast<const float*>(stored.data)[i];
    }
    result.depthwise = weights_.keep(depthwise).data();
    result.pointwise = {{{weights_.convolution(keys + ".pointwise.weight", outputs, hidden, 1),
                          weights_.floats(keys + ".bias", outputs, 1, WeightRole::kConvolution).data()}}};
    result.kernel = {{parameters_.dense(name + ".conv_kernel_layer", result.heads * width, outputs)}};
    result.values = {{parameters_.dense(name + ".conv_out_layer", outputs, hidden)}};
    return result;
  }

  // Returns the rows of the segments, each plus the row of the first task.
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
    const auto part = [&](std::string_view pattern, size_t out, size_t groups = 1) {
      return dense(name_of(pattern, numbers), out, hidden, family_.attention_bias, groups);
    };
    if (config_.bottleneck) {
      attention.qkv.parts = NarrowReader(config_, names_, weights_, activation_).qkv(numbers);
    } else if (!names_.qkv.empty()) {
      attention.qkv.parts = {part(names_.qkv, queries + 2 * keys)};
    } else if (!names_.qkv_of_heads.empty()) {
      attention.qkv.parts = qkv_of_heads(attention.heads, attention.head_dim, numbers);
    } else {
      attention.qkv.parts = {part(names_.query, queries, groups().query), part(names_.key, keys, groups().key),
                             part(names_.value, keys, groups().value)};
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
      attention.global.parts = {part(names_.global_query, queries), part(names_.global_key, keys),
                                part(names_.global_value, keys)};
    }
    if (scheme_.distances == ScoreDistances::kRotary) attention.rotary_table = is_local ? 1 : 0;
    attention.relative = relative_.layer(numbers);
    attention.score_width = config_.score_width();
    attention.soft_cap = static_cast<float>(config_.attention_soft_cap);
    if (scheme_.distances == ScoreDistances::kDisentangled) relative_.read_projections(attention.qkv, numbers);
    return attention;
  }

  // Returns the rows of all heads' queries, then keys, then values: views of the file's order.
  std::vector<LinearPart> qkv_of_heads(size_t heads, size_t head_dim, const LayerNumbers& numbers) {
    const auto bias = [&](std::string_view pattern) -> const float* {
      if (pattern.empty()) return nullptr;
      return weights_.vector(name_of(pattern, numbers), heads * head_dim, WeightRole::kProjection).data();
    };
    const std::array biases = {bias(names_.query_bias), static_cast<const float*>(nullptr), bias(names_.value_bias)};
    const WeightView rows =
        weights_.matrix(name_of(names_.qkv_of_heads, numbers) + ".weight", biases.size() * heads * head_dim,
                        config_.hidden_size, WeightRole::kProjection);
    std::vector<LinearPart> parts;
    for (size_t kind = 0; kind < biases.size(); ++kind) {
      for (size_t head = 0; head < heads; ++head) {
        parts.push_back({rows.row_range((biases.size() * head + kind) * head_dim, head_dim),
                         biases[kind] == nullptr ? nullptr : biases[kind] + head * head_dim});
      }
    }
    return parts;
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

// Returns the group of a hidden state. Groups have equal size except for rounding: group ⌊s / (states / groups)⌋
// computes hidden state s; the inner division is not rounded.
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
  plan.contacts = reader.contacts();
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
