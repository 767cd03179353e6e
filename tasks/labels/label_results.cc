#include "tasks/labels/label_results.h"

#include <algorithm>

#include "bert/offsets.h"
#include "models/encoder/probabilities.h"

namespace bert {

const std::vector<std::string>& shown_names(const LabelRequest& request) {
  return request.names.empty() ? request.labels : request.names;
}

std::vector<FoundClass> class_scores(std::span<const float> logits, const LabelRequest& request) {
  std::vector<double> scores;
  if (request.multi_label) {
    for (const float logit : logits) scores.push_back(probability(static_cast<double>(logit)));
  } else {
    scores = probabilities(logits);
  }
  std::vector<FoundClass> classes;
  for (size_t label = 0; label < scores.size(); ++label) classes.push_back({label, scores[label]});
  std::stable_sort(classes.begin(), classes.end(),
                   [](const FoundClass& a, const FoundClass& b) { return a.score > b.score; });
  return classes;
}

std::vector<Entity> named(std::span<const FoundEntity> found, std::string_view text,
                          const std::vector<std::string>& names) {
  const OffsetUnits points(text, OffsetUnit::kCodePoints);
  std::vector<Entity> entities;
  entities.reserve(found.size());
  for (const auto& [label, place, score] : found) {
    entities.push_back({.entity = names[label],
                        .score = score,
                        .word = std::string(text.substr(place.begin, place.end - place.begin)),
                        .start = place.begin,
                        .end = place.end,
                        .code_point_start = points.before(place.begin),
                        .code_point_end = points.before(place.end)});
  }
  return entities;
}

std::vector<LabelScore> named(std::span<const FoundClass> found, const std::vector<std::string>& names) {
  std::vector<LabelScore> scores;
  scores.reserve(found.size());
  for (const auto& [label, score] : found) scores.push_back({names[label], score});
  return scores;
}

size_t named_bytes(const LabelResult& found, const std::vector<std::string>& names) {
  size_t bytes = 0;
  for (const FoundEntity& entity : found.entities) {
    bytes += names[entity.label].size() + entity.place.end - entity.place.begin;
  }
  for (const FoundClass& one : found.classes) bytes += names[one.label].size();
  return bytes;
}

}  // namespace bert
