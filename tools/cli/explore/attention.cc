// The command attention: the entropy of every head of every layer, and where its weights go.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/attention.h"
#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/explore/text_experiment.h"
#include "tools/cli/results.h"

namespace bert::cli {
namespace {

using analysis::HeadSummary;

class Attention : public TextExperiment {
 public:
  void declare(OptionTable& table) override {
    declare_pair(table, options);
    declare_text_report(table);
  }

  std::string answer() const override {
    const auto most = [&](double HeadSummary::*share, const std::string& attends) {
      const auto head = std::max_element(summaries_.begin(), summaries_.end(),
                                         [&](const auto& a, const auto& b) { return a.*share < b.*share; });
      return name_of(static_cast<size_t>(head - summaries_.begin())) + attends + " (" + percent((*head).*share) + ")";
    };
    return "Of all heads, " + most(&HeadSummary::previous, " attends most to the previous token") + ", " +
           most(&HeadSummary::next, " to the next one") + ", " + most(&HeadSummary::self, " to the token itself") +
           " and " + most(&HeadSummary::special, " to special tokens") + ".";
  }

  void add_to(Page& page) const override {
    page.section("Entropy of each head", sentence());
    Heatmap map{.title = "Entropy of each head in bits",
                .rows_are = "layer",
                .columns_are = "head",
                .rows = counted(1, layers()),
                .columns = counted(0, heads_),
                .values = {}};
    for (const HeadSummary& head : summaries_) map.values.push_back(head.entropy_bits);
    page.drawing(draw_heatmap(map));
    page.section("Every head",
                 "To the right of the tokens are the head's weights: a row for each query token, a column for each key "
                 "token, in the same order; the darkest cell is the largest weight. To the left are arcs, thicker for "
                 "larger weights: from each query token to the other token with its largest weight, and to every other "
                 "token with " +
                     percent(kMinArcWeight) + " or more.");
    page.legend({{Ink::kBlue, "arc to a later token"}, {Ink::kOrange, "arc to an earlier token"}});
    for (size_t layer = 0; layer < layers(); ++layer) {
      page.section("Layer " + std::to_string(layer + 1) + (is_windowed(layer) ? ", local" : ""), layer_sentence(layer));
      std::vector<std::pair<std::string, std::string>> heads;
      for (size_t i = layer * heads_; i < (layer + 1) * heads_; ++i) {
        const AttentionHead drawn{name_of(i), tokens_, weights_.data() + i * tokens_.size() * tokens_.size()};
        const float largest = *std::max_element(drawn.weights, drawn.weights + tokens_.size() * tokens_.size());
        heads.emplace_back("Head " + std::to_string(i % heads_) + ": " + fixed(summaries_[i].entropy_bits, 2) +
                               " bits, largest weight " + fixed(largest, 2),
                           draw_attention_head(drawn));
      }
      page.drawings(heads);
    }
  }

 private:
  void compute(const Model& model, const Sequence& sequence, Console&) override {
    const TokenSequence view = model.sequence(sequence.encoding);
    weights_ = model.encode({&view, 1}, {.attentions = true}).front().attentions;
    heads_ = model.config().num_attention_heads;
    local_layers_ = model.config().local_layers;
    window_ = window_within(model.config(), tokens_.size());
    const size_t size = tokens_.size() * tokens_.size();
    for (size_t at = 0; at < weights_.size(); at += size) {
      summaries_.push_back(analysis::summarize_head(std::span<const float>(weights_).subspan(at, size),
                                                    sequence.encoding.special_tokens_mask, tokens_.size()));
    }
  }

  std::string title() const override { return "Attention heads"; }
  std::string text(const TextStyle& style) const override { return heads_table().text(style) + "\n" + sentence(); }

  size_t layers() const { return summaries_.size() / heads_; }
  double max_entropy() const { return std::log2(static_cast<double>(tokens_.size())); }

  // The entropy of uniform weights on the tokens that a token of a local layer sees; the mean of all tokens.
  double max_local_entropy() const {
    double sum = 0;
    for (size_t query = 0; query < tokens_.size(); ++query) {
      const size_t before = std::min(query, *window_), after = std::min(tokens_.size() - 1 - query, *window_);
      sum += std::log2(static_cast<double>(before + 1 + after));
    }
    return sum / static_cast<double>(tokens_.size());
  }
  bool is_windowed(size_t layer) const { return window_ && local_layers_[layer]; }

  // Layers count from 1; heads from 0, like their rows in the checkpoint.
  std::string name_of(size_t index) const {
    return "layer " + std::to_string(index / heads_ + 1) + " head " + std::to_string(index % heads_);
  }

  Table heads_table() const {
    Table table({{"layer", Align::kRight},
                 {"head", Align::kRight},
                 {"entropy", Align::kRight},
                 {"itself", Align::kRight},
                 {"previous", Align::kRight},
                 {"next", Align::kRight},
                 {"special", Align::kRight}});
    for (size_t i = 0; i < summaries_.size(); ++i) {
      const HeadSummary& head = summaries_[i];
      table.add({std::to_string(i / heads_ + 1), std::to_string(i % heads_), fixed(head.entropy_bits, 2),
                 percent(head.self), percent(head.previous), percent(head.next), percent(head.special)});
    }
    return table;
  }

  std::string sentence() const {
    std::vector<double> entropies;
    for (const HeadSummary& head : summaries_) entropies.push_back(head.entropy_bits);
    const auto lowest = std::min_element(entropies.begin(), entropies.end());
    const auto highest = std::max_element(entropies.begin(), entropies.end());
    return "Entropy is in bits: 0 for all weight on one token, " + fixed(max_entropy(), 2) + " for uniform weights" +
           window_clause() + ". The mean is " + fixed(analysis::mean(entropies), 2) + ", the lowest " +
           fixed(*lowest, 2) + " (" + name_of(static_cast<size_t>(lowest - entropies.begin())) + "), the highest " +
           fixed(*highest, 2) + " (" + name_of(static_cast<size_t>(highest - entropies.begin())) + ").";
  }

  std::string window_clause() const {
    if (!window_) return "";
    std::vector<std::string> local;
    for (size_t layer = 0; layer < layers(); ++layer) {
      if (local_layers_[layer]) local.push_back(std::to_string(layer + 1));
    }
    return ", and " + fixed(max_local_entropy(), 2) + (local.size() == 1 ? " in layer " : " in layers ") +
           listed(local) + ", where a token sees those at most " + std::to_string(*window_) + " places away";
  }

  std::string json(const Sequence& sequence, const Model& model) const override {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    object.number("max_entropy", max_entropy());
    if (window_) {
      object.number("window", *window_);
      object.number("max_local_entropy", max_local_entropy());
    }
    const auto add = [&](const char* name, double HeadSummary::*value) {
      std::string& rows = object.member(name);
      for (size_t i = 0; i < summaries_.size(); ++i) {
        rows += i == 0 ? "[[" : i % heads_ == 0 ? "],[" : ",";
        append_number(rows, summaries_[i].*value);
      }
      rows += "]]";
    };
    add("entropy", &HeadSummary::entropy_bits);
    add("self", &HeadSummary::self);
    add("previous", &HeadSummary::previous);
    add("next", &HeadSummary::next);
    add("special", &HeadSummary::special);
    return object.take();
  }

  // The means over a layer's heads.
  std::string layer_sentence(size_t layer) const {
    HeadSummary sum;
    for (size_t i = layer * heads_; i < (layer + 1) * heads_; ++i) {
      sum.entropy_bits += summaries_[i].entropy_bits / static_cast<double>(heads_);
      sum.self += summaries_[i].self / static_cast<double>(heads_);
      sum.previous += summaries_[i].previous / static_cast<double>(heads_);
      sum.next += summaries_[i].next / static_cast<double>(heads_);
      sum.special += summaries_[i].special / static_cast<double>(heads_);
    }
    return "Of its attention " + percent(sum.self) + " is on the token itself, " + percent(sum.previous) +
           " on the previous token, " + percent(sum.next) + " on the next one and " + percent(sum.special) +
           " on special tokens; the mean entropy is " + fixed(sum.entropy_bits, 2) + " bits.";
  }

  std::vector<float> weights_;          // [layers, heads, tokens, tokens]
  std::vector<HeadSummary> summaries_;  // [layers, heads]
  size_t heads_ = 1;
  std::vector<bool> local_layers_;
  std::optional<size_t> window_;  // of the local layers, if it hides tokens of this text from each other
};

}  // namespace

std::unique_ptr<TextExperiment> make_attention_experiment() { return std::make_unique<Attention>(); }
std::unique_ptr<Command> make_attention() { return make_attention_experiment(); }

}  // namespace bert::cli
