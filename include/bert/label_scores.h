// Results for a text: entities, and labels with their scores. Plain data.
#pragma once

#include <cstddef>
#include <string>

namespace bert {

struct LabelScore {
  std::string label;
  double score = 0;
};

struct Entity {
  std::string entity;  // the label; without "B-" or "I-" for a group of tokens
  double score = 0;
  std::string word;
  size_t start = 0;  // UTF-8 bytes in the text, half-open
  size_t end = 0;
  size_t code_point_start = 0;  // place in code points
  size_t code_point_end = 0;
};

}  // namespace bert
