#include "bindings/python/module/bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bert/compare.h"
#include "bert/distill.h"
#include "bindings/python/module/arrays.h"
#include "bindings/python/module/interpreter_lock.h"

namespace bert::python {
namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Pairs = std::vector<std::tuple<std::string, std::string, double>>;

// Asks the interpreter whether Ctrl-C was pressed, while the engine computes without the interpreter's lock.
bool is_interrupted() {
  const Locked lock;
  return PyErr_CheckSignals() != 0;
}

nb::dict distilled(const Model& model, const std::string& directory, const std::optional<size_t>& dimensions,
                   double sif_coefficient) {
  DistilledModel made;
  bool interrupted = false;
  try {
    const Unlocked unlock;
    made = distill(model, directory,
                   {.dimensions = dimensions, .sif_coefficient = sif_coefficient, .progress = [&](size_t, size_t) {
                      interrupted = is_interrupted();
                      return !interrupted;
                    }});
  } catch (const Error&) {
    if (interrupted) throw nb::python_error();
    throw;
  }
  nb::dict dict;
  dict["tokens"] = made.tokens;
  dict["vocabulary"] = made.vocabulary;
  dict["dimensions"] = made.dimensions;
  dict["explained_variance"] = made.explained_variance;
  return dict;
}

nb::dict dict_of(const LabelComparison& of) {
  nb::dict dict;
  dict["labels"] = of.labels;
  if (of.entities) {
    dict["reference_entities"] = of.entities->reference;
    dict["lost_entities"] = of.entities->lost;
    dict["found_entities"] = of.entities->found;
  }
  if (of.classes) {
    dict["classified_texts"] = of.classes->texts;
    dict["other_best_labels"] = of.classes->changed;
  }
  dict["mean_score_change"] = of.mean_change;
  dict["largest_score_change"] = of.largest_change;
  return dict;
}

nb::dict dict_of(const ModelComparison& of) {
  nb::dict dict;
  dict["texts"] = of.texts;
  dict["tokens"] = of.tokens;
  dict["cosines"] = to_array(of.cosines, {of.cosines.size()});
  dict["least_similar"] = of.least_similar;
  dict["neighbours"] = of.neighbours;
  dict["neighbours_kept"] = of.neighbours_kept;
  std::vector<double> loss, distance, difference;
  for (const LayerComparison& layer : of.layers) {
    loss.push_back(layer.loss);
    distance.push_back(layer.distance);
    difference.push_back(layer.difference);
  }
  dict["loss"] = to_array(loss, {loss.size()});
  dict["distance"] = to_array(distance, {distance.size()});
  dict["largest_difference"] = to_array(difference, {difference.size()});
  dict["coarse_rows"] = of.coarse_rows;
  if (of.pairs) {
    dict["pairs"] = of.pairs->pairs;
    dict["spearman"] = of.pairs->spearman;
    dict["reference_spearman"] = of.pairs->reference_spearman;
  }
  if (of.labels) dict["labels"] = dict_of(*of.labels);
  return dict;
}

nb::dict compared(const Model& model, const Model& reference, const std::vector<std::string>& texts, const Pairs& pairs,
                  const std::vector<std::string>& labels, double threshold) {
  std::vector<TextItem> items;
  for (const std::string& text : texts) items.push_back({.text = text});
  ComparisonOptions options{.labels = labels, .threshold = threshold};
  for (const auto& [first, second, score] : pairs) options.pairs.push_back({first, second, score});
  options.seen = [](const TextResult& result) {
    if (!result.error) return;
    throw Error(result.error->code(), "text " + std::to_string(result.input.index) + ": " + result.error->what());
  };
  options.name_of = [](size_t index) { return "text " + std::to_string(index); };
  ModelComparison result;
  {
    const Unlocked unlock;
    result = compare_models(model, reference, items, options);
  }
  return dict_of(result);
}

}  // namespace

void bind_forms(nb::module_& module) {
  module.def("distill", &distilled, "model"_a, "directory"_a, "dimensions"_a.none(), "sif_coefficient"_a);
  module.def("compare", &compared, "model"_a, "reference"_a, "texts"_a, "pairs"_a, "labels"_a, "threshold"_a);
}

}  // namespace bert::python
