#include "bert/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "bert/error.h"
#include "bert/explore.h"
#include "bert/labels.h"
#include "tasks/analysis/agreement.h"
#include "tasks/analysis/rows.h"
#include "tasks/research/layer_states.h"

namespace bert {
namespace {

constexpr size_t kNeighbours = 10;

std::string name_of(size_t index, const ComparisonOptions& options) {
  return options.name_of ? options.name_of(index) : "text " + std::to_string(index + 1);
}

void check_shapes(const Model& model, const Model& reference) {
  const auto check = [](const char* what, size_t found, size_t expected) {
    if (found == expected) return;
    refuse_argument("the models differ in their " + std::string(what) + ", " + std::to_string(found) + " and " +
                    std::to_string(expected) + "; expected the same model in two forms");
  };
  check("hidden size", model.config().hidden_size, reference.config().hidden_size);
  check("number of layers", model.config().num_hidden_layers, reference.config().num_hidden_layers);
  check("vectors' size", model.embedding_size(), reference.embedding_size());
}

// Returns the results of a task for each item. Calls `failed` for an item with an error, which is left out.
template <class Failed>
std::vector<TextResult> results_of(const Model& model, const TextTask& task, std::span<const TextItem> items,
                                   const TextOptions& options, const Failed& failed) {
  TextItems source(items);
  TextPipeline pipeline(model, task, source, options);
  std::vector<TextResult> results;
  for (TextResult result; pipeline.next(result);) {
    if (result.error) {
      failed(result);
    } else {
      results.push_back(std::move(result));
    }
  }
  return results;
}

const TextTask kVectors = VectorRequest{.dense = EmbedOptions{}};

void check_tokens(const std::vector<TextResult>& found, const std::vector<TextResult>& references,
                  std::span<const size_t> indices, const ComparisonOptions& options) {
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].tokens.encoding.ids == references[i].tokens.encoding.ids) continue;
    refuse_argument(name_of(indices[i], options) +
                    ": the models have other tokens for it, expected the same tokenizer");
  }
}

std::vector<float> vectors_of(const std::vector<TextResult>& results) {
  std::vector<float> vectors;
  for (const TextResult& one : results) {
    vectors.insert(vectors.end(), one.vectors().dense.begin(), one.vectors().dense.end());
  }
  return vectors;
}

void compare_vectors(const std::vector<TextResult>& found, const std::vector<TextResult>& references,
                     std::span<const size_t> indices, ModelComparison& result) {
  for (size_t i = 0; i < found.size(); ++i) {
    result.cosines.push_back(analysis::cosine(found[i].vectors().dense, references[i].vectors().dense));
  }
  const auto least = std::min_element(result.cosines.begin(), result.cosines.end());
  result.least_similar = indices[static_cast<size_t>(least - result.cosines.begin())];
  // With few texts, all other texts would be among the nearest.
  result.neighbours = std::min(kNeighbours, (found.size() - 1) / 2);
  if (result.neighbours == 0) return;
  const std::vector<float> vectors = vectors_of(found), expected = vectors_of(references);
  const size_t width = references.front().vectors().dense.size();
  result.neighbours_kept = analysis::neighbours_kept({expected, width}, {vectors, width}, result.neighbours);
}

// Sums and maxima over tokens.
class LayerSums {
 public:
  explicit LayerSums(size_t layers) : sums_(layers + 1) {}

  void add(const EncodedSequence& expected, std::span<const float> states, std::span<const float> outputs) {
    const size_t size = expected.tokens * expected.hidden;
    for (size_t layer = 0; layer < sums_.size(); ++layer) {
      const analysis::Rows from{std::span(expected.hidden_states).subspan(layer * size, size), expected.hidden};
      const analysis::Rows to{states.subspan(layer * size, size), expected.hidden};
      const double distance = sum(analysis::relative_distances(from, to));
      sums_[layer].distance += distance;
      sums_[layer].loss +=
          layer == 0
              ? distance
              : sum(analysis::relative_distances(from, {outputs.subspan((layer - 1) * size, size), expected.hidden}));
      for (size_t i = 0; i < size; ++i) {
        const double difference = std::abs(double{to.values[i]} - double{from.values[i]});
        sums_[layer].difference = std::max(sums_[layer].difference, difference);
      }
    }
    tokens_ += expected.tokens;
  }

  std::vector<LayerComparison> means() const {
    std::vector<LayerComparison> means = sums_;
    for (LayerComparison& layer : means) {
      layer.loss /= static_cast<double>(tokens_);
      layer.distance /= static_cast<double>(tokens_);
    }
    return means;
  }

 private:
  static double sum(const std::vector<double>& values) {
    return analysis::mean(values) * static_cast<double>(values.size());
  }

  std::vector<LayerComparison> sums_;
  size_t tokens_ = 0;
};

void compare_layers(const Model& model, const Model& reference, const std::vector<TextResult>& results,
                    ModelComparison& comparison) {
  LayerSums sums(reference.config().num_hidden_layers);
  for (const TextResult& result : results) {
    const TokenSequence tokens = reference.sequence(result.tokens.encoding);
    const EncodedSequence expected = reference.encode({&tokens, 1}, {.hidden_states = true}).front();
    const EncodedSequence found = model.encode({&tokens, 1}, {.hidden_states = true}).front();
    sums.add(expected, found.hidden_states, layer_outputs(model, tokens, expected.hidden_states));
    comparison.tokens += expected.tokens;
  }
  comparison.layers = sums.means();
}

void add_coarse_rows(const std::vector<TextResult>& results, std::vector<size_t>& sums) {
  for (const TextResult& result : results) {
    if (result.tokens.coarse_rows() == 0) continue;
    const std::vector<size_t>& counts = result.tokens.coarse_rows_by_layer;
    sums.resize(std::max(sums.size(), counts.size()));
    for (size_t i = 0; i < counts.size(); ++i) sums[i] += counts[i];
  }
}

std::vector<double> pair_cosines(const std::vector<TextResult>& results) {
  std::vector<double> cosines;
  for (size_t i = 0; i + 1 < results.size(); i += 2) {
    cosines.push_back(analysis::cosine(results[i].vectors().dense, results[i + 1].vectors().dense));
  }
  return cosines;
}

PairComparison compare_pairs(const Model& model, const Model& reference, const ComparisonOptions& options,
                             std::vector<size_t>& coarse_rows) {
  std::vector<TextItem> items;
  std::vector<double> scores;
  for (const RatedPair& pair : options.pairs) {
    items.push_back({.text = pair.first});
    items.push_back({.text = pair.second});
    scores.push_back(pair.score);
  }
  const auto failed = [](const TextResult& result) {
    throw Error(result.error->code(), std::string(result.input.index % 2 == 0 ? "first" : "second") + " text of pair " +
                                          std::to_string(result.input.index / 2 + 1) + ": " + result.error->what());
  };
  const std::vector<TextResult> found = results_of(model, kVectors, items, options.texts, failed);
  add_coarse_rows(found, coarse_rows);
  const std::vector<TextResult> references = results_of(reference, kVectors, items, options.texts, failed);
  return {.pairs = options.pairs.size(),
          .spearman = analysis::spearman(pair_cosines(found), scores),
          .reference_spearman = analysis::spearman(pair_cosines(references), scores)};
}

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

LabelComparison::Entities compare_entities(const std::vector<TextResult>& found,
                                           const std::vector<TextResult>& references, ScoreChanges& changes) {
  LabelComparison::Entities entities;
  for (size_t i = 0; i < references.size(); ++i) {
    std::map<std::tuple<size_t, size_t, std::string>, double> left;
    for (const Entity& one : std::get<std::vector<Entity>>(found[i].output))
      left[{one.start, one.end, one.entity}] = one.score;
    entities.reference += std::get<std::vector<Entity>>(references[i].output).size();
    for (const Entity& one : std::get<std::vector<Entity>>(references[i].output)) {
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
    const std::vector<LabelScore>&a = std::get<std::vector<LabelScore>>(found[i].output),
          &b = std::get<std::vector<LabelScore>>(references[i].output);
    if (a.front().label != b.front().label) ++classes.changed;
    for (const LabelScore& one : b) {
      const auto same = std::find_if(a.begin(), a.end(), [&](const LabelScore& x) { return x.label == one.label; });
      changes.add(same->score, one.score);
    }
  }
  return classes;
}

std::optional<LabelComparison> compare_labels(const Model& model, const Model& reference,
                                              std::span<const TextItem> texts, const ComparisonOptions& options) {
  if (options.labels.empty()) return std::nullopt;
  LabelComparison comparison{.labels = options.labels.size(), .entities = {}, .classes = {}};
  ScoreChanges changes;
  const auto failed = [](const TextResult& result) { throw *result.error; };
  const auto of_both = [&](const TextTask& task, auto compare) {
    return compare(results_of(model, task, texts, {}, failed), results_of(reference, task, texts, {}, failed), changes);
  };
  if (reads_labels(reference, LabelTask::kEntities)) {
    comparison.entities =
        of_both(LabelRequest{.labels = options.labels, .threshold = options.threshold}, compare_entities);
  }
  if (reads_labels(reference, LabelTask::kClasses)) {
    comparison.classes = of_both(ClassRequest{.labels = options.labels}, compare_classes);
  }
  if (!comparison.entities && !comparison.classes) refuse_argument("labels, expected none: the model reads no labels");
  comparison.mean_change = changes.mean();
  comparison.largest_change = changes.largest();
  return comparison;
}

}  // namespace

ModelComparison compare_models(const Model& model, const Model& reference, std::span<const TextItem> texts,
                               const ComparisonOptions& options) {
  check_shapes(model, reference);
  std::vector<TextItem> kept, read;  // the items that did not fail, and their tokens as items
  std::vector<size_t> indices;       // index in `texts` of each of `kept`
  std::vector<TextResult> references;
  TextItems source(texts);
  TextPipeline pipeline(reference, kVectors, source, options.texts);
  for (TextResult result; pipeline.next(result);) {
    if (options.seen) options.seen(result);
    if (result.error) continue;
    kept.push_back(texts[result.input.index]);
    read.push_back({.text = result.input.text});
    indices.push_back(result.input.index);
    references.push_back(std::move(result));
  }
  if (references.empty()) refuse_argument("no text to compare the models on");
  const std::vector<TextResult> found = results_of(model, kVectors, kept, options.texts, [&](const TextResult& result) {
    throw Error(result.error->code(), name_of(indices[result.input.index], options) + ": " + result.error->what());
  });
  check_tokens(found, references, indices, options);
  ModelComparison result;
  result.texts = references.size();
  compare_vectors(found, references, indices, result);
  compare_layers(model, reference, references, result);
  add_coarse_rows(found, result.coarse_rows);
  if (!options.pairs.empty()) result.pairs = compare_pairs(model, reference, options, result.coarse_rows);
  result.labels = compare_labels(model, reference, read, options);
  model.check_files();
  reference.check_files();
  return result;
}

}  // namespace bert
