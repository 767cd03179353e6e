// The command order: the same tokens in other orders, with positions and without, and how far that moves the outputs.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "bert/experiments.h"
#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/explore/text_experiment.h"
#include "tools/cli/results.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {
namespace {

constexpr size_t kMostShuffles = 1000;

class OrderExperiment : public TextExperiment {
 public:
  void declare(OptionTable& table) override {
    declare_text_report(table);
    table.begin_group("Orders");
    table.number("--shuffles", shuffles_,
                 "random orders, next to the reversed one and the one with neighbours swapped (default: " +
                     std::to_string(OrderOptions().shuffles) + ", all different)",
                 0, kMostShuffles);
    table.number("--seed", seed_, "of the random orders (default: 1)");
  }

  int run(Console& console) override {
    if (options.positions.kind == Positions::kNone) {
      throw UsageError("--positions none: order compares a model with positions to the same model without");
    }
    return TextExperiment::run(console);
  }

  std::string answer() const override {
    return "Another order moves the tokens by " + percent(comparison_.moved_by_layer.back()) +
           " of their norm on average; without positions, " +
           (comparison_.window ? "only the windows distinguish orders." : "only rounding would differ.");
  }

  void add_to(Page& page) const override {
    page.section("With positions and without",
                 "The distance of the last layer's vectors from those in the original order, relative to their norm. " +
                     sentence());
    page.legend(
        {{Ink::kBlue, "with positions"}, {Ink::kOrange, comparison_.window ? "without" : "without: too small to see"}});
    BarChart bars{.title = "How far tokens move in another order, with positions and without", .rows = {}};
    for (const OrderEffect& order : comparison_.effects) {
      bars.rows.push_back(
          {name_of(order), {{order.moved_by_layer.back(), Ink::kBlue}}, fixed(order.moved_by_layer.back(), 3)});
      bars.rows.push_back({"without",
                           {{order.moved_by_layer_without.back(), Ink::kOrange}},
                           significant(order.moved_by_layer_without.back(), 2)});
    }
    page.drawing(draw_bar_chart(bars));
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
                .rows = tokens_,
                .columns = {},
                .values = {}};
    for (const OrderEffect& order : comparison_.effects) map.columns.push_back(name_of(order));
    for (size_t t = 0; t < tokens_.size(); ++t) {
      for (const OrderEffect& order : comparison_.effects) map.values.push_back(order.moved[t]);
    }
    page.drawing(draw_heatmap(map));
  }

 private:
  void compute(const Model& model, const Sequence& sequence, Console& console) override {
    if (model.config().position_embedding_type == "none") {
      throw InputError("the model has no positions: order compares a model with positions to the same model without");
    }
    const Model without_positions = open_model(options, {Positions::kNone, PositionsAt::kInput});
    OrderOptions order;
    order.shuffles = shuffles_.value_or(order.shuffles);
    order.seed = seed_.value_or(order.seed);
    comparison_ = compare_orders(model, without_positions, sequence.encoding, order);
    const size_t found = comparison_.effects.size() - 2;  // besides the reversed one and that with neighbours swapped
    if (shuffles_ && found < *shuffles_) {
      console.note("--shuffles " + std::to_string(*shuffles_) + ": the text has " + std::to_string(found) +
                   " orders besides its own, the reversed and the one with neighbours swapped");
    }
  }

  std::string title() const override { return "The same tokens in another order"; }

  std::string text(const TextStyle& style) const override {
    return orders_table().text(style) + "\nmean by layer\n" + layers_table().text(style) + "\n" + sentence();
  }

  std::string name_of(const OrderEffect& order) const {
    switch (order.reordering) {
      case Reordering::kReversed:
        return "reversed";
      case Reordering::kNeighboursSwapped:
        return "neighbours swapped";
      case Reordering::kShuffled:
        break;
    }
    return "shuffled " + std::to_string(&order - &comparison_.effects[1]);
  }

  Table orders_table() const {
    Table table({{"order"},
                 {"moved", Align::kRight},
                 {"cosine", Align::kRight},
                 {"without positions: moved", Align::kRight},
                 {"largest difference", Align::kRight},
                 {"same key order", Align::kRight}});
    for (const OrderEffect& order : comparison_.effects) {
      table.add({name_of(order), fixed(order.moved_by_layer.back(), 3), fixed(order.embedding_cosine, 3),
                 significant(order.moved_by_layer_without.back(), 2), significant(order.largest_difference_without, 2),
                 comparison_.window ? "–" : significant(*order.largest_difference_in_one_key_order, 2)});
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
    const std::string with_positions = "With positions, another order moves the tokens by " +
                                       percent(comparison_.moved_by_layer.back()) + " of their norm on average. ";
    if (comparison_.window) {
      return with_positions + "Without positions the windows remain: in a local layer a token sees those at most " +
             std::to_string(*comparison_.window) + " places away, so another order still moves the tokens by " +
             percent(comparison_.moved_by_layer_without.back()) + ". A text of at most " +
             std::to_string(*comparison_.window + 1) + " tokens would be a bag of words.";
    }
    double rounding = 0, exact = 0;
    for (const OrderEffect& order : comparison_.effects) {
      rounding = std::max(rounding, order.largest_difference_without);
      exact = std::max(exact, *order.largest_difference_in_one_key_order);
    }
    return with_positions + "Without positions, only rounding differs (at most " + significant(rounding, 2) +
           "), because attention sums over the keys in the order of the tokens. With the same order of the keys, " +
           (exact == 0 ? "the outputs are identical: without positions, self-attention sees a bag of words."
                       : "the largest difference is " + significant(exact, 2) + ".");
  }

  std::string json(const Sequence& sequence, const Model& model) const override {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    std::string& list = object.member("orders");
    for (const OrderEffect& order : comparison_.effects) {
      JsonWriter one;
      one.string("name", name_of(order));
      one.numbers<size_t>("order", order.order);
      one.number("moved", order.moved_by_layer.back());
      one.numbers<double>("moved_tokens", order.moved);
      one.number("embedding_cosine", order.embedding_cosine);
      JsonWriter without;
      without.number("moved", order.moved_by_layer_without.back());
      without.number("largest_difference", order.largest_difference_without);
      if (order.largest_difference_in_one_key_order) {
        without.number("largest_difference_in_one_key_order", *order.largest_difference_in_one_key_order);
      } else {
        without.member("largest_difference_in_one_key_order") += "null";
      }
      one.member("without_positions") += without.take();
      list += (&order == &comparison_.effects.front() ? "[" : ",") + one.take();
    }
    list += ']';
    object.numbers<double>("moved_by_layer", comparison_.moved_by_layer);
    object.numbers<double>("moved_by_layer_without_positions", comparison_.moved_by_layer_without);
    return object.take();
  }

  std::optional<size_t> shuffles_;
  std::optional<size_t> seed_;
  OrderComparison comparison_;
};

}  // namespace

std::unique_ptr<TextExperiment> make_order_experiment() { return std::make_unique<OrderExperiment>(); }
std::unique_ptr<Command> make_order() { return make_order_experiment(); }

}  // namespace bert::cli
