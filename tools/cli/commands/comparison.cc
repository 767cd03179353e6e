#include "tools/cli/commands/comparison.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "analysis/agreement.h"
#include "analysis/rows.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/input/sequences.h"
#include "tools/cli/input/sts_file.h"
#include "tools/cli/run/run_summary.h"
#include "tools/drawings/sample_texts.h"

namespace bert::cli {
namespace {

constexpr size_t kNeighbours = 10;

// Items in memory: both models read them.
class ItemList : public Input {
 public:
  explicit ItemList(const std::vector<Item>& items) : items_(items) {}

  State next(Item& item, Wait) override {
    if (next_ == items_.size()) return State::kEnd;
    item = items_[next_++];
    return State::kItem;
  }

 private:
  const std::vector<Item>& items_;
  size_t next_ = 0;
};

std::vector<Item> items_of(std::span<const std::string_view> texts) {
  std::vector<Item> items;
  for (const std::string_view text : texts) {
    items.push_back({});
    items.back().source.number = items.size();
    items.back().text = text;
  }
  return items;
}

void check_shapes(const Model& model, const Model& reference) {
  const auto check = [](const char* what, size_t found, size_t expected) {
    if (found == expected) return;
    throw Error(ErrorCode::kInvalidArgument, "the models differ in their " + std::string(what) + ", " +
                                                 std::to_string(found) + " and " + std::to_string(expected) +
                                                 "; expected the same model in two forms");
  };
  check("hidden size", model.config().hidden_size, reference.config().hidden_size);
  check("number of layers", model.config().num_hidden_layers, reference.config().num_hidden_layers);
  check("vectors' size", model.embedding_size(), reference.embedding_size());
}

std::vector<Item> read_items(Input& input, Console& console) {
  std::vector<Item> items;
  for (Item item; input.next(item, TextSource::kForever) == Input::State::kItem;) items.push_back(item);
  if (const std::string remark = input.remark(); !remark.empty()) console.note(remark);
  return items;
}

// Each text's vector and tokens. Failed texts are reported, and removed from `items`.
std::vector<Sequence> embedded(const Model& model, std::vector<Item>& items, const TokenRules& rules,
                               const Output& output, Console& console, int& status) {
  ItemList list(items);
  RunSummary summary(list, output, console);
  Sequences sequences(list, model, VectorRequest{.dense = EmbedOptions{}}, rules);
  std::vector<Sequence> results;
  std::vector<Item> kept;
  for (Sequence sequence; sequences.next(sequence);) {
    summary.count(sequence);
    if (sequence.error) continue;
    kept.push_back(items[sequence.index]);
    results.push_back(std::move(sequence));
  }
  status = summary.finish();
  items = std::move(kept);
  return results;
}

// The same where no text may fail.
std::vector<Sequence> embedded(const Model& model, const std::vector<Item>& items, const TokenRules& rules) {
  ItemList list(items);
  Sequences sequences(list, model, VectorRequest{.dense = EmbedOptions{}}, rules);
  std::vector<Sequence> results;
  for (Sequence sequence; sequences.next(sequence);) {
    if (sequence.error) {
      throw Error(sequence.error->code(), place_of(sequence.source) + ": " + sequence.error->what());
    }
    results.push_back(std::move(sequence));
  }
  return results;
}

void check_tokens(const std::vector<Sequence>& found, const std::vector<Sequence>& references) {
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].encoding.ids == references[i].encoding.ids) continue;
    throw Error(ErrorCode::kInvalidArgument,
                place_of(references[i].source) + ": the models have other tokens for it, expected the same tokenizer");
  }
}

std::vector<float> vectors_of(const std::vector<Sequence>& sequences) {
  std::vector<float> vectors;
  for (const Sequence& one : sequences)
    vectors.insert(vectors.end(), one.vectors.dense.begin(), one.vectors.dense.end());
  return vectors;
}

void compare_vectors(const std::vector<Sequence>& sequences, const std::vector<Sequence>& references,
                     Comparison& result) {
  for (size_t i = 0; i < sequences.size(); ++i) {
    result.cosines.push_back(analysis::cosine(sequences[i].vectors.dense, references[i].vectors.dense));
  }
  const auto least = std::min_element(result.cosines.begin(), result.cosines.end());
  result.least_similar = references[static_cast<size_t>(least - result.cosines.begin())].source.number;
  // With few texts all others would be among the nearest.
  result.neighbours = std::min(kNeighbours, (sequences.size() - 1) / 2);
  if (result.neighbours == 0) return;
  const std::vector<float> vectors = vectors_of(sequences), expected = vectors_of(references);
  const size_t width = references.front().vectors.dense.size();
  result.neighbours_kept = analysis::neighbours_kept({expected, width}, {vectors, width}, result.neighbours);
}

// Running means and maxima over tokens.
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

void compare_layers(const Model& model, const Model& reference, const std::vector<Sequence>& sequences,
                    Comparison& result) {
  LayerSums sums(reference.config().num_hidden_layers);
  for (const Sequence& sequence : sequences) {
    const TokenSequence tokens = reference.sequence(sequence.encoding);
    const EncodedSequence expected = reference.encode({&tokens, 1}, {.hidden_states = true}).front();
    const EncodedSequence found = model.encode({&tokens, 1}, {.hidden_states = true}).front();
    sums.add(expected, found.hidden_states, layer_outputs(model, tokens, expected.hidden_states));
    result.tokens += expected.tokens;
  }
  result.layers = sums.means();
}

void add_coarse_rows(const std::vector<Sequence>& sequences, std::vector<size_t>& sums) {
  for (const Sequence& sequence : sequences) {
    if (sequence.coarse_rows() == 0) continue;
    const std::vector<size_t>& counts = sequence.coarse_rows_by_layer;
    sums.resize(std::max(sums.size(), counts.size()));
    for (size_t i = 0; i < counts.size(); ++i) sums[i] += counts[i];
  }
}

std::vector<double> pair_cosines(const std::vector<Sequence>& sequences) {
  std::vector<double> cosines;
  for (size_t i = 0; i + 1 < sequences.size(); i += 2) {
    cosines.push_back(analysis::cosine(sequences[i].vectors.dense, sequences[i + 1].vectors.dense));
  }
  return cosines;
}

StsComparison compare_scores(const Model& model, const Model& reference, const std::string& file,
                             const TokenRules& rules, std::vector<size_t>& coarse_rows) {
  const std::vector<StsPair> pairs = read_sts(file);
  std::vector<std::string_view> texts;
  std::vector<double> scores;
  for (const StsPair& pair : pairs) {
    texts.push_back(pair.first);
    texts.push_back(pair.second);
    scores.push_back(pair.score);
  }
  const std::vector<Item> items = items_of(texts);
  const std::vector<Sequence> found = embedded(model, items, rules);
  add_coarse_rows(found, coarse_rows);
  return {.pairs = pairs.size(),
          .spearman = analysis::spearman(pair_cosines(found), scores),
          .reference_spearman = analysis::spearman(pair_cosines(embedded(reference, items, rules)), scores)};
}

// Its name with precision, and with its positions if those of the other one are not the same.
std::string described(const Model& model, const Model& other) {
  const std::string positions = model.config().described_positions();
  return model_name(model) + " (" + model.describe().precision +
         (positions == other.config().described_positions() ? "" : ", positions " + positions) + ")";
}

}  // namespace

void declare_comparison(OptionTable& table, Options& options, ComparisonOptions& comparison) {
  declare_input(table, options);
  table.text("--sts", comparison.sts, "FILE",
             "also rate pairs of sentences: lines of tab-separated columns, the score in the fifth, the sentences in "
             "the sixth and seventh, as in STS-B");
  declare_label_comparison(table, comparison.labels);
  table.begin_group("Output");
  declare_drawn_files(table, comparison.drawn);
}

void require_no_comparison(const Options& options, const ComparisonOptions& comparison, const char* other) {
  for (const auto& [name, is_given] : {std::pair{"--input", !options.inputs.empty()},
                                       {"--jsonl", options.jsonl},
                                       {"--sts", !comparison.sts.empty()},
                                       {"--labels", comparison.labels.labels.given()},
                                       {"--threshold", options.given.contains("--threshold")},
                                       {"--html", !comparison.drawn.html.empty()},
                                       {"--svg", !comparison.drawn.svg.empty()}}) {
    if (is_given) throw UsageError(std::string(name) + " is for a comparison: it needs " + other);
  }
}

Comparison compare(const Model& model, const Model& reference, const Options& options,
                   const ComparisonOptions& comparison, const Output& output, Console& console) {
  check_shapes(model, reference);
  require_labels(reference, comparison.labels);
  settle_pooling(reference, {}, console);
  const TokenRules rules = model_token_rules(options, reference);
  Comparison result;
  result.model = described(model, reference);
  result.reference = described(reference, model);
  result.own_texts = options.inputs.empty();
  std::vector<Item> items = result.own_texts ? items_of(sample_texts()) : read_items(*open_input(options), console);
  const std::vector<Sequence> references = embedded(reference, items, rules, output, console, result.status);
  if (references.empty()) throw InputError("no text to compare the models on");
  const std::vector<Sequence> found = embedded(model, items, rules);
  check_tokens(found, references);
  result.texts = references.size();
  compare_vectors(found, references, result);
  compare_layers(model, reference, references, result);
  add_coarse_rows(found, result.coarse_rows);
  if (!comparison.sts.empty()) result.sts = compare_scores(model, reference, comparison.sts, rules, result.coarse_rows);
  std::vector<std::string> texts;
  for (const Sequence& one : references) texts.push_back(one.text);
  result.labels = compare_labels(model, reference, texts, comparison.labels);
  model.check_files();
  reference.check_files();
  return result;
}

}  // namespace bert::cli
