#include "tasks/heads/tag_path.h"

#include <cmath>
#include <limits>
#include <string>

#include "tasks/heads/check_logits.h"

namespace bert {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

struct Tag {
  char letter;  // B, I, E, S or O
  std::string kind;

  bool may_begin() const { return letter == 'B' || letter == 'S' || letter == 'O'; }
  bool may_end() const { return letter == 'E' || letter == 'S' || letter == 'O'; }
};

// Returns the bias of the step from one token's label to the next token's; kNever: the step is not valid.
double step(const Tag& from, const Tag& to, const TagBiases& biases) {
  if (from.letter == 'B' || from.letter == 'I') {
    if (from.kind != to.kind) return kNever;
    if (to.letter == 'I') return biases.inside_to_continue;
    return to.letter == 'E' ? biases.inside_to_end : kNever;
  }
  if (!to.may_begin()) return kNever;
  if (from.letter == 'O') return to.letter == 'O' ? biases.background_stay : biases.background_to_start;
  return to.letter == 'O' ? biases.end_to_background : biases.end_to_start;
}

}  // namespace

std::vector<size_t> best_tag_path(const ModelConfig& config, const TagBiases& biases,
                                  std::span<const std::vector<double>> probabilities) {
  if (probabilities.empty()) return {};
  const size_t count = config.labels.size(), tokens = probabilities.size();
  std::vector<Tag> tags;
  for (size_t i = 0; i < count; ++i) {
    const std::string label = label_of(config, i);
    tags.push_back(label == "O" ? Tag{'O', ""} : Tag{label[0], label.substr(2)});
  }
  struct Step {
    size_t from;
    double bias;
  };
  std::vector<std::vector<Step>> steps(count);  // best step to each label
  for (size_t to = 0; to < count; ++to) {
    for (size_t from = 0; from < count; ++from) {
      const double bias = step(tags[from], tags[to], biases);
      if (bias != kNever) steps[to].push_back({from, bias});
    }
  }

  std::vector<double> scores(count), next(count);
  for (size_t i = 0; i < count; ++i) scores[i] = tags[i].may_begin() ? std::log(probabilities[0][i]) : kNever;
  std::vector<size_t> before((tokens - 1) * count);
  for (size_t token = 1; token < tokens; ++token) {
    for (size_t to = 0; to < count; ++to) {
      double best = kNever;
      size_t& from = before[(token - 1) * count + to];
      for (const Step& one : steps[to]) {
        if (scores[one.from] + one.bias <= best) continue;
        best = scores[one.from] + one.bias;
        from = one.from;
      }
      next[to] = best + std::log(probabilities[token][to]);
    }
    scores.swap(next);
  }
  for (size_t i = 0; i < count; ++i) {
    if (!tags[i].may_end()) scores[i] = kNever;
  }
  std::vector<size_t> path(tokens);
  path.back() = best_of(scores);
  if (scores[path.back()] == kNever) {
    for (size_t token = 0; token < tokens; ++token) path[token] = best_of(probabilities[token]);
    return path;
  }
  for (size_t token = tokens - 1; token > 0; --token) path[token - 1] = before[(token - 1) * count + path[token]];
  return path;
}

}  // namespace bert
