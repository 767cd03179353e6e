#include "program/cli/explore/token_matches.h"

#include <span>

#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/input/input.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {

namespace {

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

}  // namespace

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

}  // namespace bert::cli
