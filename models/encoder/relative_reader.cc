#include "models/encoder/relative_reader.h"

#include <utility>

namespace bert {

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

RelativeReader::RelativeReader(const ModelConfig& config, const Family& family, const EncoderNames& names,
                               WeightReader& weights)
    : config_(config),
      family_(family),
      names_(names),
      weights_(weights),
      parameters_(weights, config.layer_norm_eps),
      scheme_(position_scheme(config)) {
  if (scheme_.has_distance_vectors()) {
    const size_t farthest = config.max_position_embeddings - 1;
    rows_ = DistanceRows::each(farthest, farthest);
  }
  if (scheme_.distances == ScoreDistances::kDisentangled) read_distances(*config.disentangled);
}

void RelativeReader::read_distances(const DisentangledAttention& attention) {
  const size_t farthest = attention.max_relative_positions, buckets = attention.position_buckets;
  const size_t each_way = buckets > 0 ? buckets : farthest;
  rows_ = buckets > 0 ? DistanceRows::log_buckets(buckets, farthest) : DistanceRows::each(each_way, each_way - 1);
  source_.emplace();
  source_->rows = weights_.matrix(std::string(names_.distance_table) + ".weight", 2 * each_way, config_.hidden_size,
                                  WeightRole::kRelativePositions);
  if (attention.normalizes_distances && !names_.distance_norm.empty()) {
    source_->norm =
        parameters_.norm(names_.distance_norm, config_.hidden_size, family_.norm, has_bias(family_.norm_bias, config_));
  }
}

void RelativeReader::read_projections(const Linear& qkv, const LayerNumbers& numbers) {
  const DisentangledAttention& attention = *config_.disentangled;
  const auto projection = [&](std::string_view pattern, const LinearPart& shared, Bias bias) {
    if (attention.share_att_key) return Linear{{shared}};
    return Linear{{parameters_.dense(name_of(pattern, numbers), config_.hidden_size, config_.hidden_size,
                                     has_bias(bias, config_))}};
  };
  DistanceSource::Projections& projections = source_->layers.emplace_back();
  if (attention.content_to_position)
    projections.for_queries = projection(names_.distance_key, qkv.parts[1], family_.distance_key_bias);
  if (attention.position_to_content)
    projections.for_keys = projection(names_.distance_query, qkv.parts[0], Bias::kAlways);
}

std::optional<RelativePositions> RelativeReader::layer(const LayerNumbers& numbers) {
  if (scheme_.distances == ScoreDistances::kBias) {
    const std::string name = name_of(names_.relative_bias, numbers) + ".weight";
    const auto rows =
        weights_.floats(name, RelativePositions::kBuckets, config_.num_attention_heads, WeightRole::kRelativePositions);
    return RelativePositions(RelativePositions::Biases{rows.data()});
  }
  if (scheme_.distances == ScoreDistances::kSlopes)
    return RelativePositions(RelativePositions::Slopes{config_.num_attention_heads});
  if (!scheme_.has_distance_vectors()) return std::nullopt;
  const auto rows = weights_.floats(name_of(names_.distance_embedding, numbers) + ".weight", rows_.rows.size(),
                                    config_.head_dim(), WeightRole::kRelativePositions);
  return RelativePositions(RelativePositions::Vectors{
      .query_table = rows.data(),
      .key_table = scheme_.distances == ScoreDistances::kQueryAndKeyVectors ? rows.data() : nullptr,
      .stride = config_.head_dim(),
      .head_offset = 0,
      .distance_rows = rows_.rows,
      .first_distance = rows_.first,
      .scaled = family_.scales_distances});
}

void RelativeReader::move_into(EncoderPlan& plan) && {
  plan.distance_rows = std::move(rows_);
  plan.distance_source = std::move(source_);
}

}  // namespace bert
