// Findings about where the attention of a text's tokens goes, head by head.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "program/drawings/attention_drawings.h"
#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"
#include "tasks/analysis/rows.h"

namespace bert::drawings {
namespace {

class AttentionFindings : public Findings {
 public:
  AttentionFindings(const AttentionSummary& attention, std::vector<std::string> tokens, std::vector<bool> local_layers)
      : attention_(attention),
        tokens_(std::move(tokens)),
        labels_(distinct_labels(tokens_)),
        local_layers_(std::move(local_layers)) {
    if (!is_part()) return;
    std::vector<std::string> chosen;
    for (const size_t query : attention_.queries) chosen.push_back(std::to_string(query) + " " + tokens_[query]);
    tokens_ = std::move(chosen);
    labels_ = tokens_;
  }

  std::string title() const override { return "Attention heads"; }
  std::string text(const TextStyle& style) const override { return heads_table().text(style) + "\n" + sentence(); }

  std::string answer() const override {
    const auto most = [&](double HeadSummary::*share, const std::string& attends) {
      const auto head = std::max_element(attention_.summaries.begin(), attention_.summaries.end(),
                                         [&](const auto& a, const auto& b) { return a.*share < b.*share; });
      return name_of(static_cast<size_t>(head - attention_.summaries.begin())) + attends + " (" +
             percent((*head).*share) + ")";
    };
    return "Of all heads, " + most(&HeadSummary::previous, " attends most to the previous token") + ", " +
           most(&HeadSummary::next, " to the next one") + ", " + most(&HeadSummary::self, " to the token itself") +
           " and " + most(&HeadSummary::special, " to special tokens") + ".";
  }

  void add_main(Page& page) const override {
    const DrawnHeads drawn = drawn_heads();
    if (is_part()) page.section("Some of the tokens", part_sentence(drawn.not_shown));
    page.section(
        "The most telling heads",
        "Those that attend most to the previous token, to the next one, to the token itself and to other words. "
        "The matrix has a row for each query token and a column for each key token: the stronger the colour, the "
        "larger the weight. An arc to the left of the "
        "tokens goes from query to key for each weight of " +
            percent(kMinArcWeight) + " or more, thicker for larger weights.");
    add_legend(page);
    std::vector<Page::Figure> figures;
    for (const auto& [head, shares] : telling_heads()) {
      figures.push_back(
          {name_of(head) + ": " + listed(shares), draw_attention_head(drawn.heads[head], labels_, drawn.full)});
    }
    page.drawings(figures);
    page.drawing(draw_attention_scale(drawn.full));
  }

  void add_details(Page& page) const override {
    const DrawnHeads drawn = drawn_heads();
    page.section("All heads",
                 "Each square is a head, and a link to its own drawing: a row for each query token from top to bottom, "
                 "a column for each key token from left to right. The scale under it is that of all drawings of the "
                 "page, up to " +
                     significant(drawn.full, 3) + ", the largest weight.");
    page.drawing(draw_attention_overview(drawn.heads, attention_.heads, labels_, drawn.full));
    page.section("Entropy of each head", sentence());
    Heatmap map{.title = "Entropy of each head in bits",
                .rows_are = "layer",
                .columns_are = "head",
                .rows = counted(1, layers()),
                .columns = counted(1, attention_.heads),
                .values = {}};
    for (const HeadSummary& head : attention_.summaries) map.values.push_back(head.entropy_bits);
    page.drawing(draw_heatmap(map));
    page.section("Every head",
                 "The pointer on a cell shows its weight, if it is " + percent(kMinTitledWeight, 1) + " or more.");
    add_legend(page);
    page.drawing(draw_attention_scale(drawn.full));
    for (size_t layer = 0; layer < layers(); ++layer) {
      page.section("Layer " + std::to_string(layer + 1) + (is_windowed(layer) ? ", local" : ""), layer_sentence(layer));
      std::vector<Page::Figure> figures;
      for (size_t i = layer * attention_.heads; i < (layer + 1) * attention_.heads; ++i) {
        figures.push_back({"Head " + std::to_string(i % attention_.heads + 1) + ": " + drawn.sentences[i],
                           draw_attention_head(drawn.heads[i], labels_, drawn.full), id_of(i)});
      }
      page.drawings(figures);
    }
  }

 private:
  // The drawn weights of a head: from the queries to each other.
  struct DrawnWeights {
    std::vector<float> weights;     // [queries, queries]
    std::vector<double> not_shown;  // [queries]; empty: all tokens are drawn

    float largest() const { return *std::max_element(weights.begin(), weights.end()); }
    double mean_not_shown() const { return not_shown.empty() ? 0 : analysis::mean(not_shown); }
  };

  // All drawn heads; the weights are stored beside their views.
  struct DrawnHeads {
    std::vector<DrawnWeights> weights;
    std::vector<HeadWeights> heads;
    std::vector<std::string> sentences;
    double full = 0;       // the largest weight
    double not_shown = 0;  // mean over the heads
  };

  DrawnHeads drawn_heads() const {
    DrawnHeads drawn;
    const size_t count = attention_.summaries.size();
    for (size_t i = 0; i < count; ++i) drawn.weights.push_back(drawn_weights(i));
    for (size_t i = 0; i < count; ++i) {
      const DrawnWeights& of = drawn.weights[i];
      drawn.sentences.push_back(head_sentence(i, of));
      drawn.heads.push_back({name_of(i) + ": " + drawn.sentences[i], id_of(i), of.weights, of.not_shown});
      drawn.full = std::max(drawn.full, double{of.largest()});
      drawn.not_shown += of.mean_not_shown() / static_cast<double>(count);
    }
    return drawn;
  }

  static void add_legend(Page& page) {
    page.legend({{Ink::kBlue, "arc to a later token"},
                 {Ink::kOrange, "arc to an earlier token"},
                 {Ink::kGreen, "arc to the token itself"}});
  }

  // Returns notable heads in the order of the layers, each once, with the shares of its attention that make it notable.
  std::map<size_t, std::vector<std::string>> telling_heads() const {
    const std::pair<std::function<double(const HeadSummary&)>, const char*> kinds[] = {
        {[](const HeadSummary& of) { return of.previous; }, "previous"},
        {[](const HeadSummary& of) { return of.next; }, "next"},
        {[](const HeadSummary& of) { return of.self; }, "itself"},
        {[](const HeadSummary& of) { return 1 - of.self - of.previous - of.next - of.special; }, "other words"}};
    std::map<size_t, std::vector<std::string>> heads;
    for (const auto& kind : kinds) {
      const auto& share = kind.first;
      const auto head = std::max_element(attention_.summaries.begin(), attention_.summaries.end(),
                                         [&](const auto& a, const auto& b) { return share(a) < share(b); });
      // Keeps number and sign on one line.
      heads[static_cast<size_t>(head - attention_.summaries.begin())].push_back(
          std::string(kind.second) + " " + fixed(100 * std::max(0.0, share(*head)), 0) + "\u00A0%");
    }
    return heads;
  }

  bool is_part() const { return attention_.queries.size() < attention_.tokens; }
  size_t layers() const { return attention_.summaries.size() / attention_.heads; }
  bool is_windowed(size_t layer) const { return attention_.window && local_layers_[layer]; }

  // Layers and heads count from 1.
  std::string name_of(size_t index) const {
    return "layer " + std::to_string(index / attention_.heads + 1) + " head " +
           std::to_string(index % attention_.heads + 1);
  }

  std::string id_of(size_t index) const {
    return "layer-" + std::to_string(index / attention_.heads + 1) + "-head-" +
           std::to_string(index % attention_.heads + 1);
  }

  DrawnWeights drawn_weights(size_t index) const {
    DrawnWeights drawn;
    const size_t count = attention_.queries.size();
    for (size_t row = 0; row < count; ++row) {
      const std::span<const float> weights =
          std::span(attention_.weights).subspan((index * count + row) * attention_.tokens, attention_.tokens);
      double shown = 0;
      for (const size_t key : attention_.queries) {
        drawn.weights.push_back(weights[key]);
        shown += double{weights[key]};
      }
      if (is_part()) drawn.not_shown.push_back(std::max(0.0, 1 - shown));
    }
    return drawn;
  }

  std::string head_sentence(size_t index, const DrawnWeights& drawn) const {
    return fixed(attention_.summaries[index].entropy_bits, 2) + " bits, largest weight " + fixed(drawn.largest(), 2) +
           (is_part() ? ", " + percent(drawn.mean_not_shown()) + " not shown" : "");
  }

  // Returns "3, 10 to 20 and 25".
  std::string described_queries() const {
    std::vector<std::string> ranges;
    const std::vector<size_t>& queries = attention_.queries;
    for (size_t i = 0, last = 0; i < queries.size(); i = last + 1) {
      last = i;
      while (last + 1 < queries.size() && queries[last + 1] == queries[last] + 1) ++last;
      ranges.push_back(std::to_string(queries[i]) + (last > i ? " to " + std::to_string(queries[last]) : ""));
    }
    return (queries.size() == 1 ? "token " : "tokens ") + listed(ranges);
  }

  std::string part_sentence(double not_shown) const {
    const size_t hidden = attention_.tokens - attention_.queries.size();
    return "The whole text of " + std::to_string(attention_.tokens) +
           " tokens was computed. The drawings have the rows and the columns of its " + described_queries() +
           ", counted from 0. Of these rows' attention, " + percent(not_shown) + " goes to the " +
           (hidden == 1 ? "other token" : std::to_string(hidden) + " other tokens") +
           ", the mean of all heads; the number at the end of each row, “not shown”, is its own sum. Entropy and "
           "shares are those of these rows over all tokens, a largest weight is one of its drawing.";
  }

  Table heads_table() const {
    Table table({{"layer", Align::kRight},
                 {"head", Align::kRight},
                 {"entropy", Align::kRight},
                 {"itself", Align::kRight},
                 {"previous", Align::kRight},
                 {"next", Align::kRight},
                 {"special", Align::kRight}});
    for (size_t i = 0; i < attention_.summaries.size(); ++i) {
      const HeadSummary& head = attention_.summaries[i];
      table.add({std::to_string(i / attention_.heads + 1), std::to_string(i % attention_.heads + 1),
                 fixed(head.entropy_bits, 2), percent(head.self), percent(head.previous), percent(head.next),
                 percent(head.special)});
    }
    return table;
  }

  std::string sentence() const {
    std::vector<double> entropies;
    for (const HeadSummary& head : attention_.summaries) entropies.push_back(head.entropy_bits);
    const auto lowest = std::min_element(entropies.begin(), entropies.end());
    const auto highest = std::max_element(entropies.begin(), entropies.end());
    return (is_part() ? "The queries are " + described_queries() + ", the keys all " +
                            std::to_string(attention_.tokens) + " tokens. "
                      : std::string()) +
           "Entropy is in bits: 0 for all weight on one token, " + fixed(attention_.max_entropy_bits, 2) +
           " for uniform weights" + causal_clause() + window_clause() + ". The mean is " +
           fixed(analysis::mean(entropies), 2) + ", the lowest " + fixed(*lowest, 2) + " (" +
           name_of(static_cast<size_t>(lowest - entropies.begin())) + "), the highest " + fixed(*highest, 2) + " (" +
           name_of(static_cast<size_t>(highest - entropies.begin())) + ").";
  }

  std::string causal_clause() const {
    return attention_.is_causal ? " on what a token sees, itself and those before it" : "";
  }

  std::string window_clause() const {
    if (!attention_.window) return "";
    std::vector<std::string> local;
    for (size_t layer = 0; layer < layers(); ++layer) {
      if (local_layers_[layer]) local.push_back(std::to_string(layer + 1));
    }
    return ", and " + fixed(*attention_.max_local_entropy_bits, 2) +
           (local.size() == 1 ? " in layer " : " in layers ") + listed(local) + ", where a token sees those at most " +
           std::to_string(*attention_.window) + " places away";
  }

  // Returns a sentence about the means over a layer's heads.
  std::string layer_sentence(size_t layer) const {
    HeadSummary sum;
    for (size_t i = layer * attention_.heads; i < (layer + 1) * attention_.heads; ++i) {
      sum.entropy_bits += attention_.summaries[i].entropy_bits / static_cast<double>(attention_.heads);
      sum.self += attention_.summaries[i].self / static_cast<double>(attention_.heads);
      sum.previous += attention_.summaries[i].previous / static_cast<double>(attention_.heads);
      sum.next += attention_.summaries[i].next / static_cast<double>(attention_.heads);
      sum.special += attention_.summaries[i].special / static_cast<double>(attention_.heads);
    }
    return "Of its attention " + percent(sum.self) + " is on the token itself, " + percent(sum.previous) +
           " on the previous token, " + percent(sum.next) + " on the next one and " + percent(sum.special) +
           " on special tokens; the mean entropy is " + fixed(sum.entropy_bits, 2) + " bits.";
  }

  const AttentionSummary& attention_;
  std::vector<std::string> tokens_;  // the drawn tokens
  std::vector<std::string> labels_;  // labels of the drawings' rows and columns
  std::vector<bool> local_layers_;
};

}  // namespace

void check_rows(std::span<const size_t> rows, size_t tokens, const std::string& option) {
  if (rows.size() > kMaxDrawnTokens) {
    throw Error(ErrorCode::kInvalidArgument, option + ": found " + std::to_string(rows.size()) +
                                                 " tokens, expected at most " + std::to_string(kMaxDrawnTokens));
  }
  if (rows.empty() || rows.back() < tokens) return;
  throw Error(ErrorCode::kInvalidArgument, option + ": found token " + std::to_string(rows.back()) +
                                               ", expected tokens from 0 to " + std::to_string(tokens - 1) +
                                               ": the text has " + std::to_string(tokens));
}

std::unique_ptr<Findings> attention_findings(const AttentionSummary& attention, std::vector<std::string> tokens,
                                             std::vector<bool> local_layers) {
  return std::make_unique<AttentionFindings>(attention, std::move(tokens), std::move(local_layers));
}

}  // namespace bert::drawings
