// The command order: the same tokens in other orders, with positions and without, and how far that moves the outputs.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/explore/text_experiment.h"
#include "tools/cli/results.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {
namespace {

constexpr size_t kShuffles = 3;
constexpr size_t kMostShuffles = 1000;

// Where each token of the new order comes from.
using Permutation = std::vector<size_t>;

// One other order and its effect on the outputs. "Moved" is the distance of a token's vector from its vector in the
// original order, relative to the norm there.
struct Order {
  std::string name;
  Permutation from;
  std::vector<double> moved;          // with positions: by layer, the mean of the tokens
  std::vector<double> moved_tokens;   // with positions: in the last layer, by token of the original order
  double embedding_cosine = 0;        // with positions: of the mean vectors of all tokens
  std::vector<double> moved_without;  // without positions: by layer, the mean of the tokens
  double largest_without = 0;         // without positions: largest difference of two numbers of the last layer
  // The same if attention sums over the keys in one order for both; nullopt where windows hide keys.
  std::optional<double> largest_in_one_key_order;
};

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const Permutation& from) {
  std::vector<T> result;
  for (const size_t index : from) result.push_back(values[index]);
  return result;
}

EncodedSequence encode_one(const Model& model, const Encoding& tokens) {
  const TokenSequence view = model.sequence(tokens);
  return model.encode({&view, 1}, {.hidden_states = true}).front();
}

Encoding reordered(const Encoding& encoding, const Permutation& from) {
  Encoding result;
  result.ids = permuted(encoding.ids, from);
  result.type_ids = permuted(encoding.type_ids, from);
  result.attention_mask = permuted(encoding.attention_mask, from);
  return result;
}

// The last layer, computed for the tokens sorted by id and segment, with its rows in the order of `encoding` again:
// attention sums over the keys in the same order for every order of the tokens.   [tokens, hidden]
std::vector<float> encode_sorted(const Model& model, const Encoding& encoding) {
  Permutation sorted(encoding.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
    return std::pair(encoding.ids[a], encoding.type_ids[a]) < std::pair(encoding.ids[b], encoding.type_ids[b]);
  });
  const EncodedSequence encoded = encode_one(model, reordered(encoding, sorted));
  std::vector<float> rows(encoded.last_hidden_state.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    std::copy_n(encoded.last_hidden_state.data() + i * encoded.hidden, encoded.hidden,
                rows.data() + sorted[i] * encoded.hidden);
  }
  return rows;
}

// The largest difference of two numbers of a token's vector in the original and in the other order.
double largest_difference(const analysis::Rows& original, const analysis::Rows& other, const Permutation& from) {
  double largest = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    for (size_t c = 0; c < original.width; ++c) {
      largest = std::max(largest, std::abs(double{original[from[i]][c]} - double{other[i][c]}));
    }
  }
  return largest;
}

// By token of the original order.
std::vector<double> distances(const analysis::Rows& original, const analysis::Rows& other, const Permutation& from) {
  std::vector<double> moved(from.size());
  for (size_t i = 0; i < from.size(); ++i) moved[from[i]] = analysis::relative_distance(original[from[i]], other[i]);
  return moved;
}

// The tokens in another order. Two orders of a text with equal tokens can be the same.
using TokenOrder = std::vector<std::pair<int32_t, int32_t>>;  // id and segment

TokenOrder token_order(const Encoding& encoding, const Permutation& from) {
  TokenOrder tokens;
  for (const size_t t : from) tokens.emplace_back(encoding.ids[t], encoding.type_ids[t]);
  return tokens;
}

// How many orders these tokens have: n! / (a! b! …) with a, b, … the counts of equal tokens; `most` if there are more.
size_t count_orders(TokenOrder tokens, size_t most) {
  std::sort(tokens.begin(), tokens.end());
  double orders = 1;
  for (size_t i = 0, equal = 0; i < tokens.size() && orders <= static_cast<double>(most); ++i) {
    equal = i > 0 && tokens[i] == tokens[i - 1] ? equal + 1 : 1;
    orders *= static_cast<double>(i + 1) / static_cast<double>(equal);
  }
  return std::min(most, static_cast<size_t>(std::llround(std::min(orders, static_cast<double>(most)))));
}

class OrderExperiment : public TextExperiment {
 public:
  void declare(OptionTable& table) override {
    declare_text_report(table);
    table.begin_group("Orders");
    table.number("--shuffles", shuffles_,
                 "random orders, next to the reversed one and the one with neighbours swapped (default: " +
                     std::to_string(kShuffles) + ", all different)",
                 0, kMostShuffles);
    table.number("--seed", seed_, "of the random orders (default: 1)");
  }

  int run(Console& console) override {
    if (options.positions == Positions::kNone) {
      throw UsageError("--positions none: order compares a model with positions to the same model without");
    }
    return TextExperiment::run(console);
  }

  std::string answer() const override {
    return "Another order moves the tokens by " + percent(average(&Order::moved, orders_.front().moved.size() - 1)) +
           " of their norm on average; without positions, " +
           (window_ ? "only the windows distinguish orders." : "only rounding would differ.");
  }

  void add_to(Page& page) const override {
    page.section("With positions and without",
                 "The distance of the last layer's vectors from those in the original order, relative to their norm. " +
                     sentence());
    page.legend({{Ink::kBlue, "with positions"}, {Ink::kOrange, window_ ? "without" : "without: too small to see"}});
    BarChart bars{.title = "How far tokens move in another order, with positions and without", .rows = {}};
    for (const Order& order : orders_) {
      bars.rows.push_back({order.name, {{order.moved.back(), Ink::kBlue}}, fixed(order.moved.back(), 3)});
      bars.rows.push_back(
          {"without", {{order.moved_without.back(), Ink::kOrange}}, significant(order.moved_without.back(), 2)});
    }
    page.drawing(draw_bar_chart(bars));
    page.table(orders_table());
    page.section("By layer", "The same for each layer, the mean of all orders. Layer 0 is the embeddings.");
    page.drawing(draw_line_chart({.title = "How far tokens move in another order, by layer",
                                  .x_axis = "layer",
                                  .y_axis = "distance / norm",
                                  .lines = {{"with positions", Ink::kBlue, by_layer(&Order::moved)},
                                            {"without", Ink::kOrange, by_layer(&Order::moved_without)}}}));
    page.section("By token", "With positions, in the last layer, for each order.");
    Heatmap map{.title = "How far each token moves in each order",
                .rows_are = "token",
                .columns_are = "order",
                .rows = tokens_,
                .columns = {},
                .values = {}};
    for (const Order& order : orders_) map.columns.push_back(order.name);
    for (size_t t = 0; t < tokens_.size(); ++t) {
      for (const Order& order : orders_) map.values.push_back(order.moved_tokens[t]);
    }
    page.drawing(draw_heatmap(map));
  }

 private:
  void compute(const Model& model, const Sequence& sequence, Console& console) override {
    if (model.config().position_embedding_type == "none") {
      throw InputError("the model has no positions: order compares a model with positions to the same model without");
    }
    const Model without_positions = open_model(options, Positions::kNone);
    window_ = window_within(model.config(), tokens_.size());
    make_orders(sequence.encoding, console);
    compare(sequence.encoding, model, without_positions);
  }

  std::string title() const override { return "The same tokens in another order"; }

  std::string text(const TextStyle& style) const override {
    return orders_table().text(style) + "\nmean by layer\n" + layers_table().text(style) + "\n" + sentence();
  }

  // Special tokens keep their places.
  void make_orders(const Encoding& encoding, Console& console) {
    Permutation identity(encoding.size()), places;
    std::iota(identity.begin(), identity.end(), size_t{0});
    for (const size_t t : identity) {
      if (encoding.special_tokens_mask[t] == 0) places.push_back(t);
    }
    if (places.size() < 2) {
      throw InputError("the text has " + std::to_string(places.size()) +
                       " tokens besides special ones, expected 2 or more to reorder");
    }
    const auto add = [&](const std::string& name, const Permutation& of_places) {
      Order order;
      order.name = name;
      order.from = identity;
      for (size_t i = 0; i < places.size(); ++i) order.from[places[i]] = of_places[i];
      orders_.push_back(std::move(order));
    };
    add("reversed", Permutation(places.rbegin(), places.rend()));
    Permutation swapped = places;
    for (size_t i = 0; i + 1 < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
    add("neighbours swapped", swapped);
    const std::set<TokenOrder> others = {token_order(encoding, places),
                                         token_order(encoding, Permutation(places.rbegin(), places.rend())),
                                         token_order(encoding, swapped)};
    for (const Permutation& shuffled : shuffles(encoding, places, others, console)) {
      add("shuffled " + std::to_string(orders_.size() - 1), shuffled);
    }
  }

  // Random orders of the places, different from each other and from `others`, as many as there are.
  std::vector<Permutation> shuffles(const Encoding& encoding, const Permutation& places, std::set<TokenOrder> seen,
                                    Console& console) const {
    const size_t wanted = shuffles_.value_or(kShuffles);
    const size_t count =
        std::min(wanted, count_orders(token_order(encoding, places), wanted + seen.size()) - seen.size());
    if (count < wanted && shuffles_) {
      console.note("--shuffles " + std::to_string(wanted) + ": the text has " + std::to_string(count) +
                   " orders besides its own, the reversed and the one with neighbours swapped");
    }
    std::mt19937_64 random(seed_.value_or(1));
    std::vector<Permutation> all;
    while (all.size() < count) {
      Permutation shuffled = places;
      for (size_t i = shuffled.size() - 1; i > 0; --i) std::swap(shuffled[i], shuffled[random() % (i + 1)]);
      if (seen.insert(token_order(encoding, shuffled)).second) all.push_back(std::move(shuffled));
    }
    return all;
  }

  void compare(const Encoding& encoding, const Model& model, const Model& without_positions) {
    const EncodedSequence original = encode_one(model, encoding);
    const EncodedSequence original_without = encode_one(without_positions, encoding);
    std::vector<float> original_sorted;
    if (!window_) original_sorted = encode_sorted(without_positions, encoding);
    const size_t last = layer_count(original) - 1;
    for (Order& order : orders_) {
      const Encoding tokens = reordered(encoding, order.from);
      const EncodedSequence other = encode_one(model, tokens), other_without = encode_one(without_positions, tokens);
      for (size_t layer = 0; layer <= last; ++layer) {
        order.moved_tokens = distances(layer_rows(original, layer), layer_rows(other, layer), order.from);
        order.moved.push_back(analysis::mean(order.moved_tokens));
        order.moved_without.push_back(analysis::mean(
            distances(layer_rows(original_without, layer), layer_rows(other_without, layer), order.from)));
      }
      order.embedding_cosine =
          analysis::cosine(analysis::mean_row(layer_rows(original, last)), analysis::mean_row(layer_rows(other, last)));
      order.largest_without =
          largest_difference(layer_rows(original_without, last), layer_rows(other_without, last), order.from);
      if (window_) continue;
      const std::vector<float> other_sorted = encode_sorted(without_positions, tokens);
      order.largest_in_one_key_order =
          largest_difference({original_sorted, original.hidden}, {other_sorted, original.hidden}, order.from);
    }
  }

  double average(std::vector<double> Order::*moved, size_t layer) const {
    double sum = 0;
    for (const Order& order : orders_) sum += (order.*moved)[layer];
    return sum / static_cast<double>(orders_.size());
  }
  std::vector<double> by_layer(std::vector<double> Order::*moved) const {
    std::vector<double> means;
    for (size_t layer = 0; layer < (orders_.front().*moved).size(); ++layer) means.push_back(average(moved, layer));
    return means;
  }

  Table orders_table() const {
    Table table({{"order"},
                 {"moved", Align::kRight},
                 {"cosine", Align::kRight},
                 {"without positions: moved", Align::kRight},
                 {"largest difference", Align::kRight},
                 {"same key order", Align::kRight}});
    for (const Order& order : orders_) {
      table.add({order.name, fixed(order.moved.back(), 3), fixed(order.embedding_cosine, 3),
                 significant(order.moved_without.back(), 2), significant(order.largest_without, 2),
                 window_ ? "–" : significant(*order.largest_in_one_key_order, 2)});
    }
    return table;
  }

  Table layers_table() const {
    Table table({{"layer", Align::kRight}, {"moved", Align::kRight}, {"without positions", Align::kRight}});
    const std::vector<double> with = by_layer(&Order::moved), without = by_layer(&Order::moved_without);
    for (size_t layer = 0; layer < with.size(); ++layer) {
      table.add({std::to_string(layer), fixed(with[layer], 3), significant(without[layer], 2)});
    }
    return table;
  }

  std::string sentence() const {
    const size_t last = orders_.front().moved.size() - 1;
    const std::string with_positions = "With positions, another order moves the tokens by " +
                                       percent(average(&Order::moved, last)) + " of their norm on average. ";
    if (window_) {
      return with_positions + "Without positions the windows remain: in a local layer a token sees those at most " +
             std::to_string(*window_) + " places away, so another order still moves the tokens by " +
             percent(average(&Order::moved_without, last)) + ". A text of at most " + std::to_string(*window_ + 1) +
             " tokens would be a bag of words.";
    }
    double rounding = 0, exact = 0;
    for (const Order& order : orders_) {
      rounding = std::max(rounding, order.largest_without);
      exact = std::max(exact, *order.largest_in_one_key_order);
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
    for (const Order& order : orders_) {
      JsonWriter one;
      one.string("name", order.name);
      one.numbers<size_t>("order", order.from);
      one.number("moved", order.moved.back());
      one.numbers<double>("moved_tokens", order.moved_tokens);
      one.number("embedding_cosine", order.embedding_cosine);
      JsonWriter without;
      without.number("moved", order.moved_without.back());
      without.number("largest_difference", order.largest_without);
      if (order.largest_in_one_key_order) {
        without.number("largest_difference_in_one_key_order", *order.largest_in_one_key_order);
      } else {
        without.member("largest_difference_in_one_key_order") += "null";
      }
      one.member("without_positions") += without.take();
      list += (&order == &orders_.front() ? "[" : ",") + one.take();
    }
    list += ']';
    object.numbers<double>("moved_by_layer", by_layer(&Order::moved));
    object.numbers<double>("moved_by_layer_without_positions", by_layer(&Order::moved_without));
    return object.take();
  }

  std::optional<size_t> shuffles_;
  std::optional<size_t> seed_;
  std::optional<size_t> window_;  // if it hides tokens of this text from each other
  std::vector<Order> orders_;
};

}  // namespace

std::unique_ptr<TextExperiment> make_order_experiment() { return std::make_unique<OrderExperiment>(); }
std::unique_ptr<Command> make_order() { return make_order_experiment(); }

}  // namespace bert::cli
