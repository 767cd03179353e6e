#include "tools/cli/explore/token_matches.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "bert/vectors.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/input.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {

TokenMatches::TokenMatches(const Model& model, const std::string& query, const std::string& document, Console& console)
    : model_(name_on_page(model)),
      query_(encode(model, query, TextRole::kQuery, console)),
      document_(encode(model, document, TextRole::kDocument, console)),
      is_mean_(token_vector_settings(model).mean_score) {
  const size_t count = document_.tokens.size(), size = query_.vectors.size;
  if (count == 0) throw InputError("no token of the document has a vector: " + in_quotes(document));
  std::vector<size_t> each(count + 1);  // every vector as a document of its own
  std::iota(each.begin(), each.end(), size_t{0});
  products_.resize(query_.tokens.size() * count);
  const MaxSim max_sim(1);
  for (size_t i = 0; i < query_.tokens.size(); ++i) {
    const std::span<double> row(products_.data() + i * count, count);
    max_sim.scores({query_.vectors.values.data() + i * size, size}, document_.vectors.values, each, size, row);
    const auto best = std::max_element(row.begin(), row.end());
    matches_.push_back(static_cast<size_t>(best - row.begin()));
    score_ += *best;
  }
  if (is_mean_) score_ /= static_cast<double>(query_.tokens.size());
}

TokenMatches::Side TokenMatches::encode(const Model& model, const std::string& text, TextRole role,
                                        Console& console) const {
  const RoleEncoding encoding = tokenize(model, text, role);
  if (const size_t cut = encoding.encoding.truncated_tokens; cut > 0) {
    console.note("the " + std::string(name(role)) + " was too long and was truncated: " + with_commas(cut) +
                 (cut == 1 ? " token" : " tokens") + " removed");
  }
  const TokenSequence one = sequence(model, encoding);
  Side side{text, {}, std::move(model.vectors({&one, 1}, {.tokens = true, .role = role}).front().tokens)};
  for (const uint32_t token : side.vectors.tokens) {
    side.tokens.push_back(one_line(model.tokenizer().token(encoding.encoding.ids[token])));
  }
  return side;
}

void TokenMatches::check_drawable() const {
  for (const Side* side : {&query_, &document_}) {
    if (side->tokens.size() <= kMaxDrawnTokens) continue;
    throw InputError("--html draws at most " + std::to_string(kMaxDrawnTokens) + " tokens, the " +
                     (side == &query_ ? "query" : "document") + " has " + std::to_string(side->tokens.size()));
  }
}

std::string TokenMatches::sentence() const {
  return "The score is " + fixed(score_, 3) + ", the " + (is_mean_ ? "mean" : "sum") + " of " +
         std::to_string(matches_.size()) + " products.";
}

Table TokenMatches::table() const {
  Table table({{"#", Align::kRight}, {"query"}, {"#", Align::kRight}, {"document"}, {"product", Align::kRight}});
  for (size_t i = 0; i < matches_.size(); ++i) {
    table.add({std::to_string(query_.vectors.tokens[i]), query_.tokens[i],
               std::to_string(document_.vectors.tokens[matches_[i]]), document_.tokens[matches_[i]],
               fixed(product(i, matches_[i]), 3)});
  }
  return table;
}

std::string TokenMatches::text(const TextStyle& style) const { return table().text(style) + "\n" + sentence(); }

std::string TokenMatches::json() const {
  JsonWriter object;
  object.number("score", score_);
  object.strings("query_tokens", query_.tokens);
  object.strings("document_tokens", document_.tokens);
  append_list(object.member("matches"), matches_,
              [](std::string& text, const size_t match) { text += std::to_string(match); });
  std::string& rows = object.member("products");
  for (size_t i = 0; i < matches_.size(); ++i) {
    rows += i == 0 ? "[" : ",";
    append_list(rows, std::span(products_).subspan(i * document_.tokens.size(), document_.tokens.size()),
                [](std::string& text, const double value) { append_number(text, value); });
  }
  rows += ']';
  return object.take();
}

Page TokenMatches::page() const {
  Page page("Which tokens of a document a query matches",
            "“" + one_line(query_.text) + "” and “" + one_line(document_.text) + "” — " + model_);
  page.section("The best match of each token of the query",
               "A bar is the dot product of a token's vector with that of the document's token that is the most "
               "similar to it. " +
                   sentence());
  BarChart bars{.title = "The best match of each token of the query", .rows = {}};
  for (size_t i = 0; i < matches_.size(); ++i) {
    const double value = product(i, matches_[i]);
    bars.rows.push_back(
        {query_.tokens[i] + " → " + document_.tokens[matches_[i]], {{value, Ink::kBlue}}, fixed(value, 3)});
  }
  page.drawing(draw_bar_chart(bars));
  page.section("Every token of the query with every token of the document", "The dot products.");
  Heatmap map{.title = "Dot products of the query's tokens with the document's",
              .rows_are = "query",
              .columns_are = "document",
              .rows = query_.tokens,
              .columns = document_.tokens,
              .values = products_};
  page.drawing(draw_heatmap(map));
  return page;
}

}  // namespace bert::cli
