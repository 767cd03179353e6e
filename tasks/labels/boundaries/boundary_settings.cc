#include "tasks/labels/boundaries/boundary_settings.h"

#include <algorithm>
#include <cmath>

namespace bert {
namespace {

constexpr int64_t kMostWidth = 65536, kMostLayers = 64, kMostBoundaries = 1024, kMostCandidates = 65536;

class BoundaryFields {
 public:
  explicit BoundaryFields(const JsonObject& fields) : fields_(fields) {}

  void read(const char* key, size_t& value, int64_t min, int64_t max) const {
    if (const auto found = fields_.nullable_integer(key, {.min = min, .max = max})) value = static_cast<size_t>(*found);
  }
  void read(const char* key, bool& value) const { value = fields_.nullable_boolean(key).value_or(value); }
  // Reads a number above 0, or from 0 on.
  void read(const char* key, double& value, bool may_be_zero, const char* expected) const {
    const std::optional<Json> found = fields_.nullable(key);
    if (!found) return;
    const std::optional<double> number = found->number();
    if (!number || !std::isfinite(*number) || *number < 0 || (*number == 0 && !may_be_zero)) {
      fields_.refuse(key, expected);
    }
    value = *number;
  }
  // Throws unless `divisor` divides `value`.
  void require_divisor(const char* key, size_t divisor, const char* of, size_t value) const {
    if (value % divisor != 0) fields_.refuse(key, std::string("a divisor of ") + of + " " + std::to_string(value));
  }
  OverlapPolicy overlaps() const {
    const std::string policy = fields_.nullable_string("overlap_policy").value_or("flat");
    if (policy == "flat") return OverlapPolicy::kBestSum;
    if (policy == "nested") return OverlapPolicy::kNested;
    if (policy == "longest") return OverlapPolicy::kLongest;
    fields_.refuse("overlap_policy", "flat, nested or longest");
  }

 private:
  const JsonObject& fields_;
};

}  // namespace

BoundarySettings read_boundary_settings(const JsonObject& object) {
  BoundarySettings settings;
  const BoundaryFields fields(object);
  fields.read("boundary_dim", settings.width, 1, kMostWidth);
  fields.read("pair_dim", settings.pair_width, 1, kMostWidth);
  fields.read("boundary_refinement_layers", settings.refinement_layers, 0, kMostLayers);
  double multiplier = 2;
  fields.read("boundary_ffn_multiplier", multiplier, false, "a number above 0");
  const double inside = std::min(static_cast<double>(settings.width) * multiplier, static_cast<double>(kMostWidth));
  settings.refinement_width = std::max<size_t>(1, static_cast<size_t>(inside));
  fields.read("boundary_attention_layers", settings.attention_layers, 0, kMostLayers);
  fields.read("boundary_attention_heads", settings.attention_heads, 1, kMostWidth);
  if (settings.attention_layers > 0) {
    fields.require_divisor("boundary_attention_heads", settings.attention_heads, "boundary_dim", settings.width);
  }
  fields.read("boundary_attention_window", settings.attention_window, 0, kMostCandidates);

  fields.read("start_top_k", settings.best_starts, 1, kMostBoundaries);
  fields.read("end_top_k", settings.best_ends, 1, kMostBoundaries);
  fields.read("ends_per_start", settings.ends_per_start, 1, kMostBoundaries);
  fields.read("starts_per_end", settings.starts_per_end, 1, kMostBoundaries);
  fields.read("candidate_budget", settings.candidates, 1, kMostCandidates);
  fields.read("bidirectional_proposals", settings.both_directions);
  fields.read("boundary_top_k_alpha", settings.best_share, true, "a number from 0");
  fields.read("boundary_top_k_max", settings.best_at_most, 1, kMostBoundaries);
  if (settings.best_at_most < std::max(settings.best_starts, settings.best_ends)) {
    object.refuse("boundary_top_k_max", "at least start_top_k and end_top_k");
  }
  fields.read("boundary_top_k_bucket", settings.best_multiple_of, 1, kMostBoundaries);

  fields.read("use_inside_evidence", settings.uses_inside);
  fields.read("query_conditioned_inside_weight", settings.label_weighs_inside);
  fields.read("enable_span_content", settings.has_content);
  fields.read("content_dim", settings.content.width, 1, kMostWidth);
  fields.read("content_soft_max_pool", settings.content.has_maximum);
  fields.read("enable_rotary_endpoints", settings.rotates_ends);
  fields.read("rotary_base", settings.rotary_base, false, "a number above 0");
  if (settings.rotates_ends && (settings.width % 2 != 0 || settings.pair_width % 2 != 0)) {
    object.refuse("enable_rotary_endpoints", "false, or an even boundary_dim and pair_dim");
  }
  fields.read("endpoint_difference_features", settings.has_differences);
  fields.read("reranker_endpoint_compat", settings.has_compatibility);
  fields.read("multihead_pair_compat_heads", settings.compatibility_heads, 1, kMostWidth);
  fields.require_divisor("multihead_pair_compat_heads", settings.compatibility_heads, "pair_dim", settings.pair_width);

  const std::string pool = object.nullable_string("candidate_pool").value_or("per_query");
  if (pool != "per_query" && pool != "shared") object.refuse("candidate_pool", "per_query or shared");
  settings.shares_candidates = pool == "shared";
  fields.read("pool_boundary_top_k", settings.pool_boundaries, 1, kMostBoundaries);
  fields.read("pool_size", settings.pool_size, 1, kMostCandidates);
  fields.read("min_pool_per_query", settings.pool_per_label, 0, static_cast<int64_t>(settings.pool_size));
  fields.read("candidate_attention_layers", settings.pool_layers, 0, kMostLayers);
  fields.read("candidate_attention_heads", settings.pool_heads, 1, kMostWidth);
  fields.read("query_attention_layers", settings.label_layers, 0, kMostLayers);
  if (settings.pool_layers + settings.label_layers > 0) {
    fields.require_divisor("candidate_attention_heads", settings.pool_heads, "pair_dim", settings.pair_width);
  }

  fields.read("enable_abstention", settings.can_abstain);
  fields.read("abstention_threshold", settings.abstention_threshold, true, "a number from 0 to 1");
  if (settings.abstention_threshold > 1) object.refuse("abstention_threshold", "a number from 0 to 1");
  fields.read("enable_count_head", settings.has_count);
  fields.read("adaptive_threshold", settings.adapts_threshold);
  if (settings.adapts_threshold && !settings.has_count) {
    object.refuse("adaptive_threshold", "false, as enable_count_head is");
  }
  settings.overlaps = fields.overlaps();
  fields.read("pair_temperature", settings.pair_temperature, false, "a number above 0");
  fields.read("classification_temperature", settings.class_temperature, false, "a number above 0");
  double dropout = 0.1;
  fields.read("dropout", dropout, true, "a number from 0");
  settings.has_dropout = dropout > 0;
  return settings;
}

}  // namespace bert
