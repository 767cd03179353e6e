#include "bindings/python/module/bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bert/explain.h"
#include "bindings/python/module/arrays.h"
#include "bindings/python/module/experiment.h"
#include "bindings/python/module/interpreter_lock.h"
#include "program/drawings/findings/findings.h"

namespace bert::python {
namespace nb = nanobind;
using namespace nb::literals;

namespace {

using ExperimentArrays = std::pair<std::unique_ptr<Experiment>, nb::dict>;

TextOptions text_options(const Model& model, std::optional<size_t> max_length) {
  TextOptions options;
  options.tokenize = TokenizeOptions{.max_length = max_length.value_or(model.max_length())};
  check_max_length(options.tokenize->max_length, model.max_positions());
  return options;
}

// Cuts a text or a pair into one sequence and returns it.
TextResult sequence_of(const Model& model, const TextTask& task, TextItem item, std::optional<size_t> max_length) {
  TextResult result =
      std::move(TextTaskRunner(model, task, text_options(model, max_length)).cut(std::move(item)).front());
  if (result.error) throw *result.error;
  return result;
}

nb::list list_of(const std::vector<std::string>& words) {
  nb::list list;
  for (const std::string& word : words) list.append(word);
  return list;
}

std::vector<std::string> words_of(const ExplainedText& text) {
  std::vector<std::string> words;
  for (const TextWord& word : text.words) words.push_back(word.text);
  return words;
}

Array<double> vector_of(const std::vector<double>& values) { return to_array(values, {values.size()}); }

nb::dict dict_of(const ExplainedText& text) {
  nb::dict dict;
  dict["text"] = text.text;
  dict["words"] = list_of(words_of(text));
  if (!text.rows.empty()) {
    dict["tokens"] = list_of(text.rows);
    dict["groups"] = list_of(text.groups);
  }
  if (!text.without.empty()) dict["without"] = vector_of(text.without);
  return dict;
}

std::string lead_of(const std::string& text, const std::string& pair, const Model& model) {
  return "“" + text + "”" + (pair.empty() ? "" : " and “" + pair + "”") + " — " + drawings::name_on_page(model);
}

VectorRequest request_of(const std::string& kind, const std::optional<std::string>& pooling) {
  VectorRequest request;
  if (kind == "dense") request.dense.emplace();
  if (kind == "sparse") request.sparse.emplace();
  request.tokens = kind == "tokens";
  if (!pooling) return request;
  const auto mode = std::find_if(std::begin(kPoolingModes), std::end(kPoolingModes),
                                 [&](PoolingMode each) { return name(each) == *pooling; });
  if (mode == std::end(kPoolingModes))
    throw Error(ErrorCode::kInvalidArgument, "pooling '" + *pooling + "', expected mean, cls, …");
  if (!request.dense) throw Error(ErrorCode::kInvalidArgument, "a pooling for " + kind + " vectors, expected none");
  request.dense->pooling = *mode;
  return request;
}

ExperimentArrays explain_similarity(const Model& model, const std::string& a, const std::string& b,
                                    const std::string& kind, const std::optional<std::string>& pooling,
                                    std::optional<size_t> max_length) {
  std::shared_ptr<const ScoreExplanation> why;
  const VectorRequest request = request_of(kind, pooling);
  {
    const Unlocked unlock;
    why = std::make_shared<const ScoreExplanation>(
        explain_texts(model, request, {.text = a}, {.text = b}, text_options(model, max_length)));
  }
  nb::dict dict;
  dict["kind"] = std::string(name(why->kind));
  dict["function"] = why->function;
  if (!why->not_additive.empty()) dict["not_additive"] = why->not_additive;
  dict["score"] = why->score;
  dict["remainder"] = why->remainder;
  dict["first"] = dict_of(why->a);
  dict["second"] = dict_of(why->b);
  if (!why->a.rows.empty()) {
    dict["pairs"] = to_array(why->pairs, {why->a.rows.size(), why->b.rows.size()});
    dict["group_pairs"] = to_array(why->group_pairs(), {why->a.groups.size(), why->b.groups.size()});
  }
  if (why->kind == ExplanationKind::kEntries) {
    std::vector<std::string> tokens;
    std::vector<double> terms;
    for (const EntryTerm& entry : why->entries) {
      tokens.push_back(entry.token);
      terms.push_back(entry.term);
    }
    dict["entries"] = list_of(tokens);
    dict["terms"] = vector_of(terms);
  }
  const size_t tokens = std::max(why->a.encoding.size(), why->b.encoding.size());
  return {std::make_unique<Experiment>(why, drawings::score_findings(*why), lead_of(a, b, model), tokens),
          std::move(dict)};
}

ExperimentArrays label_terms(const Model& model, const std::string& text, const std::optional<std::string>& pair,
                             size_t labels, std::optional<size_t> max_length) {
  std::shared_ptr<const LabelExplanation> why;
  {
    const Unlocked unlock;
    why = std::make_shared<const LabelExplanation>(
        explain_labels(model, sequence_of(model, HeadOptions{.head = Head::kSequenceClassification},
                                          {.text = text, .pair = pair}, max_length)));
  }
  nb::dict dict;
  dict["labels"] = list_of(why->labels);
  dict["scores"] = vector_of(why->scores);
  dict["remainders"] = vector_of(why->remainders);
  dict["words"] = list_of(words_of(why->text));
  dict["without"] = to_array(why->without, {why->text.words.size(), why->labels.size()});
  return {std::make_unique<Experiment>(why, drawings::label_findings(*why, labels),
                                       lead_of(text, pair.value_or(""), model), why->text.encoding.size()),
          std::move(dict)};
}

ExperimentArrays words_by_layer(const Model& model, const std::string& text, const std::optional<std::string>& pair,
                                size_t top_k, std::optional<size_t> max_length) {
  std::shared_ptr<const LayerWords> words;
  size_t tokens = 0;
  {
    const Unlocked unlock;
    const TextResult result = sequence_of(model, std::monostate{}, {.text = text, .pair = pair}, max_length);
    tokens = result.tokens.encoding.size();
    words = std::make_shared<const LayerWords>(layer_words(model, result.tokens.encoding, top_k));
  }
  const size_t masks = words->last_word.size(), layers = words->words.size(), best = words->words[0][0].size();
  nb::list texts;
  std::vector<int64_t> ids;
  std::vector<double> scores, last;
  for (const auto& layer : words->words) {
    nb::list of_layer;
    for (const std::vector<MaskCandidate>& mask : layer) {
      nb::list of_mask;
      for (const MaskCandidate& word : mask) {
        of_mask.append(word.token);
        ids.push_back(word.id);
        scores.push_back(word.score);
      }
      of_layer.append(of_mask);
    }
    texts.append(of_layer);
  }
  for (const std::vector<double>& mask : words->last_word) last.insert(last.end(), mask.begin(), mask.end());
  nb::dict dict;
  dict["words"] = texts;
  dict["ids"] = to_array(std::move(ids), {layers, masks, best});
  dict["scores"] = to_array(std::move(scores), {layers, masks, best});
  dict["last_word"] = to_array(std::move(last), {masks, layers});
  return {std::make_unique<Experiment>(words, drawings::lens_findings(*words), lead_of(text, pair.value_or(""), model),
                                       tokens),
          std::move(dict)};
}

Ablation ablation_of(const std::string& word) {
  if (word == "zero") return Ablation::kZero;
  if (word == "mean") return Ablation::kMean;
  throw Error(ErrorCode::kInvalidArgument, "ablation '" + word + "', expected zero or mean");
}

ExperimentArrays importance(const Model& model, const std::string& text, const std::optional<std::string>& pair,
                            const std::string& ablation, std::optional<size_t> max_length) {
  std::shared_ptr<const HeadImportance> found;
  size_t tokens = 0;
  {
    const Unlocked unlock;
    const TextResult result = sequence_of(model, std::monostate{}, {.text = text, .pair = pair}, max_length);
    tokens = result.tokens.encoding.size();
    found =
        std::make_shared<const HeadImportance>(head_importance(model, result.tokens.encoding, ablation_of(ablation)));
  }
  nb::dict dict;
  dict["answer"] = found->answer;
  dict["whole"] = found->whole;
  dict["loss"] = to_array(found->loss, {found->loss.size() / found->heads, found->heads});
  return {std::make_unique<Experiment>(found, drawings::importance_findings(*found, ablation_of(ablation)),
                                       lead_of(text, pair.value_or(""), model), tokens),
          std::move(dict)};
}

using Heads = std::vector<std::pair<size_t, size_t>>;
using Patches = std::vector<std::tuple<size_t, size_t, std::vector<float>>>;

Model changed_model(const Model& model, const Heads& heads, const std::string& ablation, const Patches& patches) {
  Interventions changes{.ablation = ablation_of(ablation)};
  for (const auto& [layer, head] : heads) changes.heads.push_back({layer, head});
  for (const auto& [layer, position, vector] : patches) changes.patches.push_back({layer, position, vector});
  return intervene(model, std::move(changes));
}

}  // namespace

void bind_explanations(nb::module_& module) {
  module.def("intervene", &changed_model, "model"_a, "heads"_a, "ablation"_a, "patches"_a);
  module.def("explain_similarity", &explain_similarity, "model"_a, "a"_a, "b"_a, "kind"_a, "pooling"_a.none(),
             "max_length"_a.none());
  module.def("explain_labels", &label_terms, "model"_a, "text"_a, "pair"_a.none(), "labels"_a, "max_length"_a.none());
  module.def("layer_words", &words_by_layer, "model"_a, "text"_a, "pair"_a.none(), "top_k"_a, "max_length"_a.none());
  module.def("head_importance", &importance, "model"_a, "text"_a, "pair"_a.none(), "ablation"_a, "max_length"_a.none());
}

}  // namespace bert::python
