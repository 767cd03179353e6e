// The command order: computes a text's tokens in other orders, with positions and without, and how far the outputs
// move.
#include <memory>
#include <optional>
#include <string>

#include "bert/experiments.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/explore/text_experiment.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"

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
    table.number("--seed", seed_, "the seed of the random orders (default: 1)");
  }

  int run(Console& console) override {
    if (options.positions.kind == Positions::kNone) {
      throw UsageError("--positions none: order compares a model with positions to the same model without");
    }
    return TextExperiment::run(console);
  }

 private:
  std::unique_ptr<Findings> compute(const Model& model, const Sequence& sequence, Console& console) override {
    if (model.config().position_embedding_type == "none") {
      throw InputError("the model has no positions: order compares a model with positions to the same model without");
    }
    LoadOptions load = options.load_options();
    load.positions = {Positions::kNone, PositionsAt::kInput};
    const Model without_positions = open_model(options.model, load);
    OrderOptions order;
    order.shuffles = shuffles_.value_or(order.shuffles);
    order.seed = seed_.value_or(order.seed);
    comparison_ = compare_orders(model, without_positions, sequence.tokens.encoding, order);
    const size_t found = comparison_.effects.size() - 2;  // besides the reversed order and the one with swapped
                                                          // neighbours
    if (shuffles_ && found < *shuffles_) {
      console.note("--shuffles " + std::to_string(*shuffles_) + ": the text has " + std::to_string(found) +
                   " orders besides its own, the reversed and the one with neighbours swapped");
    }
    return order_findings(comparison_,
                          shown_tokens(sequence.tokens.encoding, sequence.input.text, sequence.input.pair, model));
  }

  std::string json(const Sequence& sequence, const Model& model) const override {
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model);
    std::string& list = object.member("orders");
    for (size_t i = 0; i < comparison_.effects.size(); ++i) {
      const OrderEffect& order = comparison_.effects[i];
      JsonWriter one;
      one.string("name", order_name(comparison_, i));
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
      list += (i == 0 ? "[" : ",") + one.take();
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
