#include "program/drawings/attention_drawings.h"

#include <algorithm>
#include <cmath>

#include "program/common/table.h"
#include "program/drawings/charts.h"

namespace bert::drawings {
namespace {

constexpr size_t kTokenColumns = 12;
constexpr size_t kNumberColumns = 4;  // more if tokens have their numbers before them
constexpr char kNotShown[] = "not shown";
// The overview is at most this high, so that it fits on a screen.
constexpr double kOverviewHeight = 520;

std::vector<std::string> short_labels(const std::vector<std::string>& tokens, size_t columns) {
  std::vector<std::string> labels;
  for (const std::string& token : tokens) labels.push_back(label_of(token, columns));
  return labels;
}

double widest(const std::vector<std::string>& labels, const std::string& at_least) {
  double width = text_width(at_least);
  for (const std::string& label : labels) width = std::max(width, text_width(label));
  return width;
}

std::vector<uint8_t> shades_of(std::span<const float> values, double full) {
  std::vector<uint8_t> shades;
  for (const float value : values) {
    shades.push_back(static_cast<uint8_t>(std::lround(255 * std::clamp(double{value} / full, 0.0, 1.0))));
  }
  return shades;
}

void frame(Drawing& drawing, const Box& box) {
  drawing.stroke("M" + coordinate(box.x) + " " + coordinate(box.y) + "h" + coordinate(box.width) + "v" +
                     coordinate(box.height) + "h" + coordinate(-box.width) + "z",
                 Ink::kGrid, 1);
}

// Draws an arc from x, the right edge of the arcs' room, which is x wide.
void draw_arc(Drawing& drawing, double x, double from, double to, double widest_arc, double weight) {
  const Ink ink = to == from ? Ink::kGreen : to < from ? Ink::kOrange : Ink::kBlue;
  const double spread = to == from ? 6 : 0;
  // The farther apart the tokens, the wider the arc; the widest arc reaches the edge.
  const double reach = to == from ? 10 : std::max(14.0, x * std::abs(to - from) / widest_arc);
  const double bend = x - 4.0 / 3.0 * reach * 0.97;
  drawing.stroke("M" + coordinate(x) + " " + coordinate(from - spread) + "C" + coordinate(bend) + " " +
                     coordinate(from - spread) + " " + coordinate(bend) + " " + coordinate(to + spread) + " " +
                     coordinate(x) + " " + coordinate(to + spread),
                 ink, 0.5 + 2.5 * weight, 0.25 + 0.75 * weight);
}

std::string overview(const std::vector<HeadWeights>& heads, size_t heads_in_layer, size_t tokens, double full,
                     double width) {
  const size_t layers = heads.size() / heads_in_layer;
  const double left = text_width("layer") + kGap, top = 2 * kLineHeight + 4;
  const double side = std::max(16.0, std::min(std::floor(kOverviewHeight / static_cast<double>(layers)),
                                              std::floor((width - left) / static_cast<double>(heads_in_layer))));
  const double bottom = top + side * static_cast<double>(layers);
  Drawing drawing(std::max(width, left + side * static_cast<double>(heads_in_layer)), bottom + 3 * kLineHeight,
                  "All heads of all layers");
  drawing.text(left, kLineHeight - 4, "head", Anchor::kStart, Ink::kGrey);
  drawing.text(0, 2 * kLineHeight - 2, "layer", Anchor::kStart, Ink::kGrey);
  const size_t step = side < 2 * kLetterWidth + 4 ? 2 : 1;  // numbers have two digits
  for (size_t head = 0; head < heads_in_layer; head += step) {
    drawing.text(left + side * (static_cast<double>(head) + 0.5), 2 * kLineHeight - 2, std::to_string(head + 1),
                 Anchor::kMiddle, Ink::kGrey);
  }
  const size_t rows_step = side < kLineHeight ? 2 : 1;
  for (size_t layer = 0; layer < layers; layer += rows_step) {
    drawing.text(left - kGap, top + side * (static_cast<double>(layer) + 0.5) + 5, std::to_string(layer + 1),
                 Anchor::kEnd, Ink::kGrey);
  }
  for (size_t i = 0; i < heads.size(); ++i) {
    const Box box{left + side * static_cast<double>(i % heads_in_layer) + 1,
                  top + side * static_cast<double>(i / heads_in_layer) + 1, side - 3, side - 3};
    drawing.begin_link(heads[i].id, heads[i].name);
    drawing.picture(box, shades_of(heads[i].values, full), tokens, Ink::kBlue);
    frame(drawing, box);
    drawing.end_link();
  }
  draw_color_scale(drawing, left, bottom + kLineHeight, 0, full);
  return drawing.svg();
}

}  // namespace

Picture draw_attention_overview(const std::vector<HeadWeights>& heads, size_t heads_in_layer,
                                const std::vector<std::string>& tokens, double full) {
  return {overview(heads, heads_in_layer, tokens.size(), full, kChartWidth),
          overview(heads, heads_in_layer, tokens.size(), full, kNarrowWidth)};
}

std::string draw_attention_head(const HeadWeights& head, const std::vector<std::string>& tokens, double full) {
  const bool is_part = !head.not_shown.empty();
  const std::vector<std::string> labels = short_labels(tokens, kTokenColumns + (is_part ? kNumberColumns : 0));
  const size_t count = tokens.size();
  const double cell = kLineHeight, arcs = 70, side = cell * static_cast<double>(count);
  const double left = arcs + kGap + widest(labels, "query") + kGap,
               top = widest(labels, is_part ? kNotShown : "") + kLineHeight + kGap;
  const double sums = is_part ? kGap + text_width("100 %") : 0;
  Drawing drawing(left + std::max(side + sums, text_width("key")) + 2, top + side + 2, head.name);
  drawing.text(left, kLineHeight - 4, "key", Anchor::kStart, Ink::kGrey);
  drawing.text(left - kGap, top - kGap / 2, "query", Anchor::kEnd, Ink::kGrey);
  for (size_t key = 0; key < count; ++key) {
    drawing.vertical_text(left + cell * (static_cast<double>(key) + 0.5) + 5, top - kGap / 2, labels[key]);
  }
  if (is_part) drawing.vertical_text(left + side + sums - 4, top - kGap / 2, kNotShown, Ink::kGrey);
  const auto middle = [&](size_t token) { return top + cell * (static_cast<double>(token) + 0.5); };
  for (size_t query = 0; query < count; ++query) {
    drawing.text(left - kGap, middle(query) + 5, labels[query], Anchor::kEnd);
    if (is_part) {
      drawing.text(left + side + sums, middle(query) + 5, common::fixed(100 * head.not_shown[query], 0) + " %",
                   Anchor::kEnd, Ink::kGrey);
    }
    for (size_t key = 0; key < count; ++key) {
      const double weight = head.values[query * count + key];
      if (weight >= kMinArcWeight) draw_arc(drawing, arcs, middle(query), middle(key), side - cell, weight);
    }
  }
  const Box box{left, top, side, side};
  drawing.picture(box, shades_of(head.values, full), count, Ink::kBlue);
  frame(drawing, box);
  drawing.cell_titles(box, labels, labels, head.values, kMinTitledWeight);
  return drawing.svg();
}

std::string draw_attention_scale(double full) {
  Drawing drawing(kColorScaleWidth / 2 + text_width("weight") + 2 * kGap, 2 * kLineHeight + 4,
                  "The scale of the weights");
  draw_color_scale(drawing, 0, 4, 0, full);
  drawing.text(kColorScaleWidth / 2 + kGap, kLineHeight - 4, "weight", Anchor::kStart, Ink::kGrey);
  return drawing.svg();
}

}  // namespace bert::drawings
