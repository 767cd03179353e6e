#include "models/labels/label_results.h"

#include <algorithm>

#include "models/encoder/probabilities.h"

namespace bert {

const std::vector<std::string>& shown_names(const LabelRequest& request) {
  return request.names.empty() ? request.labels : request.names;
}

Entity entity_at(Offset place, std::string_view text, const CodePoints& points, const std::string& name, double score) {
  return {.entity = name,
          .score = score,
          .word = std::string(text.substr(place.begin, place.end - place.begin)),
          .start = place.begin,
          .end = place.end,
          .code_point_start = points.before(place.begin),
          .code_point_end = points.before(place.end)};
}

std::vector<LabelScore> class_scores(std::span<const float> logits, const LabelRequest& request) {
  std::vector<double> scores;
  if (request.multi_label) {
    for (const float logit : logits) scores.push_back(probability(static_cast<double>(logit)));
  } else {
    scores = probabilities(logits);
  }
  const std::vector<std::string>& names = shown_names(request);
  std::vector<LabelScore> labels;
  for (size_t label = 0; label < scores.size(); ++label) labels.push_back({names[label], scores[label]});
  std::stable_sort(labels.begin(), labels.end(),
                   [](const LabelScore& a, const LabelScore& b) { return a.score > b.score; });
  return labels;
}

}  // namespace bert
