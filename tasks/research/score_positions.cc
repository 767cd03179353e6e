// Computes how attention scores depend on the distance of two tokens: from the configuration if positions act by a
// formula, from the plan if they are learned.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bert/error.h"
#include "bert/explore.h"
#include "engine/base/utf8_path.h"
#include "engine/checkpoint/checkpoint.h"
#include "models/config/config.h"
#include "models/config/positions.h"
#include "models/encoder/rotary_kinds.h"
#include "models/model/model_impl.h"
#include "models/sentence/sentence_settings.h"

namespace bert {
namespace {

std::vector<size_t> all_layers(const ModelConfig& config) {
  std::vector<size_t> layers(config.attention_layers());
  std::iota(layers.begin(), layers.end(), size_t{0});
  return layers;
}

// Returns the global layers, then the local ones; each only if there are such layers.
std::vector<ScorePositions> by_window(const ModelConfig& config) {
  ScorePositions global, local;
  for (const size_t layer : all_layers(config)) {
    const bool is_local = !config.local_layers.empty() && config.local_layers[layer];
    (is_local ? local : global).layers.push_back(layer);
  }
  if (!local.layers.empty()) local.window = config.local_distance;
  std::vector<ScorePositions> parts;
  for (ScorePositions* part : {&global, &local}) {
    if (!part->layers.empty()) parts.push_back(std::move(*part));
  }
  return parts;
}

DistanceBias distance_bias(size_t heads, size_t farthest) {
  return {heads, farthest, std::vector<float>(heads * (2 * farthest + 1)), {}};
}

DistanceBias bias_of_buckets(const RelativePositions& relative, size_t heads) {
  size_t farthest = 0;
  while (RelativePositions::bucket(-static_cast<int64_t>(farthest)) + 1 < RelativePositions::kBuckets / 2) ++farthest;
  DistanceBias bias = distance_bias(heads, farthest);
  for (size_t head = 0; head < heads; ++head) {
    for (size_t i = 0; i <= 2 * farthest; ++i) {
      const int64_t distance = static_cast<int64_t>(i) - static_cast<int64_t>(farthest);
      bias.values[head * (2 * farthest + 1) + i] = relative.bias(distance, head, heads);
    }
  }
  return bias;
}

// Returns the biases of a product's outputs; 0 if it has none.
std::vector<double> biases_of(const Linear& linear) {
  std::vector<double> biases;
  for (const LinearPart& part : linear.parts) {
    for (size_t i = 0; i < part.weight.rows; ++i) biases.push_back(part.bias == nullptr ? 0 : double{part.bias[i]});
  }
  return biases;
}

DistanceBias bias_of_vectors(const SelfAttention& attention) {
  const RelativePositions::Vectors& vectors = attention.relative->vectors();
  const auto last = static_cast<ptrdiff_t>(vectors.distance_rows.size()) - 1;
  const ptrdiff_t farthest = std::max(-vectors.first_distance, vectors.first_distance + last);
  const std::vector<double> biases = biases_of(attention.qkv);
  const size_t dim = attention.head_dim;
  const double scale = vectors.scaled ? 1 / std::sqrt(static_cast<double>(attention.score_width)) : 1;
  DistanceBias result = distance_bias(attention.heads, static_cast<size_t>(farthest));
  result.spread.resize(result.values.size());
  size_t at = 0;
  for (size_t head = 0; head < attention.heads; ++head) {
    const double* query = biases.data() + head * dim;
    const double* key = biases.data() + (attention.heads + head * attention.key_heads / attention.heads) * dim;
    for (ptrdiff_t distance = -farthest; distance <= farthest; ++distance, ++at) {
      const auto index = static_cast<size_t>(std::clamp(-distance - vectors.first_distance, ptrdiff_t{0}, last));
      const size_t row = static_cast<size_t>(vectors.distance_rows[index]) * vectors.stride;
      double sum = 0, squares = 0;
      for (const auto& [table, other] : {std::pair{vectors.query_table, query}, {vectors.key_table, key}}) {
        if (table == nullptr) continue;
        const float* vector = table + row + head * vectors.head_offset;
        for (size_t d = 0; d < dim; ++d) {
          sum += other[d] * double{vector[d]};
          squares += double{vector[d]} * double{vector[d]};
        }
      }
      result.values[at] = static_cast<float>(scale * sum);
      result.spread[at] = static_cast<float>(scale * std::sqrt(squares));
    }
  }
  return result;
}

std::vector<ScorePositions> learned_positions(const EncoderPlan& plan, const ModelConfig& config) {
  std::vector<ScorePositions> parts;
  if (position_scheme(config).distances == ScoreDistances::kBias) {  // one table for all layers
    parts = by_window(config);
    const SelfAttention& attention = plan.layers.front().attention;
    for (ScorePositions& part : parts) part.bias = bias_of_buckets(*attention.relative, attention.heads);
    return parts;
  }
  size_t at = 0;
  for (const std::vector<size_t>& layers : plan.layer_schedule) {
    for (const size_t index : layers) {
      const SelfAttention& attention = plan.layers[index].attention;
      ScorePositions part;
      part.layers = {at++};
      if (attention.window != kNoWindow) part.window = attention.window;
      part.bias = bias_of_vectors(attention);
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

bool are_learned(const PositionScheme& scheme) {
  return scheme.distances == ScoreDistances::kBias || scheme.distances == ScoreDistances::kDisentangled ||
         scheme.has_distance_vectors();
}

}  // namespace

bool has_score_formula(const ModelConfig& config) {
  return !are_learned(position_scheme(config)) && !score_positions(config).empty();
}

std::vector<ScorePositions> score_positions(const ModelConfig& config, size_t text_length) {
  const PositionScheme& scheme = position_scheme(config);
  if (are_learned(scheme)) {
    throw Error(ErrorCode::kNotFound,
                "positions " + std::string(scheme.name) + " are learned, so they are in the model's weights");
  }
  std::vector<ScorePositions> parts = by_window(config);
  if (scheme.distances == ScoreDistances::kRotary) {
    const std::vector<Rotary> kinds = rotary_kinds(config);
    for (ScorePositions& part : parts) part.frequencies = kinds[part.window ? 1 : 0].frequencies(text_length);
  }
  if (scheme.distances == ScoreDistances::kSlopes) {
    for (ScorePositions& part : parts) part.slopes = RelativePositions::slopes_of(config.num_attention_heads);
  }
  if (scheme.added == AddedPositions::kSinusoid) {
    ScorePositions sinusoids;
    sinusoids.frequencies = Rotary(config.embedding_width(), {}).frequencies(text_length);
    parts.insert(parts.begin(), std::move(sinusoids));
  }
  const auto is_empty = [](const ScorePositions& part) {
    return !part.window && part.frequencies.empty() && part.slopes.empty();
  };
  if (std::all_of(parts.begin(), parts.end(), is_empty)) parts.clear();
  return parts;
}

std::vector<ScorePositions> score_positions(const Model& model, size_t text_length) {
  const Model::Impl& impl = ModelAccess::impl(model);
  if (!are_learned(position_scheme(impl.config))) return score_positions(impl.config, text_length);
  return learned_positions(impl.encoder.plan, impl.config);
}

Architecture load_architecture(const std::string& name, const LoadOptions& options) {
  const std::filesystem::path directory = find_model(name, options.revision);
  const std::filesystem::path encoder = encoder_directory(directory, options.task);
  return {utf8(directory), read_config(DirectorySource(encoder)), Checkpoint::is_in(encoder)};
}

}  // namespace bert
