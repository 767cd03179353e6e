// Findings about how much of the variance of many texts' token vectors position and word explain.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

constexpr double kLeastShared = 0.02;  // share of the variance

class VarianceFindings : public Findings {
 public:
  explicit VarianceFindings(const VarianceShares& shares) : shares_(shares) {}

  std::string title() const override { return "Variance explained by position and by word"; }

  std::string answer() const override {
    return "Position explains " + percent(shares_.position.front()) +
           " of the variance of the token vectors in the embeddings and " + percent(shares_.position.back()) +
           " after the last layer; word and position together leave " + percent(shares_.neither.front()) + " and " +
           percent(shares_.neither.back()) + " unexplained." + confounded_sentence();
  }

  std::string text(const TextStyle& style) const override {
    return "variance of the token vectors explained by\n" + table().text(style) + "\n" + sentence();
  }

  void add_main(Page& page) const override {
    page.section("Explained variance by layer",
                 "The share of the variance of all token vectors that a token's position or its word explains; "
                 "neither: the share that no sum of a vector for each explains. Layer 0 is the embeddings. " +
                     sentence());
    page.drawing(draw_line_chart({.title = "Variance explained by position, by word and by neither, by layer",
                                  .x_axis = "layer",
                                  .y_axis = "share of the variance",
                                  .lines = {{"word", Ink::kBlue, shares_.word},
                                            {"position", Ink::kOrange, shares_.position},
                                            {"neither", Ink::kGreen, shares_.neither}},
                                  .percent = true}));
  }

  void add_details(Page& page) const override {
    page.section("The numbers", "By layer.");
    page.table(table());
  }

 private:
  Table table() const {
    Table table({{"layer", Align::kRight},
                 {"position", Align::kRight},
                 {"word", Align::kRight},
                 {"both", Align::kRight},
                 {"neither", Align::kRight}});
    for (size_t i = 0; i < shares_.position.size(); ++i) {
      table.add({std::to_string(i), percent(shares_.position[i], 1), percent(shares_.word[i], 1),
                 percent(shares_.both[i], 1), percent(shares_.neither[i], 1)});
    }
    return table;
  }

  std::string sentence() const {
    const auto first_and_last = [](const std::vector<double>& shares) {
      return percent(shares.front()) + " and " + percent(shares.back());
    };
    const auto peak = std::max_element(shares_.position.begin(), shares_.position.end()) - shares_.position.begin();
    return "In the embeddings and after the last layer, position explains " + first_and_last(shares_.position) +
           " of the variance (at most " + percent(shares_.position[static_cast<size_t>(peak)]) + ", in layer " +
           std::to_string(peak) + "), the word " + first_and_last(shares_.word) + ". Neither explains the rest, " +
           first_and_last(shares_.neither) + ": after the embeddings it contains the influence of the context." +
           confounded_sentence();
  }

  // Returns "" if position and word are not confounded.
  std::string confounded_sentence() const {
    const std::optional<size_t> layer = confounded_layer(shares_);
    if (!layer) return "";
    return " But position and word are confounded in these texts: in layer " + std::to_string(*layer) +
           " position alone explains " + percent(shares_.position[*layer]) + ", the words alone " +
           percent(shares_.word[*layer]) + ", and both together " + percent(shares_.both[*layer]) +
           ". Texts with the same words in other places tell them apart.";
  }

  const VarianceShares& shares_;
};

}  // namespace

double shared_share(const VarianceShares& shares, size_t layer) {
  return shares.position[layer] + shares.word[layer] - shares.both[layer];
}

std::optional<size_t> confounded_layer(const VarianceShares& shares) {
  std::optional<size_t> found;
  for (size_t layer = 0; layer < shares.position.size(); ++layer) {
    const double shared = shared_share(shares, layer);
    if (shared < kLeastShared || shared < 2 * shares.position[layer] / 3) continue;
    if (!found || shared > shared_share(shares, *found)) found = layer;
  }
  return found;
}

std::string described_texts(const VarianceShares& shares) {
  return with_commas(shares.tokens) + " tokens of " + with_commas(shares.texts) + " texts, " +
         with_commas(shares.words) + " words, special tokens left out";
}

std::unique_ptr<Findings> variance_findings(const VarianceShares& shares) {
  return std::make_unique<VarianceFindings>(shares);
}

}  // namespace bert::drawings
