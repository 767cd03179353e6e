// Findings about the words that every layer would predict for a mask.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "program/common/terminal_text.h"
#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

constexpr size_t kLensColumns = 16;

class LensFindings : public Findings {
 public:
  explicit LensFindings(const LayerWords& words) : words_(words) {}

  std::string title() const override { return "The word that each layer would say"; }

  std::string answer() const override {
    std::vector<std::string> masks;
    for (size_t mask = 0; mask < words_.last_word.size(); ++mask) {
      const size_t first = first_layer(mask);
      masks.push_back(last_word(mask) +
                      (first == 0 ? " from the embeddings on" : " from layer " + std::to_string(first) + " on"));
    }
    return "The best word is " + listed(masks) + ".";
  }

  std::string text(const TextStyle& style) const override {
    std::vector<Column> columns = {{"mask", Align::kRight}, {"layer", Align::kRight}};
    for (size_t i = 0; i < best(); ++i) {
      columns.push_back({i == 0 ? "word" : ""});
      columns.push_back({i == 0 ? "score" : "", Align::kRight});
    }
    Table table(columns);
    for (size_t mask = 0; mask < words_.last_word.size(); ++mask) {
      for (size_t layer = 0; layer < words_.words.size(); ++layer) {
        std::vector<std::string> cells = {std::to_string(mask + 1), std::to_string(layer)};
        for (const MaskCandidate& word : words_.words[layer][mask]) {
          cells.push_back(one_line(word.token));
          cells.push_back(fixed(word.score, 4));
        }
        table.add(cells);
      }
    }
    return table.text(style) + "\n" + answer() + " Layer 0 is the embeddings.";
  }

  void add_main(Page& page) const override {
    page.section("The probability of the last layer's word",
                 "Each line is the probability of the word that the last layer says, if the head for masked tokens "
                 "reads the vectors of an earlier layer.");
    LineChart chart{.title = "The probability of the last layer's word, by layer",
                    .x_axis = "layer (0: the embeddings)",
                    .y_axis = "probability",
                    .lines = {},
                    .percent = true};
    for (size_t mask = 0; mask < words_.last_word.size(); ++mask) {
      constexpr Ink kInks[] = {Ink::kBlue, Ink::kOrange, Ink::kGreen, Ink::kGrey};
      chart.lines.push_back({last_word(mask), kInks[mask % std::size(kInks)], words_.last_word[mask]});
    }
    page.drawing(draw_line_chart(chart));
    for (size_t mask = 0; mask < words_.last_word.size(); ++mask) {
      page.section(
          words_.last_word.size() == 1 ? "The best words" : "The best words for mask " + std::to_string(mask + 1),
          "Of every layer, with their probabilities; the stronger the colour, the higher the probability.");
      page.drawing({draw_words(mask, kChartWidth), draw_words(mask, kNarrowWidth)});
    }
  }

 private:
  size_t best() const { return words_.words.front().front().size(); }
  std::string last_word(size_t mask) const { return "“" + one_line(words_.words.back()[mask].front().token) + "”"; }
  // Returns the first layer from which on all layers predict the last layer's word.
  size_t first_layer(size_t mask) const {
    const int32_t last = words_.words.back()[mask].front().id;
    size_t layer = words_.words.size() - 1;
    while (layer > 0 && words_.words[layer - 1][mask].front().id == last) --layer;
    return layer;
  }

  // Words that do not fit side by side continue below.
  std::string draw_words(size_t mask, double width) const {
    const double left = text_width("layer") + kGap, high = kLineHeight + 4, top = kLineHeight + 4;
    const double least = text_width(std::string(kLensColumns + 7, ' '));
    const auto fitting = static_cast<size_t>(std::max(1.0, std::floor((width - left) / least)));
    const size_t columns = std::min(best(), fitting), blocks = (best() + columns - 1) / columns;
    const double cell = std::max(least, std::min(320.0, (width - left) / static_cast<double>(columns)));
    const double block = top + high * static_cast<double>(words_.words.size()) + kGap;
    Drawing drawing(left + cell * static_cast<double>(columns), block * static_cast<double>(blocks) - kGap,
                    "The best words of every layer");
    for (size_t layer = 0; layer < words_.words.size(); ++layer) {
      for (size_t i = 0; i < best(); ++i) {
        const MaskCandidate& word = words_.words[layer][mask][i];
        const double begin = block * static_cast<double>(i / columns),
                     y = begin + top + high * static_cast<double>(layer);
        if (i % columns == 0) {
          if (layer == 0) drawing.text(0, begin + kLineHeight - 4, "layer", Anchor::kStart, Ink::kGrey);
          drawing.text(left - kGap, y + kLineHeight - 2, std::to_string(layer), Anchor::kEnd, Ink::kGrey);
        }
        const double x = left + cell * static_cast<double>(i % columns);
        drawing.rect(x + 1, y + 1, cell - 2, high - 2, Ink::kBlue, 0.04 + 0.46 * word.score);
        drawing.text(x + kGap, y + kLineHeight - 2, label_of(word.token, kLensColumns));
        drawing.text(x + cell - kGap, y + kLineHeight - 2, fixed(word.score, 3), Anchor::kEnd);
      }
    }
    return drawing.svg();
  }

  const LayerWords& words_;
};

}  // namespace

std::unique_ptr<Findings> lens_findings(const LayerWords& words) { return std::make_unique<LensFindings>(words); }

}  // namespace bert::drawings
