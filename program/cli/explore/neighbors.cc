// The command neighbors: prints the words whose rows of the word table are nearest to the row of each given word, or to
// a sum of words, and the cosines of the given words.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

constexpr size_t kNearest = 10;
constexpr size_t kDrawnNumbers = 64;  // numbers of a row that are drawn

struct Word {
  std::string name;  // its token
  int32_t id = 0;
  std::vector<WordNeighbor> nearest;
  std::vector<double> to_given;  // cosines with the given words, in their order
  std::vector<float> rows;       // the first numbers of its row and of the nearest rows   [1 + nearest, numbers]
};

// A sum of words, with signs between them: king - man + woman.
struct Sum {
  std::vector<std::string> words;
  std::vector<WordTerm> terms;

  std::string name() const {
    std::string text;
    for (size_t i = 0; i < terms.size(); ++i) {
      const bool is_minus = terms[i].weight < 0;
      text += (i > 0 ? (is_minus ? " - " : " + ") : (is_minus ? "- " : "")) + words[i];
    }
    return text;
  }
};

bool is_sign(const std::string& word) { return word == "+" || word == "-"; }

class Neighbors : public Command {
 public:
  void declare(OptionTable& table) override {
    table.begin_group("Words");
    table.number("--top-k", top_k_, "words for each word (default: " + std::to_string(kNearest) + ")", 1);
    declare_report(table, options, drawn_, ReportOf::kModel);
  }

  int run(Console& console) override {
    if (options.texts.empty()) throw UsageError("expected a WORD or more, none given");
    require_separate_files(options, drawn_);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    if (const std::vector<std::string> parts = parts_of_sum(); !parts.empty()) {
      add_sum(model, parts);
    } else {
      for (const std::string& text : options.texts) words_.push_back(find(model.tokenizer(), text));
    }
    for (Word& word : words_) {
      if (sum_) break;
      const std::vector<double> cosines = word_cosines(model, word.id);
      word.nearest = nearest_words(cosines, word.id, top_k_.value_or(kNearest));
      if (!drawn_.empty()) word.rows = first_numbers(model, word);
      for (const Word& other : words_) word.to_given.push_back(cosines[static_cast<size_t>(other.id)]);
    }
    model.check_files();
    write_report(options, drawn_, output,
                 {.page = [&] { return page(model); },
                  .text = [&](const TextStyle& style) { return text(model, style); },
                  .json = [&] { return json(model); }});
    return kDone;
  }

 private:
  static std::vector<float> first_numbers(const Model& model, const Word& word) {
    std::vector<float> numbers;
    const auto add = [&](int32_t id) {
      const std::vector<int32_t> ids = {id};
      const EmbeddingParts parts = embedding_parts(model, {.ids = ids});
      numbers.insert(numbers.end(), parts.word.begin(),
                     parts.word.begin() + static_cast<ptrdiff_t>(std::min(kDrawnNumbers, parts.hidden)));
    };
    add(word.id);
    for (const WordNeighbor& neighbor : word.nearest) add(neighbor.id);
    return numbers;
  }

  // Returns the words and signs of all TEXTs; empty unless there is a sign.
  std::vector<std::string> parts_of_sum() const {
    std::vector<std::string> parts;
    for (const std::string& text : options.texts) {
      std::istringstream words(text);
      for (std::string word; words >> word;) parts.push_back(word);
    }
    return std::any_of(parts.begin(), parts.end(), is_sign) ? parts : std::vector<std::string>{};
  }

  void add_sum(const Model& model, const std::vector<std::string>& parts) {
    sum_.emplace();
    double weight = 1;
    bool after_word = false, after_sign = false;
    for (const std::string& part : parts) {
      if (is_sign(part) ? after_sign : after_word) {
        throw UsageError("a sum of words has a sign between two of them, as king - man + woman; found " +
                         in_quotes(part) + (after_word ? " after a word" : " after a sign"));
      }
      if (is_sign(part)) {
        weight = part == "-" ? -1 : 1;
      } else {
        const Word word = find(model.tokenizer(), part);
        sum_->words.push_back(word.name);
        sum_->terms.push_back({word.id, weight});
      }
      after_sign = is_sign(part);
      after_word = !after_sign;
    }
    if (!after_word) throw UsageError("a sum of words ends with a word; found " + in_quotes(parts.back()));
    std::vector<int32_t> given;
    for (const WordTerm& term : sum_->terms) given.push_back(term.id);
    Word& word = words_.emplace_back(Word{sum_->name(), 0, {}, {}, {}});
    word.nearest = nearest_words(word_cosines(model, sum_->terms), given, top_k_.value_or(kNearest));
  }

  // Finds a word. Throws InputError unless the text is one token.
  static Word find(const Tokenizer& tokenizer, const std::string& text) {
    const Encoding encoding = tokenizer.tokenize(text, {.add_special_tokens = false});
    if (encoding.size() == 1) return {one_line(tokenizer.token(encoding.ids[0])), encoding.ids[0], {}, {}, {}};
    std::vector<std::string> pieces;
    for (const int32_t id : encoding.ids) pieces.push_back(in_quotes(tokenizer.token(id)));
    throw InputError(in_quotes(text) + " is " + std::to_string(pieces.size()) + " tokens" +
                     (pieces.empty() ? "" : ", " + listed(pieces)) + ", expected a word of the vocabulary");
  }

  static std::string name_of(const Model& model, const WordNeighbor& neighbor) {
    return one_line(model.tokenizer().token(neighbor.id));
  }

  Table nearest_table(const Model& model, const Word& word) const {
    Table table({{word.name}, {"cosine", Align::kRight}});
    for (const WordNeighbor& neighbor : word.nearest) table.add({name_of(model, neighbor), fixed(neighbor.cosine, 3)});
    return table;
  }

  Table given_table() const {
    std::vector<Column> columns = {{"cosine"}};
    for (const Word& word : words_) columns.push_back({word.name, Align::kRight});
    Table table(columns);
    for (const Word& word : words_) {
      std::vector<std::string> cells = {word.name};
      for (const double cosine : word.to_given) cells.push_back(fixed(cosine, 3));
      table.add(cells);
    }
    return table;
  }

  std::string text(const Model& model, const TextStyle& style) const {
    std::string text;
    for (const Word& word : words_) text += nearest_table(model, word).text(style) + "\n";
    if (words_.size() > 1) return text + given_table().text(style);
    text.pop_back();
    return text;
  }

  std::string json(const Model& model) const {
    JsonWriter object;
    append_list(object.member("words"), words_, [&](std::string& list, const Word& word) {
      JsonWriter one;
      one.string("word", word.name);
      if (sum_) {
        add_terms(one);
      } else {
        one.number("id", word.id);
      }
      append_list(one.member("nearest"), word.nearest, [&](std::string& inner, const WordNeighbor& neighbor) {
        JsonWriter near;
        near.string("word", model.tokenizer().token(neighbor.id));
        near.number("id", neighbor.id);
        near.number("cosine", neighbor.cosine);
        inner += near.take();
      });
      if (!sum_) one.numbers<double>("cosines", word.to_given);
      list += one.take();
    });
    return object.take();
  }

  Picture draw_rows(const Model& model, const Word& word) const {
    MatrixChart chart{.title = "The rows of the word table",
                      .rows_are = "word",
                      .columns_are = "number of the row",
                      .rows = {word.name},
                      .columns = word.rows.size() / (1 + word.nearest.size()),
                      .values = {word.rows.begin(), word.rows.end()},
                      .full = 1e-9};
    for (const WordNeighbor& neighbor : word.nearest) chart.rows.push_back(name_of(model, neighbor));
    for (const double value : chart.values) chart.full = std::max(chart.full, std::abs(value));
    return draw_matrix(chart);
  }

  void add_terms(JsonWriter& object) const {
    size_t next = 0;
    append_list(object.member("terms"), sum_->terms, [&](std::string& list, const WordTerm& term) {
      JsonWriter one;
      one.string("word", sum_->words[next++]);
      one.number("id", term.id);
      one.number("weight", term.weight);
      list += one.take();
    });
  }

  Page page(const Model& model) const {
    Page page("The nearest words in the embedding layer", name_on_page(model));
    for (const Word& word : words_) {
      page.section(word.name,
                   sum_ ? "The cosine of the sum of these words' rows, each of length 1, with the nearest other rows."
                        : "The cosine of its row of the word table with the nearest other rows.");
      BarChart bars{.title = "The words nearest to " + word.name, .rows = {}};
      for (const WordNeighbor& neighbor : word.nearest) {
        bars.rows.push_back({name_of(model, neighbor), {{neighbor.cosine, Ink::kBlue}}, fixed(neighbor.cosine, 3)});
      }
      page.drawing(draw_bar_chart(bars));
      if (sum_) continue;
      page.section("The rows themselves", "The first " + std::to_string(word.rows.size() / (1 + word.nearest.size())) +
                                              " numbers of the row of each of these words.");
      page.drawing(draw_rows(model, word));
    }
    if (words_.size() > 1) {
      page.section("The given words", "The cosines of their rows.");
      page.table(given_table());
    }
    return page;
  }

  std::optional<size_t> top_k_;
  DrawnFiles drawn_;
  std::vector<Word> words_;
  std::optional<Sum> sum_;  // if set, words_ has only this sum's entry
};

}  // namespace

std::unique_ptr<Command> make_neighbors() { return std::make_unique<Neighbors>(); }

}  // namespace bert::cli
