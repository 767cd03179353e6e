#include "tools/cli/commands/label_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "bert/labels.h"

namespace bert::cli {
namespace {

class ScoreChanges {
 public:
  void add(double score, double reference) {
    const double change = std::abs(score - reference);
    sum_ += change;
    largest_ = std::max(largest_, change);
    ++count_;
  }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  double largest() const { return largest_; }

 private:
  double sum_ = 0, largest_ = 0;
  size_t count_ = 0;
};

std::vector<TextResult> results_of(const Model& model, const std::vector<std::string>& texts, const TextTask& task) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  Texts source(views);
  TextPipeline pipeline(model, task, source);
  std::vector<TextResult> results;
  for (TextResult result; pipeline.next(result);) {
    if (result.error) throw *result.error;
    results.push_back(std::move(result));
  }
  return results;
}

LabelComparison::Entities compare_entities(const std::vector<TextResult>& found,
                                           const std::vector<TextResult>& references, ScoreChanges& changes) {
  LabelComparison::Entities entities;
  for (size_t i = 0; i < references.size(); ++i) {
    std::map<std::tuple<size_t, size_t, std::string>, double> left;
    for (const Entity& one : found[i].entities) left[{one.start, one.end, one.entity}] = one.score;
    entities.reference += references[i].entities.size();
    for (const Entity& one : references[i].entities) {
      const auto same = left.find({one.start, one.end, one.entity});
      if (same == left.end()) {
        ++entities.lost;
        continue;
      }
      changes.add(same->second, one.score);
      left.erase(same);
    }
    entities.found += left.size();
  }
  return entities;
}

LabelComparison::Classes compare_classes(const std::vector<TextResult>& found,
                                         const std::vector<TextResult>& references, ScoreChanges& changes) {
  LabelComparison::Classes classes{.texts = references.size()};
  for (size_t i = 0; i < references.size(); ++i) {
    const std::vector<LabelScore>&a = found[i].label_scores, &b = references[i].label_scores;
    if (a.front().label != b.front().label) ++classes.changed;
    for (const LabelScore& one : b) {
      const auto same = std::find_if(a.begin(), a.end(), [&](const LabelScore& x) { return x.label == one.label; });
      changes.add(same->score, one.score);
    }
  }
  return classes;
}

}  // namespace

void declare_label_comparison(OptionTable& table, LabelComparisonOptions& options) {
  options.labels.declare(table, "of a model that reads labels: those that are looked for in the texts");
  table.fraction("--threshold", options.threshold, "with --labels: entities have scores above it (default: 0.5)");
}

void require_labels(const Model& model, const LabelComparisonOptions& options) {
  const bool reads = reads_labels(model, LabelTask::kEntities) || reads_labels(model, LabelTask::kClasses);
  if (reads && !options.labels.given()) {
    throw UsageError("the model reads labels: a comparison needs those that are looked for, --labels A,B,…");
  }
  if (!reads && options.labels.given()) throw UsageError("--labels: the model does not read labels");
}

std::optional<LabelComparison> compare_labels(const Model& model, const Model& reference,
                                              const std::vector<std::string>& texts,
                                              const LabelComparisonOptions& options) {
  if (!options.labels.given()) return std::nullopt;
  const std::vector<std::string> labels = options.labels.labels();
  LabelComparison comparison{.labels = labels.size(), .entities = {}, .classes = {}};
  ScoreChanges changes;
  if (reads_labels(reference, LabelTask::kEntities)) {
    const LabelRequest request{.labels = labels, .threshold = options.threshold};
    comparison.entities =
        compare_entities(results_of(model, texts, request), results_of(reference, texts, request), changes);
  }
  if (reads_labels(reference, LabelTask::kClasses)) {
    const ClassRequest request{.labels = labels};
    comparison.classes =
        compare_classes(results_of(model, texts, request), results_of(reference, texts, request), changes);
  }
  comparison.mean_change = changes.mean();
  comparison.largest_change = changes.largest();
  return comparison;
}

}  // namespace bert::cli
