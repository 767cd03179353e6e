// Findings about what the segments of a pair's tokens change: their own, swapped, and one for all tokens.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

// How an effect is named and drawn.
struct Variant {
  const char* name;
  Ink ink;
  const SegmentEffect& effect;
};

class SegmentFindings : public Findings {
 public:
  SegmentFindings(const SegmentComparison& comparison, std::vector<std::string> tokens, std::vector<int32_t> type_ids)
      : comparison_(comparison), tokens_(std::move(tokens)), type_ids_(std::move(type_ids)) {}

  std::string title() const override { return "The same tokens with other segments"; }

  std::string text(const TextStyle& style) const override {
    return vectors_sentence() + "\n\nhow far the last layer's vectors move, relative to their norm\n" +
           tokens_table().text(style) + "\nmean by layer\n" + layers_table().text(style) + "\n" + sentence();
  }

  std::string answer() const override {
    return "With the segments of two sentences swapped, the last layer's vectors move by " +
           percent(comparison_.swapped.moved_by_layer.back()) +
           " of their norm on average; the cosine of the two segment vectors is " + fixed(comparison_.cosine, 3) + ".";
  }

  void add_main(Page& page) const override {
    page.section("By layer", vectors_sentence() +
                                 " The lines are the mean distance of a token's vector from the one with the "
                                 "original segments, relative to its norm. " +
                                 sentence());
    LineChart chart{.title = "How far tokens move with other segments, by layer",
                    .x_axis = "layer (0: the embeddings)",
                    .y_axis = "distance / norm",
                    .lines = {}};
    for (const Variant& variant : variants()) {
      chart.lines.push_back({variant.name, variant.ink, variant.effect.moved_by_layer});
    }
    page.drawing(draw_line_chart(chart));
  }

  void add_details(Page& page) const override {
    page.section("By token", "The same in the last layer.");
    Heatmap map{.title = "How far each token moves in the last layer",
                .rows_are = "token",
                .columns_are = "segments",
                .rows = {},
                .columns = {},
                .values = {}};
    for (const Variant& variant : variants()) map.columns.push_back(variant.name);
    for (size_t t = 0; t < tokens_.size(); ++t) {
      map.rows.push_back(tokens_[t] + (type_ids_[t] == 0 ? " A" : " B"));
      for (const Variant& variant : variants()) map.values.push_back(variant.effect.moved[t]);
    }
    map.rows = distinct_labels(map.rows);
    page.drawing(draw_heatmap(map));
  }

 private:
  std::vector<Variant> variants() const {
    return {{"swapped", Ink::kBlue, comparison_.swapped},
            {"all A", Ink::kOrange, comparison_.all_a},
            {"all B", Ink::kGreen, comparison_.all_b}};
  }

  std::string vectors_sentence() const {
    return "The segment vectors have norms " + fixed(comparison_.norm_a, 3) + " (A) and " +
           fixed(comparison_.norm_b, 3) + " (B); their cosine is " + fixed(comparison_.cosine, 3) +
           ". The mean norm of the word vectors is " + fixed(comparison_.word_norm, 3) + ".";
  }

  Table tokens_table() const {
    std::vector<Column> columns = {{"#", Align::kRight}, {"token"}, {"segment"}};
    for (const Variant& variant : variants()) columns.push_back({variant.name, Align::kRight});
    Table table(columns);
    for (size_t t = 0; t < tokens_.size(); ++t) {
      std::vector<std::string> cells = {std::to_string(t), tokens_[t], type_ids_[t] == 0 ? "A" : "B"};
      for (const Variant& variant : variants()) cells.push_back(fixed(variant.effect.moved[t], 3));
      table.add(cells);
    }
    return table;
  }

  Table layers_table() const {
    std::vector<Column> columns = {{"layer", Align::kRight}};
    for (const Variant& variant : variants()) columns.push_back({variant.name, Align::kRight});
    Table table(columns);
    for (size_t layer = 0; layer < comparison_.swapped.moved_by_layer.size(); ++layer) {
      std::vector<std::string> cells = {std::to_string(layer)};
      for (const Variant& variant : variants()) cells.push_back(fixed(variant.effect.moved_by_layer[layer], 3));
      table.add(cells);
    }
    return table;
  }

  std::string sentence() const {
    std::vector<std::string> moved, cosines;
    for (const Variant& variant : variants()) {
      moved.push_back(percent(variant.effect.moved_by_layer.back()) + (moved.empty() ? " of their norm (" : " (") +
                      variant.name + ")");
      cosines.push_back(fixed(variant.effect.embedding_cosine, 3));
    }
    return "The last layer's vectors move by " + listed(moved) + "; the cosine of the mean vectors is " +
           listed(cosines) + ".";
  }

  const SegmentComparison& comparison_;
  std::vector<std::string> tokens_;
  std::vector<int32_t> type_ids_;
};

}  // namespace

std::unique_ptr<Findings> segment_findings(const SegmentComparison& comparison, std::vector<std::string> tokens,
                                           std::vector<int32_t> type_ids) {
  return std::make_unique<SegmentFindings>(comparison, std::move(tokens), std::move(type_ids));
}

}  // namespace bert::drawings
