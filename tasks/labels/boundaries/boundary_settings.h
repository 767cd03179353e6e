// The settings of models that find entities by their boundaries: how many boundaries are candidates, and which terms
// the scores have. Source: gliner2 2.1.0, BoundaryHeadSettings. Stateless.
#pragma once

#include <cstddef>

#include "engine/base/json/json_object.h"
#include "tasks/labels/entity_choice.h"

namespace bert {

// The terms of a span's score that come from the vectors of its words.
struct SpanContentSettings {
  size_t width = 64;
  bool has_maximum = false;  // also use a smooth maximum, not only the mean

  size_t outputs() const { return has_maximum ? 2 * width : width; }
};

struct BoundarySettings {
  size_t width = 128;  // of a boundary's vector
  size_t pair_width = 128;
  size_t refinement_layers = 1;
  size_t refinement_width = 256;  // inside a refinement layer
  size_t attention_layers = 0;
  size_t attention_heads = 4;
  size_t attention_window = 0;  // boundaries on each side; 0: all

  // Candidates of each label: first the best beginnings and ends, then the best partners of each.
  size_t best_starts = 16;
  size_t best_ends = 16;
  size_t ends_per_start = 8;
  size_t starts_per_end = 8;
  size_t candidates = 128;
  bool both_directions = true;  // also find the best beginnings for each end
  // The best beginnings and ends as a share of a long text's words; 0: best_starts and best_ends.
  double best_share = 0;
  size_t best_at_most = 128;
  size_t best_multiple_of = 8;

  bool uses_inside = true;  // use the scores of the words between the ends
  bool label_weighs_inside = false;
  bool has_content = false;
  SpanContentSettings content = {};
  bool rotates_ends = false;
  double rotary_base = 10000;
  bool has_differences = false;  // use the difference of the two ends' vectors
  bool has_compatibility = true;
  size_t compatibility_heads = 8;

  bool shares_candidates = false;  // all labels share one pool of candidates
  size_t pool_boundaries = 64;     // beginnings in the pool, and as many ends
  size_t pool_size = 384;
  size_t pool_per_label = 8;
  size_t pool_layers = 2;
  size_t pool_heads = 4;
  size_t label_layers = 1;

  bool can_abstain = true;
  double abstention_threshold = 0.5;
  bool has_count = true;
  bool adapts_threshold = false;  // accept as many spans as predicted, whatever their scores
  OverlapPolicy overlaps = OverlapPolicy::kBestSum;
  double pair_temperature = 1;
  double class_temperature = 1;
  bool has_dropout = true;  // the classifier has a layer without weights
};

// Reads the object boundary_head of config.json. Throws Error(kInvalidFile), with field, found and expected.
BoundarySettings read_boundary_settings(const JsonObject& fields);

}  // namespace bert
