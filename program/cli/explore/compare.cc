// The command compare: shows what training changed in a model: compares the weights of two models of one shape, tensor
// by tensor and row by row, then their vectors and layers on texts.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/experiments.h"
#include "program/cli/command.h"
#include "program/cli/commands/comparison.h"
#include "program/cli/commands/comparison_report.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

constexpr size_t kMostChanged = 10;

size_t row_count(const TensorChange& tensor) { return tensor.shape.size() < 2 ? 1 : tensor.shape.front(); }

std::string shape_of(const TensorChange& tensor) {
  return "[" + joined(tensor.shape, ", ", [](size_t size) { return std::to_string(size); }) + "]";
}

// Returns "row 7", "12 of 512", "all 512"; "" for a vector.
std::string changed_rows(const TensorChange& tensor) {
  const size_t rows = row_count(tensor);
  if (rows == 1) return "";
  if (tensor.changed_rows == 1) return "row " + with_commas(tensor.first_row);
  return tensor.changed_rows == rows ? "all " + with_commas(rows)
                                     : with_commas(tensor.changed_rows) + " of " + with_commas(rows);
}

// Returns at most `count` changed rows, the most changed first, of equal ones the smaller index.
std::vector<size_t> most_changed(const std::vector<double>& changes, size_t count) {
  std::vector<size_t> rows(changes.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) { return changes[a] > changes[b]; });
  while (!rows.empty() && (rows.size() > count || changes[rows.back()] == 0)) rows.pop_back();
  return rows;
}

class Compare : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_model(table, options);
    declare_lengths(table, options);
    declare_truncation(table, options);
    table.begin_group("Rows");
    table.number("--top-k", top_k_,
                 "words and positions to list, the most changed (default: " + std::to_string(kMostChanged) + ")", 1);
    declare_output(table, options, {OutputFormat::kText, OutputFormat::kJson});
    declare_comparison(table, options, comparison_);
  }

  int run(Console& console) override {
    take_model_and_directory(options, "compare", "two models: BASE (or --model) and TUNED");
    require_separate_files(options, comparison_.drawn);
    Output output(options.output, Output::Access::kStream);
    const Model base = load_model(options, console);
    Options other = options;
    other.model = options.texts.front();
    options.texts.clear();  // the remaining words were not texts; texts come from --input
    const Model tuned = load_model(other, console);
    changes_ = compare_weights(base, tuned);
    if (base.has_tokenizer() || !options.inputs.empty()) {
      on_texts_ = compare(tuned, base, options, comparison_, output, console);
    } else {
      console.note("the base has no tokenizer: only weights are compared");
    }
    base.check_files();
    tuned.check_files();
    name_words(base);
    title_ = name_on_page(tuned) + " compared with " + name_on_page(base);
    write_report(options, comparison_.drawn, output,
                 {.page = [&] { return page(); },
                  .text = [&](const TextStyle& style) { return text(style); },
                  .json = [&] { return json(); }});
    return on_texts_ ? on_texts_->status : kDone;
  }

 private:
  void name_words(const Model& base) {
    for (const size_t id : most_changed(changes_.words, top_k_.value_or(kMostChanged))) {
      words_.emplace_back(
          id, base.has_tokenizer() ? std::string(base.tokenizer().token(static_cast<int32_t>(id))) : std::string());
    }
    positions_ = most_changed(changes_.positions, top_k_.value_or(kMostChanged));
  }

  std::vector<TensorChange> changed_tensors() const {
    std::vector<TensorChange> changed;
    for (const TensorChange& tensor : changes_.tensors) {
      if (tensor.changed_rows > 0) changed.push_back(tensor);
    }
    return changed;
  }

  std::string sentence() const {
    const size_t changed = changed_tensors().size();
    std::string text = with_commas(changed) + " of " + with_commas(changes_.tensors.size()) + " tensors " +
                       (changed == 1 ? "differs" : "differ") + ".";
    for (const auto& [names, words] : {std::pair{&changes_.only_in_base, " are only in the base"},
                                       {&changes_.only_in_tuned, " are only in the other model"},
                                       {&changes_.other_shape, " have another shape"}}) {
      if (names->empty()) continue;
      std::vector<std::string> quoted;
      for (const std::string& name : *names) quoted.push_back(one_line(name));
      text += " Not compared, because they" + std::string(words) + ": " + listed(quoted) + ".";
    }
    return text;
  }

  Table tensors_table() const {
    Table table({{"tensor"}, {"shape"}, {"change", Align::kRight}, {"largest", Align::kRight}, {"rows"}});
    for (const TensorChange& tensor : changed_tensors()) {
      table.add({one_line(tensor.name), shape_of(tensor), percent(tensor.change, 2), significant(tensor.largest, 3),
                 changed_rows(tensor)});
    }
    return table;
  }

  Table parts_table() const {
    Table table({{"part"}, {"change", Align::kRight}});
    for (const PartChange& part : changes_.parts) table.add({one_line(part.name), percent(part.change, 2)});
    return table;
  }

  static std::string label(const std::pair<size_t, std::string>& word) {
    return word.second.empty() ? "id " + std::to_string(word.first) : one_line(word.second);
  }

  Table words_table() const {
    Table table({{"word"}, {"change", Align::kRight}});
    for (const auto& word : words_) table.add({label(word), percent(changes_.words[word.first], 2)});
    return table;
  }

  Table positions_table() const {
    Table table({{"position", Align::kRight}, {"change", Align::kRight}});
    for (const size_t position : positions_) {
      table.add({std::to_string(position), percent(changes_.positions[position], 2)});
    }
    return table;
  }

  std::string text(const TextStyle& style) const {
    std::string text = title_ + "\n\n" + sentence() + "\n";
    if (!changed_tensors().empty()) {
      text += "\n" + parts_table().text(style) + "\n" + tensors_table().text(style);
    }
    if (!words_.empty()) text += "\nthe most changed words\n" + words_table().text(style);
    if (!positions_.empty()) text += "\nthe most changed positions\n" + positions_table().text(style);
    if (on_texts_) return text + "\n" + comparison_report(*on_texts_).text(style);
    text.pop_back();
    return text;
  }

  std::string json() const {
    JsonWriter object;
    append_list(object.member("tensors"), changes_.tensors, [](std::string& list, const TensorChange& tensor) {
      JsonWriter one;
      one.string("name", tensor.name);
      one.numbers<size_t>("shape", tensor.shape);
      one.number("change", tensor.change);
      one.number("largest_difference", tensor.largest);
      one.number("changed_rows", tensor.changed_rows);
      if (tensor.changed_rows > 0) one.number("first_changed_row", tensor.first_row);
      list += one.take();
    });
    append_list(object.member("parts"), changes_.parts, [](std::string& list, const PartChange& part) {
      JsonWriter one;
      one.string("name", part.name);
      one.number("change", part.change);
      list += one.take();
    });
    object.strings("only_in_base", changes_.only_in_base);
    object.strings("only_in_tuned", changes_.only_in_tuned);
    object.strings("other_shape", changes_.other_shape);
    append_list(object.member("words"), words_, [&](std::string& list, const std::pair<size_t, std::string>& word) {
      JsonWriter one;
      if (!word.second.empty()) one.string("word", word.second);
      one.number("id", word.first);
      one.number("change", changes_.words[word.first]);
      list += one.take();
    });
    append_list(object.member("positions"), positions_, [&](std::string& list, size_t position) {
      JsonWriter one;
      one.number("position", position);
      one.number("change", changes_.positions[position]);
      list += one.take();
    });
    if (on_texts_) object.member("texts") += comparison_report(*on_texts_).json();
    return object.take();
  }

  static BarChart bars(const std::string& title) { return {.title = title, .rows = {}}; }

  static void add_bar(BarChart& chart, const std::string& label, double change) {
    chart.rows.push_back({label, {{change, Ink::kBlue}}, percent(change, 2)});
  }

  Page page() const {
    Page page("What training changed", title_);
    page.section("The weights by part", "The norm of the difference, relative to the norm of the base. " + sentence());
    BarChart parts = bars("How far each part's weights moved");
    for (const PartChange& part : changes_.parts) add_bar(parts, one_line(part.name), part.change);
    page.drawing(draw_bar_chart(parts));
    if (!changed_tensors().empty()) page.table(tensors_table());
    if (!words_.empty()) {
      page.section("The most changed words", "The same for their rows of the word table.");
      BarChart words = bars("The most changed words");
      for (const auto& word : words_) add_bar(words, label(word), changes_.words[word.first]);
      page.drawing(draw_bar_chart(words));
    }
    if (!changes_.positions.empty()) {
      page.section("The positions", "The same for each row of the position table.");
      page.drawing(draw_line_chart({.title = "How far each position's vector moved",
                                    .x_axis = "position",
                                    .y_axis = "difference / norm",
                                    .lines = {{"change", Ink::kBlue, changes_.positions}},
                                    .percent = true}));
    }
    if (on_texts_) add_comparison(page, *on_texts_);
    return page;
  }

  std::optional<size_t> top_k_;
  ComparedInput comparison_;
  std::string title_;
  WeightChanges changes_;
  std::optional<Comparison> on_texts_;
  std::vector<std::pair<size_t, std::string>> words_;  // the most changed words: id and token, "" without a tokenizer
  std::vector<size_t> positions_;                      // the most changed positions
};

}  // namespace

std::unique_ptr<Command> make_compare() { return std::make_unique<Compare>(); }

}  // namespace bert::cli
