// Findings about what another order of a text's tokens changes, with positions and without.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/joined.h"
#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

constexpr size_t kTextColumns = 72;

class OrderFindings : public Findings {
 public:
  OrderFindings(const OrderComparison& comparison, std::vector<std::string> tokens)
      : comparison_(comparison), tokens_(std::move(tokens)) {}

  std::string title() const override { return "The same tokens in another order"; }

  std::string text(const TextStyle& style) const override {
    return orders_table().text(style) + "\nmean by layer\n" + layers_table().text(style) + "\n" + sentence();
  }

  std::string answer() const override {
    return "Another order moves the tokens by " + percent(comparison_.moved_by_layer.back()) +
           " of their norm on average; without positions, " +
           (comparison_.is_causal ? "what a token sees, those before it, still distinguishes orders."
            : comparison_.window  ? "only the windows distinguish orders."
                                  : "only rounding would differ.");
  }

  void add_main(Page& page) const override {
    page.section("With positions and without",
                 "The distance of the last layer's vectors from those in the original order, relative to their norm. " +
                     without_sentence());
    page.legend({{Ink::kBlue, "with positions"}, {Ink::kOrange, sees_all() ? "without: too small to see" : "without"}});
    BarChart bars{.title = "How far tokens move in another order, with positions and without", .rows = {}};
    for (const OrderEffect& order : comparison_.effects) {
      bars.rows.push_back(
          {name_of(order), {{order.moved_by_layer.back(), Ink::kBlue}}, fixed(order.moved_by_layer.back(), 3)});
      bars.rows.push_back({"without",
                           {{order.moved_by_layer_without.back(), Ink::kOrange}},
                           significant(order.moved_by_layer_without.back(), 2)});
    }
    page.drawing(draw_bar_chart(bars));
  }

  void add_details(Page& page) const override {
    page.section("By order", "The new orders, and their effects.");
    page.table(orders_table());
    page.section("By layer", "The same for each layer, the mean of all orders. Layer 0 is the embeddings.");
    page.drawing(draw_line_chart({.title = "How far tokens move in another order, by layer",
                                  .x_axis = "layer",
                                  .y_axis = "distance / norm",
                                  .lines = {{"with positions", Ink::kBlue, comparison_.moved_by_layer},
                                            {"without", Ink::kOrange, comparison_.moved_by_layer_without}}}));
    page.section("By token", "With positions, in the last layer, for each order.");
    Heatmap map{.title = "How far each token moves in each order",
                .rows_are = "token",
                .columns_are = "order",
                .rows = distinct_labels(tokens_),
                .columns = {},
                .values = {}};
    for (const OrderEffect& order : comparison_.effects) map.columns.push_back(name_of(order));
    for (size_t t = 0; t < tokens_.size(); ++t) {
      for (const OrderEffect& order : comparison_.effects) map.values.push_back(order.moved[t]);
    }
    page.drawing(draw_heatmap(map));
  }

 private:
  // Returns whether every token sees every other token in each layer.
  bool sees_all() const { return !comparison_.window && !comparison_.is_causal; }

  std::string name_of(const OrderEffect& order) const {
    return order_name(comparison_, static_cast<size_t>(&order - comparison_.effects.data()));
  }

  // Returns the tokens in their new order.
  std::string text_of(const OrderEffect& order) const {
    return label_of(joined(order.order, " ", [&](size_t token) { return tokens_[token]; }), kTextColumns);
  }

  Table orders_table() const {
    Table table({{"order"},
                 {"moved", Align::kRight},
                 {"cosine", Align::kRight},
                 {"without positions: moved", Align::kRight},
                 {"largest difference", Align::kRight},
                 {"same key order", Align::kRight},
                 {"text"}});
    for (const OrderEffect& order : comparison_.effects) {
      table.add({name_of(order), fixed(order.moved_by_layer.back(), 3), fixed(order.embedding_cosine, 3),
                 significant(order.moved_by_layer_without.back(), 2), significant(order.largest_difference_without, 2),
                 !sees_all() ? "–" : significant(*order.largest_difference_in_one_key_order, 2), text_of(order)});
    }
    return table;
  }

  Table layers_table() const {
    Table table({{"layer", Align::kRight}, {"moved", Align::kRight}, {"without positions", Align::kRight}});
    const std::vector<double> with = comparison_.moved_by_layer, without = comparison_.moved_by_layer_without;
    for (size_t layer = 0; layer < with.size(); ++layer) {
      table.add({std::to_string(layer), fixed(with[layer], 3), significant(without[layer], 2)});
    }
    return table;
  }

  std::string sentence() const {
    return "With positions, another order moves the tokens by " + percent(comparison_.moved_by_layer.back()) +
           " of their norm on average. " + without_sentence();
  }

  std::string without_sentence() const {
    if (comparison_.is_causal) {
      return std::string("Without positions a token still sees those before it only, so another order moves the ") +
             "tokens by " + percent(comparison_.moved_by_layer_without.back()) + ".";
    }
    if (comparison_.window) {
      return "Without positions the windows remain: in a local layer a token sees those at most " +
             std::to_string(*comparison_.window) + " places away, so another order still moves the tokens by " +
             percent(comparison_.moved_by_layer_without.back()) + ". A text of at most " +
             std::to_string(*comparison_.window + 1) + " tokens would be a bag of words.";
    }
    double rounding = 0, exact = 0;
    for (const OrderEffect& order : comparison_.effects) {
      rounding = std::max(rounding, order.largest_difference_without);
      exact = std::max(exact, *order.largest_difference_in_one_key_order);
    }
    return "Without positions, only rounding differs (at most " + significant(rounding, 2) +
           "), because attention sums over the keys in the order of the tokens. With the same order of the keys, " +
           (exact == 0 ? "the outputs are identical: without positions, self-attention sees a bag of words."
                       : "the largest difference is " + significant(exact, 2) + ".");
  }

  const OrderComparison& comparison_;
  std::vector<std::string> tokens_;
};

}  // namespace

std::string order_name(const OrderComparison& comparison, size_t index) {
  switch (comparison.effects[index].reordering) {
    case Reordering::kReversed:
      return "reversed";
    case Reordering::kNeighboursSwapped:
      return "neighbours swapped";
    case Reordering::kShuffled:
      break;
  }
  return "shuffled " + std::to_string(index - 1);
}

std::unique_ptr<Findings> order_findings(const OrderComparison& comparison, std::vector<std::string> tokens) {
  return std::make_unique<OrderFindings>(comparison, std::move(tokens));
}

}  // namespace bert::drawings
