// Findings about what the embedding layer adds for each token of a text, and how far the layers move the tokens.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"
#include "program/drawings/token_drawings.h"
#include "tasks/analysis/rows.h"

namespace bert::drawings {
namespace {

class EmbeddingFindings : public Findings {
 public:
  EmbeddingFindings(const std::vector<TokenComposition>& parts, std::vector<std::string> tokens,
                    const Encoding& encoding)
      : parts_(parts), tokens_(std::move(tokens)), ids_(encoding.ids), segments_(encoding.type_ids) {}

  std::string title() const override { return "The embedding layer, and how each layer moves the tokens"; }

  std::string text(const TextStyle& style) const override {
    const std::string embedding =
        "the embedding layer\n" + parts_table().text(style) + "\n" + definitions() + "\n" + parts_sentence();
    if (layers() == 0) return embedding;
    return embedding + "\n\nhow far each layer moves a token's vector, relative to its norm\n" +
           moves_table().text(style) + "\n" + moves_sentence();
  }

  std::string answer() const override {
    const std::pair<const char*, double> shares[] = {{"word", mean_share(&TokenComposition::word)},
                                                     {"position", mean_share(&TokenComposition::position)},
                                                     {"segment", mean_share(&TokenComposition::segment)}};
    const auto& largest =
        *std::max_element(std::begin(shares), std::end(shares), [](auto a, auto b) { return a.second < b.second; });
    return std::string(largest.second > 0.5 ? "Mostly its " : "More than anything else its ") + largest.first + ": " +
           percent(largest.second) + " of the sum on average.";
  }

  void add_main(Page& page) const override {
    page.section(
        "Which vectors are added",
        "The number in a box is the row of its table: for the word the token's id, for the position the place, "
        "for the segment A (0) or B (1).");
    page.drawing(draw_sum({.tokens = tokens_,
                           .ids = ids_,
                           .has_positions = parts_.front().position.has_value(),
                           .segments = parts_.front().segment ? segments_ : std::vector<int32_t>()}));
    page.section("How much each contributes", "A bar shows the shares of the sum. " + parts_sentence());
    page.legend({{Ink::kBlue, "word"}, {Ink::kOrange, "position"}, {Ink::kGreen, "segment"}});
    const std::vector<std::string> labels = distinct_labels(tokens_);
    BarChart bars{.title = "Shares of word, position and segment in each token's embedding", .rows = {}};
    for (size_t t = 0; t < parts_.size(); ++t) {
      BarChart::Row row{labels[t], {}, ""};
      const auto add = [&](const std::optional<EmbeddingShare>& part, Ink ink) {
        if (!part) return;
        row.parts.push_back({part->share, ink});
        if (!row.number.empty()) row.number += part->share < 0 ? " - " : " + ";
        row.number += percent(row.number.empty() ? part->share : std::abs(part->share));
      };
      add(parts_[t].word, Ink::kBlue);
      add(parts_[t].position, Ink::kOrange);
      add(parts_[t].segment, Ink::kGreen);
      bars.rows.push_back(std::move(row));
    }
    page.drawing(draw_bar_chart(bars));
  }

  void add_details(Page& page) const override {
    page.section("Norms, shares and cosines", definitions());
    page.table(parts_table());
    if (layers() == 0) return;
    page.section("How far each layer moves a token",
                 "The distance between a token's vectors before and after a layer, relative to the norm before. " +
                     moves_sentence());
    Heatmap map{.title = "How far each layer moves each token",
                .rows_are = "token",
                .columns_are = "layer",
                .rows = distinct_labels(tokens_),
                .columns = counted(1, layers()),
                .values = {}};
    for (const TokenComposition& token : parts_)
      map.values.insert(map.values.end(), token.moved.begin(), token.moved.end());
    page.drawing(draw_heatmap(map));
  }

 private:
  size_t layers() const { return parts_.front().moved.size(); }

  // Returns false for models whose embeddings have no LayerNorm, such as those with the shape of Llama.
  bool are_normalized() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const TokenComposition& token) { return token.normalized_norm != token.sum_norm; });
  }

  Table parts_table() const {
    std::vector<Column> columns = {{"#", Align::kRight}, {"token"}};
    for (const char* name : {"word", "position", "segment"}) {
      columns.push_back({std::string(name) + ": norm", Align::kRight});
      columns.push_back({"share", Align::kRight});
      columns.push_back({"cosine", Align::kRight});
    }
    columns.push_back({"sum: norm", Align::kRight});
    const bool has_norm = are_normalized();
    if (has_norm) {
      columns.push_back({"LayerNorm: norm", Align::kRight});
      columns.push_back({"cosine", Align::kRight});
    }
    Table table(columns);
    for (size_t t = 0; t < parts_.size(); ++t) {
      const TokenComposition& token = parts_[t];
      std::vector<std::string> cells = {std::to_string(t), tokens_[t]};
      for (const std::optional<EmbeddingShare>& part : {token.word, token.position, token.segment}) {
        cells.push_back(part ? fixed(part->norm, 3) : "none");
        cells.push_back(part ? percent(part->share) : "");
        cells.push_back(part ? fixed(part->cosine, 2) : "");
      }
      cells.push_back(fixed(token.sum_norm, 3));
      if (has_norm) {
        cells.push_back(fixed(token.normalized_norm, 3));
        cells.push_back(fixed(token.normalized_cosine, 2));
      }
      table.add(cells);
    }
    return table;
  }

  Table moves_table() const {
    std::vector<Column> columns = {{"#", Align::kRight}, {"token"}};
    for (const std::string& layer : counted(1, layers())) columns.push_back({layer, Align::kRight});
    Table table(columns);
    for (size_t t = 0; t < parts_.size(); ++t) {
      std::vector<std::string> cells = {std::to_string(t), tokens_[t]};
      for (const double moved : parts_[t].moved) cells.push_back(fixed(moved, 2));
      table.add(cells);
    }
    return table;
  }

  double mean_share(const std::optional<EmbeddingShare> TokenComposition::*part) const {
    double sum = 0;
    for (const TokenComposition& token : parts_) sum += (token.*part) ? (token.*part)->share : 0;
    return sum / static_cast<double>(parts_.size());
  }

  std::string definitions() const {
    return "share: how much of the sum's squared norm a vector contributes; below 0 if it points away from the sum. "
           "cosine: between that vector and the sum." +
           std::string(are_normalized() ? " The last cosine is between the sum before and after LayerNorm." : "");
  }

  std::string parts_sentence() const {
    const auto share = [&](const char* name, const std::optional<EmbeddingShare> TokenComposition::*part) {
      return (parts_.front().*part) ? percent(mean_share(part)) + " " + name : "no " + std::string(name);
    };
    std::vector<double> cosines, sum_norms, normalized_norms;
    for (const TokenComposition& token : parts_) {
      cosines.push_back(token.normalized_cosine);
      sum_norms.push_back(token.sum_norm);
      normalized_norms.push_back(token.normalized_norm);
    }
    const auto range = [](const std::vector<double>& norms) {
      return fixed(*std::min_element(norms.begin(), norms.end()), 1) + " to " +
             fixed(*std::max_element(norms.begin(), norms.end()), 1);
    };
    return "On average the sum is " + share("word", &TokenComposition::word) + ", " +
           share("position", &TokenComposition::position) + " and " + share("segment", &TokenComposition::segment) +
           ". Its norm is " + range(sum_norms) +
           (are_normalized() ? " before LayerNorm and " + range(normalized_norms) +
                                   " after it; the mean cosine of the two is " + fixed(analysis::mean(cosines), 2) + "."
                             : "; the model has no LayerNorm after it.");
  }

  std::string moves_sentence() const {
    std::vector<double> means;
    for (size_t layer = 0; layer < layers(); ++layer) {
      double sum = 0;
      for (const TokenComposition& token : parts_) sum += token.moved[layer];
      means.push_back(sum / static_cast<double>(parts_.size()));
    }
    const auto most = std::max_element(means.begin(), means.end());
    const auto least = std::min_element(means.begin(), means.end());
    return "Layer " + std::to_string(most - means.begin() + 1) + " moves the tokens most (" + fixed(*most, 2) +
           " of their norm on average), layer " + std::to_string(least - means.begin() + 1) + " least (" +
           fixed(*least, 2) + ").";
  }

  const std::vector<TokenComposition>& parts_;  // [tokens]
  std::vector<std::string> tokens_;
  std::vector<int32_t> ids_, segments_;
};

}  // namespace

std::unique_ptr<Findings> embedding_findings(const std::vector<TokenComposition>& parts,
                                             std::vector<std::string> tokens, const Encoding& encoding) {
  return std::make_unique<EmbeddingFindings>(parts, std::move(tokens), encoding);
}

}  // namespace bert::drawings
