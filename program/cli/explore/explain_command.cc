// The command explain: prints the word, position and segment vector of each token, their sum before and after
// LayerNorm, and how far each layer moves the token's vector; for a late-interaction model also what a query matches in
// a document.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/explore/text_experiment.h"
#include "program/cli/input/input.h"
#include "program/cli/output/console.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

// Matches late interaction's vectors, token by token: for each vector of a query, the document's vector with the
// largest dot product. The score is the sum of these products. Immutable.
class TokenMatches {
 public:
  // Reports truncation. Throws Error for a model without token vectors.
  TokenMatches(const Model& model, const std::string& query, const std::string& document, Console& console);

  // Throws InputError if a page would be too large to read.
  void check_drawable(const DrawnFiles& drawn) const;
  Page page() const;
  std::string text(const TextStyle& style) const;
  std::string json() const;

 private:
  double product(size_t query, size_t document) const {
    return result_.products[query * document_tokens_.size() + document];
  }
  std::string sentence() const;
  Table table() const;

  std::string model_;
  std::string query_, document_;
  MaxSimMatches result_;
  std::vector<std::string> query_tokens_, document_tokens_;  // tokens that have vectors
};

std::vector<std::string> labels_of(const MaxSimMatches::Text& of, const Model& model) {
  std::vector<std::string> labels;
  for (const uint32_t token : of.vectors.tokens) {
    labels.push_back(one_line(model.tokenizer().token(of.encoding.ids[token])));
  }
  return labels;
}

void note_truncation(const MaxSimMatches::Text& of, TextRole role, Console& console) {
  const size_t truncated = of.encoding.truncated_tokens;
  if (truncated == 0) return;
  console.note("the " + std::string(name(role)) + " was too long and was truncated: " + with_commas(truncated) +
               (truncated == 1 ? " token" : " tokens") + " removed");
}

TokenMatches::TokenMatches(const Model& model, const std::string& query, const std::string& document, Console& console)
    : model_(name_on_page(model)),
      query_(query),
      document_(document),
      result_(match_tokens(model, query, document)),
      query_tokens_(labels_of(result_.query, model)),
      document_tokens_(labels_of(result_.document, model)) {
  note_truncation(result_.query, TextRole::kQuery, console);
  note_truncation(result_.document, TextRole::kDocument, console);
}

void TokenMatches::check_drawable(const DrawnFiles& drawn) const {
  require_drawable(drawn, "query", query_tokens_.size());
  require_drawable(drawn, "document", document_tokens_.size());
}

std::string TokenMatches::sentence() const {
  return "The score is " + fixed(result_.score, 3) + ", the " + (result_.is_mean ? "mean" : "sum") + " of " +
         std::to_string(result_.matches.size()) + " products.";
}

Table TokenMatches::table() const {
  Table table({{"#", Align::kRight}, {"query"}, {"#", Align::kRight}, {"document"}, {"product", Align::kRight}});
  for (size_t i = 0; i < result_.matches.size(); ++i) {
    table.add({std::to_string(result_.query.vectors.tokens[i]), query_tokens_[i],
               std::to_string(result_.document.vectors.tokens[result_.matches[i]]),
               document_tokens_[result_.matches[i]], fixed(product(i, result_.matches[i]), 3)});
  }
  return table;
}

std::string TokenMatches::text(const TextStyle& style) const { return table().text(style) + "\n" + sentence(); }

std::string TokenMatches::json() const {
  JsonWriter object;
  object.number("score", result_.score);
  object.strings("query_tokens", query_tokens_);
  object.strings("document_tokens", document_tokens_);
  append_list(object.member("matches"), result_.matches,
              [](std::string& text, const size_t match) { text += std::to_string(match); });
  std::string& rows = object.member("products");
  for (size_t i = 0; i < result_.matches.size(); ++i) {
    rows += i == 0 ? "[" : ",";
    append_list(rows, std::span(result_.products).subspan(i * document_tokens_.size(), document_tokens_.size()),
                [](std::string& text, const double value) { append_number(text, value); });
  }
  rows += ']';
  return object.take();
}

Page TokenMatches::page() const {
  Page page("Which tokens of a document a query matches",
            "“" + one_line(query_) + "” and “" + one_line(document_) + "” — " + model_);
  page.section("The best match of each token of the query",
               "A bar is the dot product of a token's vector with that of the document's token that is the most "
               "similar to it. " +
                   sentence());
  BarChart bars{.title = "The best match of each token of the query", .rows = {}};
  for (size_t i = 0; i < result_.matches.size(); ++i) {
    const double value = product(i, result_.matches[i]);
    bars.rows.push_back(
        {query_tokens_[i] + " → " + document_tokens_[result_.matches[i]], {{value, Ink::kBlue}}, fixed(value, 3)});
  }
  page.drawing(draw_bar_chart(bars));
  page.section("Every token of the query with every token of the document", "The dot products.");
  Heatmap map{.title = "Dot products of the query's tokens with the document's",
              .rows_are = "query",
              .columns_are = "document",
              .rows = query_tokens_,
              .columns = document_tokens_,
              .values = result_.products};
  page.drawing(draw_heatmap(map));
  return page;
}

class Explain : public TextExperiment {
 public:
  void declare(OptionTable& table) override {
    declare_pair(table, options);
    declare_text_report(table);
    table.begin_group("Late interaction");
    table.flag("--matches", matches_,
               "instead, which token of a document, the --pair, each token of the query TEXT matches");
  }

  int run(Console& console) override { return matches_ ? run_matches(console) : TextExperiment::run(console); }

 private:
  int run_matches(Console& console) {
    require_one_text(options);
    require_separate_files(options, drawn_);
    if (options.pairs.size() != 1)
      throw UsageError("--matches: expected one --pair, the document, " + given(options.pairs.size()));
    const std::unique_ptr<Input> input = open_input(options);
    Item item;
    if (input->next(item, TextSource::kForever) != Input::State::kItem) throw InputError("no text, expected a query");
    if (item.error) throw InputError(item.error->what());
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    const TokenMatches matches(model, item.text, *item.pair, console);
    matches.check_drawable(drawn_);
    model.check_files();
    write_report(options, drawn_, output,
                 {.page = [&] { return matches.page(); },
                  .text = [&](const TextStyle& style) { return matches.text(style); },
                  .json = [&] { return matches.json(); }});
    return kDone;
  }

  std::unique_ptr<Findings> compute(const Model& model, const Sequence& sequence, Console&) override {
    parts_ = token_compositions(model, model.sequence(sequence.tokens.encoding));
    if (parts_.empty()) throw InputError("the text has no tokens, expected some");  // for a static model
    return embedding_findings(parts_,
                              shown_tokens(sequence.tokens.encoding, sequence.input.text, sequence.input.pair, model),
                              sequence.tokens.encoding);
  }

  std::string json(const Sequence& sequence, const Model& model) const override {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    std::string& list = object.member("embedding");
    list += '[';
    for (const TokenComposition& token : parts_) {
      JsonWriter one;
      const auto add = [&](const char* name, const std::optional<EmbeddingShare>& part) {
        if (!part) {
          one.member(name) += "null";
          return;
        }
        JsonWriter numbers;
        numbers.number("norm", part->norm);
        numbers.number("share", part->share);
        numbers.number("cosine", part->cosine);
        one.member(name) += numbers.take();
      };
      add("word", token.word);
      add("position", token.position);
      add("segment", token.segment);
      one.number("sum_norm", token.sum_norm);
      one.number("normalized_norm", token.normalized_norm);
      one.number("normalized_cosine", token.normalized_cosine);
      if (list.back() != '[') list += ',';
      list += one.take();
    }
    list += ']';
    std::string& moved = object.member("moved");
    moved += '[';
    for (size_t layer = 0; layer < parts_.front().moved.size(); ++layer) {
      moved += layer == 0 ? "[" : ",[";
      for (size_t t = 0; t < parts_.size(); ++t) {
        if (t > 0) moved += ',';
        append_number(moved, parts_[t].moved[layer]);
      }
      moved += ']';
    }
    moved += ']';
    return object.take();
  }

  bool matches_ = false;
  std::vector<TokenComposition> parts_;  // [tokens]
};

}  // namespace

std::unique_ptr<TextExperiment> make_explain_experiment() { return std::make_unique<Explain>(); }
std::unique_ptr<Command> make_explain() { return make_explain_experiment(); }

}  // namespace bert::cli
