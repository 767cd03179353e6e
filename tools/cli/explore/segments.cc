// The command segments: a pair with its own segments, with swapped ones, and with one segment for all tokens; how far
// that moves the outputs.
#include <memory>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/results.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {
namespace {

// How an effect is named and drawn.
struct Variant {
  const char* key;  // in JSON
  const char* name;
  Ink ink;
  const SegmentEffect& effect;
};

class Segments : public Command {
 public:
  void declare(OptionTable& table) override { declare_report(table, options, drawn_); }

  int run(Console& console) override {
    if (options.texts.size() != 2) {
      throw UsageError("expected two TEXTs, " + given(options.texts.size()));
    }
    require_separate_files(options, drawn_);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    if (model.config().type_vocab_size < 2) compare_segments(model, {});  // throws, whatever the texts are
    const Sequence sequence = only_sequence(with_second_text_as_pair(options), model, console);
    require_drawable(drawn_, "text", sequence.encoding.size(), kTruncatedByOption);
    tokens_ = token_labels(sequence.encoding, model);
    type_ids_ = sequence.encoding.type_ids;
    comparison_ = compare_segments(model, model.sequence(sequence.encoding));

    model.check_files();
    write_report(
        options, drawn_, output,
        {.page = [&] { return page(page_lead(sequence, model)); },
         .text =
             [&](const TextStyle& style) {
               return vectors_sentence() + "\n\nhow far the last layer's vectors move, relative to their norm\n" +
                      tokens_table().text(style) + "\nmean by layer\n" + layers_table().text(style) + "\n" + sentence();
             },
         .json = [&] { return json(sequence, model); }});
    return kDone;
  }

 private:
  std::vector<Variant> variants() const {
    return {{"swapped", "swapped", Ink::kBlue, comparison_.swapped},
            {"all_a", "all A", Ink::kOrange, comparison_.all_a},
            {"all_b", "all B", Ink::kGreen, comparison_.all_b}};
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

  std::string json(const Sequence& sequence, const Model& model) const {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    JsonWriter vectors;
    vectors.number("norm_a", comparison_.norm_a);
    vectors.number("norm_b", comparison_.norm_b);
    vectors.number("cosine", comparison_.cosine);
    vectors.number("word_norm", comparison_.word_norm);
    object.member("segment_vectors") += vectors.take();
    for (const Variant& variant : variants()) {
      JsonWriter of_variant;
      of_variant.numbers<double>("moved", variant.effect.moved);
      of_variant.numbers<double>("moved_by_layer", variant.effect.moved_by_layer);
      of_variant.number("embedding_cosine", variant.effect.embedding_cosine);
      object.member(variant.key) += of_variant.take();
    }
    return object.take();
  }

  Page page(const std::string& lead) const {
    Page page("The same tokens with other segments", lead);
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
    page.drawing(draw_heatmap(map));
    return page;
  }

  DrawnFiles drawn_;
  std::vector<std::string> tokens_;
  std::vector<int32_t> type_ids_;
  SegmentComparison comparison_;
};

}  // namespace

std::unique_ptr<Command> make_segments() { return std::make_unique<Segments>(); }

}  // namespace bert::cli
