// The part of the command positions about distances: how attention scores depend on the distance of two tokens, by
// rotations, by a bias, and by windows. Used by one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "program/common/table.h"
#include "program/drawings/distance_drawings.h"
#include "program/drawings/page.h"

namespace bert::drawings {

class DistancePositions {
 public:
  // positions: from score_positions of the model.
  DistancePositions(ModelConfig config, std::vector<ScorePositions> positions);

  const ModelConfig& config() const { return config_; }
  const std::vector<ScorePositions>& parts() const { return parts_; }
  const std::vector<Rotation>& rotations() const { return rotations_; }

  bool empty() const { return parts_.empty(); }
  std::string answer() const;  // returns one sentence
  std::string text(const common::TextStyle& style) const;
  void add_main(Page& page) const;     // the drawing that shows the answer
  void add_details(Page& page) const;  // the rest

 private:
  struct Section {
    std::string title;
    common::Table table;
    std::string sentence;
    // For the page, each with its title.
    std::function<std::vector<Page::Figure>()> drawings = {};
  };

  std::string name_of(const DistanceCosines& of) const;
  size_t longest() const { return config_.max_position_embeddings; }

  std::vector<Section> sections() const;
  static void add_section(Page& page, const Section& section);
  Section cosine_section() const;
  Section sinusoid_section() const;
  Section turn_section() const;
  Section slope_section(const ScorePositions& part) const;
  Section bias_section() const;
  Section spread_section() const;
  Section window_section() const;
  std::string scaling_sentence() const;

  ModelConfig config_;
  std::vector<ScorePositions> parts_;
  std::vector<Rotation> rotations_;
};

}  // namespace bert::drawings
