// The settings of models that find entities by their boundaries: how many places are candidates, and which terms their
// scores have. Source: gliner2 2.1.0, BoundaryHeadSettings. Stateless.
#pragma once

#include <cstddef>

#include "engine/base/json/json_object.h"
#include "tasks/labels/boundaries/overlaps.h"

namespace bert {

// Terms of a span's score by the vectors of the words in it.
struct SpanContentSettings {
  size_t width = 64;
  bool has_maximum = false;  // a smooth maximum beside the mean

  size_t outputs() const { return has_maximum ? 2 * width : width; }
};

struct BoundarySettings {
  size_t width = 128;  // of a boundary's vector
  size_t pair_width = 128;
  size_t refinement_layers = 1;
  size_t refinement_width = 256;  // inside such a layer
  size_t attention_layers = 0;
  size_t attention_heads = 4;
  size_t attention_window = 0;  // boundaries to each side; 0: all

  // Candidates of each label: the best beginnings and ends by themselves, then the best partners of each.
  size_t best_starts = 16;
  size_t best_ends = 16;
  size_t ends_per_start = 8;
  size_t starts_per_end = 8;
  size_t candidates = 128;
  bool both_directions = true;  // also the best beginnings for each end
  // The best beginnings and ends as a share of a long text's words; 0: as above.
  double best_share = 0;
  size_t best_at_most = 128;
  size_t best_multiple_of = 8;

  bool uses_inside = true;  // the scores of the words between
  bool label_weighs_inside = false;
  bool has_content = false;
  SpanContentSettings content = {};
  bool rotates_ends = false;
  double rotary_base = 10000;
  bool has_differences = false;  // of the two ends' vectors
  bool has_compatibility = true;
  size_t compatibility_heads = 8;

  bool shares_candidates = false;  // one pool of candidates for all labels
  size_t pool_boundaries = 64;     // beginnings, and ends, of the pool
  size_t pool_size = 384;
  size_t pool_per_label = 8;
  size_t pool_layers = 2;
  size_t pool_heads = 4;
  size_t label_layers = 1;

  bool can_abstain = true;
  double abstention_threshold = 0.5;
  bool has_count = true;
  bool adapts_threshold = false;  // as many spans as the count says, whatever their scores
  OverlapPolicy overlaps = OverlapPolicy::kBestSum;
  double pair_temperature = 1;
  double class_temperature = 1;
  bool has_dropout = true;  // a layer without weights in the classifier
};

// The object boundary_head of config.json. Throws Error(kInvalidFile), with field, found and expected.
BoundarySettings read_boundary_settings(const JsonObject& fields);

}  // namespace bert
