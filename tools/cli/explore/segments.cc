// The command segments: a pair with its own segments, with swapped ones, and with one segment for all tokens; how far
// that moves the outputs.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/results.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {
namespace {

// The same tokens with other type ids, and how far their vectors are from those with the original ones.
struct Variant {
  const char* key;  // in JSON
  const char* name;
  Ink ink;
  std::vector<int32_t> type_ids;
  std::vector<double> moved;           // by token, in the last layer
  std::vector<double> moved_by_layer;  // mean of the tokens; layer 0 is the embeddings
  double embedding_cosine = 0;         // of the mean vectors of all tokens
};

class Segments : public Command {
 public:
  void declare(OptionTable& table) override { declare_report(table, options, html_); }

  int run(Console& console) override {
    if (options.texts.size() != 2) {
      throw UsageError("expected two TEXTs, " + given(options.texts.size()));
    }
    require_separate_page(options, html_);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    if (model.config().type_vocab_size < 2) {
      throw Error(ErrorCode::kNotFound, "the model has no segments: its table has " +
                                            std::to_string(model.config().type_vocab_size) +
                                            " rows, expected 2 or more");
    }
    const Sequence sequence = only_sequence(with_second_text_as_pair(options), model, html_, console);
    tokens_ = token_labels(sequence, model);
    type_ids_ = sequence.encoding.type_ids;
    compare(sequence.encoding.ids, model);
    measure_vectors(sequence.encoding.ids, model);

    model.check_files();
    write_report(
        options, html_, output,
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
  void compare(const std::vector<int32_t>& ids, const Model& model) {
    const size_t count = ids.size();
    std::vector<int32_t> swapped;
    for (const int32_t type : type_ids_) swapped.push_back(1 - type);
    variants_ = {{"swapped", "swapped", Ink::kBlue, swapped, {}, {}, 0},
                 {"all_a", "all A", Ink::kOrange, std::vector<int32_t>(count, 0), {}, {}, 0},
                 {"all_b", "all B", Ink::kGreen, std::vector<int32_t>(count, 1), {}, {}, 0}};
    std::vector<TokenSequence> batch = {{.ids = ids, .type_ids = type_ids_}};
    for (const Variant& variant : variants_) batch.push_back({.ids = ids, .type_ids = variant.type_ids});
    const std::vector<EncodedSequence> encoded = model.encode(batch, {.hidden_states = true});
    const EncodedSequence& original = encoded.front();
    const size_t last = layer_count(original) - 1;
    for (size_t v = 0; v < variants_.size(); ++v) {
      const EncodedSequence& other = encoded[v + 1];
      for (size_t layer = 0; layer <= last; ++layer) {
        variants_[v].moved = analysis::relative_distances(layer_rows(original, layer), layer_rows(other, layer));
        variants_[v].moved_by_layer.push_back(analysis::mean(variants_[v].moved));
      }
      variants_[v].embedding_cosine =
          analysis::cosine(analysis::mean_row(layer_rows(original, last)), analysis::mean_row(layer_rows(other, last)));
    }
  }

  // The two segment vectors, as they are added to the first token, and the mean norm of the word vectors.
  void measure_vectors(const std::vector<int32_t>& ids, const Model& model) {
    const std::vector<int32_t> a(ids.size(), 0), b(ids.size(), 1);
    const EmbeddingParts as_a = embedding_parts(model, {.ids = ids, .type_ids = a});
    const EmbeddingParts as_b = embedding_parts(model, {.ids = ids, .type_ids = b});
    const std::span<const float> first = analysis::Rows{as_a.segment, as_a.hidden}[0];
    const std::span<const float> second = analysis::Rows{as_b.segment, as_b.hidden}[0];
    norm_a_ = analysis::norm(first);
    norm_b_ = analysis::norm(second);
    cosine_ = analysis::cosine(first, second);
    std::vector<double> words;
    for (size_t t = 0; t < as_a.tokens; ++t) words.push_back(analysis::norm(analysis::Rows{as_a.word, as_a.hidden}[t]));
    word_norm_ = analysis::mean(words);
  }

  std::string vectors_sentence() const {
    return "The segment vectors have norms " + fixed(norm_a_, 3) + " (A) and " + fixed(norm_b_, 3) +
           " (B); their cosine is " + fixed(cosine_, 3) + ". The mean norm of the word vectors is " +
           fixed(word_norm_, 3) + ".";
  }

  Table tokens_table() const {
    std::vector<Column> columns = {{"#", Align::kRight}, {"token"}, {"segment"}};
    for (const Variant& variant : variants_) columns.push_back({variant.name, Align::kRight});
    Table table(columns);
    for (size_t t = 0; t < tokens_.size(); ++t) {
      std::vector<std::string> cells = {std::to_string(t), tokens_[t], type_ids_[t] == 0 ? "A" : "B"};
      for (const Variant& variant : variants_) cells.push_back(fixed(variant.moved[t], 3));
      table.add(cells);
    }
    return table;
  }

  Table layers_table() const {
    std::vector<Column> columns = {{"layer", Align::kRight}};
    for (const Variant& variant : variants_) columns.push_back({variant.name, Align::kRight});
    Table table(columns);
    for (size_t layer = 0; layer < variants_[0].moved_by_layer.size(); ++layer) {
      std::vector<std::string> cells = {std::to_string(layer)};
      for (const Variant& variant : variants_) cells.push_back(fixed(variant.moved_by_layer[layer], 3));
      table.add(cells);
    }
    return table;
  }

  std::string sentence() const {
    std::vector<std::string> moved, cosines;
    for (const Variant& variant : variants_) {
      moved.push_back(percent(variant.moved_by_layer.back()) + (moved.empty() ? " of their norm (" : " (") +
                      variant.name + ")");
      cosines.push_back(fixed(variant.embedding_cosine, 3));
    }
    return "The last layer's vectors move by " + listed(moved) + "; the cosine of the mean vectors is " +
           listed(cosines) + ".";
  }

  std::string json(const Sequence& sequence, const Model& model) const {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    JsonWriter vectors;
    vectors.number("norm_a", norm_a_);
    vectors.number("norm_b", norm_b_);
    vectors.number("cosine", cosine_);
    vectors.number("word_norm", word_norm_);
    object.member("segment_vectors") += vectors.take();
    for (const Variant& variant : variants_) {
      JsonWriter of_variant;
      of_variant.numbers<double>("moved", variant.moved);
      of_variant.numbers<double>("moved_by_layer", variant.moved_by_layer);
      of_variant.number("embedding_cosine", variant.embedding_cosine);
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
    for (const Variant& variant : variants_) {
      chart.lines.push_back({variant.name, variant.ink, variant.moved_by_layer});
    }
    page.drawing(draw_line_chart(chart));
    page.section("By token", "The same in the last layer.");
    Heatmap map{.title = "How far each token moves in the last layer",
                .rows_are = "token",
                .columns_are = "segments",
                .rows = {},
                .columns = {},
                .values = {}};
    for (const Variant& variant : variants_) map.columns.push_back(variant.name);
    for (size_t t = 0; t < tokens_.size(); ++t) {
      map.rows.push_back(tokens_[t] + (type_ids_[t] == 0 ? " A" : " B"));
      for (const Variant& variant : variants_) map.values.push_back(variant.moved[t]);
    }
    page.drawing(draw_heatmap(map));
    return page;
  }

  std::string html_;
  std::vector<std::string> tokens_;
  std::vector<int32_t> type_ids_;
  std::vector<Variant> variants_;
  double norm_a_ = 0, norm_b_ = 0, cosine_ = 0, word_norm_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_segments() { return std::make_unique<Segments>(); }

}  // namespace bert::cli
