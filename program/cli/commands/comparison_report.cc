#include "program/cli/commands/comparison_report.h"

#include <algorithm>
#include <numeric>

#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "tasks/analysis/rows.h"

namespace bert::cli {
namespace {

constexpr size_t kNamedLayers = 3;

double least_cosine(const Comparison& of) { return *std::min_element(of.cosines.begin(), of.cosines.end()); }

std::string title(const Comparison& of) {
  return of.model + " compared with " + of.reference + ": " + (of.own_texts ? "the program's own " : "") +
         with_commas(of.texts) + (of.texts == 1 ? " text, " : " texts, ") + with_commas(of.tokens) + " tokens";
}

std::string vectors_sentence(const Comparison& of) {
  std::string text = "The cosine of a text's two vectors is " + fixed(analysis::mean(of.cosines), 4) +
                     " in the mean, and at least " + fixed(least_cosine(of), 4) + " (text " +
                     std::to_string(of.least_similar_number) + ").";
  if (of.neighbours == 1) {
    text += " For " + percent(of.neighbours_kept, 1) + " of the texts, the nearest other text is the same.";
  } else if (of.neighbours > 1) {
    text += " Of a text's " + std::to_string(of.neighbours) + " nearest texts, " + percent(of.neighbours_kept, 1) +
            " stay among the " + std::to_string(of.neighbours) + " nearest.";
  }
  return text;
}

std::string sts_sentence(const PairComparison& sts) {
  return "On " + with_commas(sts.pairs) + " scored pairs, 100 times Spearman's correlation is " +
         fixed(100 * sts.spearman, 2) + ", with the reference " + fixed(100 * sts.reference_spearman, 2) + ".";
}

std::string labels_sentence(const LabelComparison& of) {
  const std::string labels = with_commas(of.labels) + (of.labels == 1 ? " label" : " labels");
  std::string text;
  if (of.entities) {
    text += "With " + labels + " the reference finds " + with_commas(of.entities->reference) + " entities; " +
            with_commas(of.entities->lost) + " of them are lost, and " + with_commas(of.entities->found) +
            " others are found.";
  }
  if (of.classes) {
    text += (text.empty() ? "" : " ") + ("Of " + with_commas(of.classes->texts)) + " texts " +
            with_commas(of.classes->changed) + " have another best one of " + labels + ".";
  }
  return text + " Scores change by " + significant(of.mean_change, 2) + " in the mean, at most by " +
         significant(of.largest_change, 2) + ".";
}

// Returns the layers, sorted by descending loss.
std::vector<size_t> by_loss(const Comparison& of) {
  std::vector<size_t> order(of.layers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return of.layers[a].loss > of.layers[b].loss; });
  return order;
}

std::string layers_sentence(const Comparison& of) {
  std::vector<std::string> most;
  for (const size_t layer : by_loss(of)) {
    if (most.size() == kNamedLayers || of.layers[layer].loss == 0) break;
    most.push_back(std::to_string(layer) + " (" + percent(of.layers[layer].loss, 2) + ")");
  }
  if (most.empty()) return "All hidden states are the same.";
  return (most.size() == 1 ? "Layer " + most.front() + " loses" : "Layers " + listed(most) + " lose") +
         " most. (Loss: the distance of a layer's output from the reference's for the same input, relative to its "
         "norm.)";
}

// Returns " In 8 bits ..." or "".
std::string coarse_rows_sentence(const Comparison& of) {
  std::vector<std::string> places;
  for (size_t i = 0; i < of.coarse_rows.size(); ++i) {
    if (of.coarse_rows[i] == 0) continue;
    const std::string place = i == 0                 ? "the embeddings"
                              : i < of.layers.size() ? "layer " + std::to_string(i)
                                                     : "what reads the last layer";
    places.push_back(place + " (" + with_commas(of.coarse_rows[i]) + ")");
  }
  if (places.empty()) return "";
  return " 8 bits hardly hold rows of activations of " + listed(places) +
         ": one number of such a row is so large that the others are below one step.";
}

Table layers_table(const Comparison& of) {
  Table table({{"layer", Align::kRight},
               {"loss", Align::kRight},
               {"distance", Align::kRight},
               {"largest difference", Align::kRight}});
  for (size_t layer = 0; layer < of.layers.size(); ++layer) {
    const LayerComparison& one = of.layers[layer];
    table.add({std::to_string(layer), percent(one.loss, 2), percent(one.distance, 2), significant(one.difference, 3)});
  }
  return table;
}

std::string text(const Comparison& of, const TextStyle& style) {
  return title(of) + "\n\n" + vectors_sentence(of) + (of.pairs ? "\n" + sts_sentence(*of.pairs) : "") +
         (of.labels ? "\n" + labels_sentence(*of.labels) : "") + "\n\n" + layers_table(of).text(style) + "\n" +
         layers_sentence(of) + coarse_rows_sentence(of);
}

std::string json_of(const LabelComparison& of) {
  JsonWriter object;
  object.number("labels", of.labels);
  if (of.entities) {
    object.number("reference_entities", of.entities->reference);
    object.number("lost_entities", of.entities->lost);
    object.number("found_entities", of.entities->found);
  }
  if (of.classes) {
    object.number("classified_texts", of.classes->texts);
    object.number("other_best_labels", of.classes->changed);
  }
  object.number("mean_score_change", of.mean_change);
  object.number("largest_score_change", of.largest_change);
  return object.take();
}

std::string json_of(const Comparison& of) {
  JsonWriter object;
  object.string("model", of.model);
  object.string("reference", of.reference);
  object.boolean("own_texts", of.own_texts);
  object.number("texts", of.texts);
  object.number("tokens", of.tokens);
  object.number("mean_cosine", analysis::mean(of.cosines));
  object.number("least_cosine", least_cosine(of));
  object.number("least_similar", of.least_similar_number);
  if (of.neighbours > 0) {
    object.number("neighbours", of.neighbours);
    object.number("neighbours_kept", of.neighbours_kept);
  }
  append_list(object.member("layers"), of.layers, [](std::string& to, const LayerComparison& layer) {
    JsonWriter one;
    one.number("loss", layer.loss);
    one.number("distance", layer.distance);
    one.number("largest_difference", layer.difference);
    to += one.take();
  });
  if (!of.coarse_rows.empty()) {
    append_list(object.member("coarse_rows"), of.coarse_rows,
                [](std::string& to, size_t rows) { to += std::to_string(rows); });
  }
  if (of.pairs) {
    JsonWriter sts;
    sts.number("pairs", of.pairs->pairs);
    sts.number("spearman", of.pairs->spearman);
    sts.number("reference_spearman", of.pairs->reference_spearman);
    object.member("sts") += sts.take();
  }
  if (of.labels) object.member("labels") += json_of(*of.labels);
  return object.take();
}

}  // namespace

void add_comparison(Page& page, const Comparison& of) {
  page.section("Vectors", vectors_sentence(of) + (of.pairs ? " " + sts_sentence(*of.pairs) : ""));
  if (of.labels) page.section("Labels", labels_sentence(*of.labels));
  LineChart distances{.title = "1 - cosine of each text's two vectors, in order",
                      .x_axis = "texts, the most similar first",
                      .y_axis = "1 - cosine",
                      .lines = {{"texts", Ink::kBlue, {}}}};
  std::vector<double>& values = distances.lines.front().values;
  for (const double cosine : of.cosines) values.push_back(1 - cosine);
  std::sort(values.begin(), values.end());
  page.drawing(draw_line_chart(distances));
  page.section("Loss of each layer", layers_sentence(of) + coarse_rows_sentence(of));
  BarChart bars{.title = "Loss of each layer", .rows = {}};
  for (size_t layer = 0; layer < of.layers.size(); ++layer) {
    bars.rows.push_back({layer == 0 ? "embeddings" : "layer " + std::to_string(layer),
                         {{of.layers[layer].loss, Ink::kBlue}},
                         percent(of.layers[layer].loss, 2)});
  }
  page.drawing(draw_bar_chart(bars));
  page.section("From layer to layer",
               "The distance of the hidden states from the reference's when each model runs by itself: the losses of "
               "the layers so far, carried on.");
  LineChart carried{.title = "Distance of the hidden states, by layer",
                    .x_axis = "layer (0: the embeddings)",
                    .y_axis = "distance / norm",
                    .lines = {{"loss", Ink::kBlue, {}}, {"distance", Ink::kOrange, {}}}};
  for (const LayerComparison& layer : of.layers) {
    carried.lines[0].values.push_back(layer.loss);
    carried.lines[1].values.push_back(layer.distance);
  }
  page.drawing(draw_line_chart(carried));
  page.table(layers_table(of));
}

Report comparison_report(const Comparison& comparison) {
  const auto page = [&] {
    Page drawn("Two forms of a model", title(comparison));
    add_comparison(drawn, comparison);
    return drawn;
  };
  return {.page = page,
          .text = [&](const TextStyle& style) { return text(comparison, style); },
          .json = [&] { return json_of(comparison); }};
}

}  // namespace bert::cli
