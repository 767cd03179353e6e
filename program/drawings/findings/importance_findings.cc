// Findings about what an answer loses without each attention head.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

constexpr int kLossDecimals = 4;
constexpr double kLeastShown = 0.5e-4;

class ImportanceFindings : public Findings {
 public:
  ImportanceFindings(const HeadImportance& importance, Ablation ablation)
      : importance_(importance), ablation_(ablation), shown_(importance.loss) {
    for (double& loss : shown_) {
      if (std::abs(loss) < kLeastShown) loss = 0;  // avoids "-0.0000"
    }
  }

  std::string title() const override { return "What the answer loses without each head"; }
  std::string answer() const override {
    const auto most = std::max_element(importance_.loss.begin(), importance_.loss.end());
    return "Without the outputs of head " + name_of(static_cast<size_t>(most - importance_.loss.begin())) + " " +
           importance_.answer + " falls the most, from " + fixed(importance_.whole, kLossDecimals) + " to " +
           fixed(importance_.whole - *most, kLossDecimals) + ".";
  }

  std::string text(const TextStyle& style) const override {
    std::vector<Column> columns = {{"layer", Align::kRight}};
    for (size_t head = 0; head < importance_.heads; ++head) columns.push_back({std::to_string(head), Align::kRight});
    Table table(columns);
    for (size_t at = 0; at < importance_.loss.size(); at += importance_.heads) {
      std::vector<std::string> cells = {std::to_string(at / importance_.heads)};
      for (size_t head = 0; head < importance_.heads; ++head) cells.push_back(fixed(shown_[at + head], kLossDecimals));
      table.add(cells);
    }
    return "what " + importance_.answer + " loses without each head\n" + table.text(style) + "\n" + sentence();
  }

  void add_main(Page& page) const override {
    page.section("Every head", definition());
    page.drawing(draw_heatmap({.title = "What the answer loses without each head",
                               .rows_are = "layer",
                               .columns_are = "head",
                               .rows = counted(0, importance_.loss.size() / importance_.heads),
                               .columns = counted(0, importance_.heads),
                               .values = shown_,
                               .decimals = kLossDecimals}));
  }

 private:
  std::string name_of(size_t index) const {
    return std::to_string(index / importance_.heads) + "." + std::to_string(index % importance_.heads);
  }
  std::string sentence() const { return answer() + " " + definition(); }
  std::string definition() const {
    return std::string("A number is that answer minus the one with ") +
           (ablation_ == Ablation::kZero ? "zeros" : "their mean over the tokens") +
           " in place of the head's outputs; below 0 the answer rises. Layers and heads count from 0, as in "
           "--without-heads.";
  }

  const HeadImportance& importance_;
  const Ablation ablation_;
  std::vector<double> shown_;
};

}  // namespace

std::unique_ptr<Findings> importance_findings(const HeadImportance& importance, Ablation ablation) {
  return std::make_unique<ImportanceFindings>(importance, ablation);
}

}  // namespace bert::drawings
