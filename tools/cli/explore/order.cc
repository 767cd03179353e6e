// The command order: the same tokens in other orders, with positions and without; how far the outputs differ.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/explore/html/charts.h"
#include "tools/cli/explore/html/page.h"
#include "tools/cli/explore/question.h"
#include "tools/cli/results.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/table.h"

namespace bert::cli {
namespace {

constexpr size_t kShuffles = 3;

// Where each token of the new order comes from.
using Permutation = std::vector<size_t>;

// One other order, and what it does to the outputs. "Moved" is a token's distance from where it is in the text's own
// order, as a part of its length there, on average over the tokens.
struct Order {
  std::string name;
  Permutation from;
  std::vector<double> moved;            // by layer, with positions
  std::vector<double> moved_tokens;     // at the last layer, by token of the text's own order
  double embedding_cosine = 0;          // of the mean of all tokens, with positions
  std::vector<double> moved_without;    // by layer, without positions
  double largest_without = 0;           // difference of any two numbers of the last layer
  double largest_in_one_key_order = 0;  // the same where attention adds its keys up in one order for both
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

// The last layer without positions, computed on the tokens sorted by id and segment and put back: whatever order they
// came in, attention adds up the same keys in the same order.   [tokens, hidden]
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

// The largest difference of two numbers of a token's row in the text's own order and in the other.
double largest_difference(const analysis::Rows& own, const analysis::Rows& other, const Permutation& from) {
  double largest = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    for (size_t c = 0; c < own.width; ++c) {
      largest = std::max(largest, std::abs(double{own[from[i]][c]} - double{other[i][c]}));
    }
  }
  return largest;
}

// By token of the text's own order.
std::vector<double> distances(const analysis::Rows& own, const analysis::Rows& other, const Permutation& from) {
  std::vector<double> moved(from.size());
  for (size_t i = 0; i < from.size(); ++i) moved[from[i]] = analysis::relative_distance(own[from[i]], other[i]);
  return moved;
}

class OrderCommand : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_question(table, options, html_);
    table.begin_group("Orders");
    table.number("--shuffles", shuffles_,
                 "random orders beside the reversed one and the one with neighbours swapped (default: " +
                     std::to_string(kShuffles) + ")");
    table.number("--seed", seed_, "of the random orders (default: 1)");
  }

  int run(Console& console) override {
    require_one_text(options, "order");
    require_own_file(options, html_);
    if (options.positions == Positions::kNone) {
      throw UsageError("order compares orders with positions and without: --positions none leaves nothing to compare");
    }
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    LoadOptions without = options.load_options();
    without.positions = Positions::kNone;
    const Model bare = open_model(options, without);
    const Sequence sequence = only_sequence(options, model, html_, console);
    tokens_ = token_labels(sequence, model);
    make_orders(sequence.encoding);
    compare(sequence.encoding, model, bare);

    write_findings(options, html_, output,
                   {.page = [&] { return page(page_lead(sequence, model)); },
                    .text =
                        [&](bool color) {
                          return orders_table().text(color) + "\nby layer, on average\n" + layers_table().text(color) +
                                 "\n" + sentence();
                        },
                    .json = [&] { return json(sequence, model); }});
    return kDone;
  }

 private:
  // Special tokens keep their places: the others change theirs.
  void make_orders(const Encoding& encoding) {
    Permutation own(encoding.size()), places;
    std::iota(own.begin(), own.end(), size_t{0});
    for (const size_t t : own) {
      if (encoding.special_tokens_mask[t] == 0) places.push_back(t);
    }
    if (places.size() < 2) {
      throw InputError("the text has " + std::to_string(places.size()) +
                       " tokens besides special ones, expected 2 or more to put in another order");
    }
    const auto add = [&](const std::string& name, const Permutation& of_places) {
      Order order;
      order.name = name;
      order.from = own;
      for (size_t i = 0; i < places.size(); ++i) order.from[places[i]] = of_places[i];
      orders_.push_back(std::move(order));
    };
    add("reversed", Permutation(places.rbegin(), places.rend()));
    Permutation swapped = places;
    for (size_t i = 0; i + 1 < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
    add("neighbours swapped", swapped);
    std::mt19937_64 random(seed_.value_or(1));
    for (size_t n = 1; n <= shuffles_.value_or(kShuffles); ++n) {
      Permutation shuffled = places;
      for (size_t i = shuffled.size() - 1; i > 0; --i) std::swap(shuffled[i], shuffled[random() % (i + 1)]);
      add("shuffled " + std::to_string(n), shuffled);
    }
  }

  void compare(const Encoding& encoding, const Model& model, const Model& bare) {
    const EncodedSequence own = encode_one(model, encoding), own_bare = encode_one(bare, encoding);
    const std::vector<float> own_sorted = encode_sorted(bare, encoding);
    const size_t last = layer_count(own) - 1;
    for (Order& order : orders_) {
      const Encoding tokens = reordered(encoding, order.from);
      const EncodedSequence other = encode_one(model, tokens), other_bare = encode_one(bare, tokens);
      for (size_t layer = 0; layer <= last; ++layer) {
        order.moved_tokens = distances(layer_rows(own, layer), layer_rows(other, layer), order.from);
        order.moved.push_back(mean(order.moved_tokens));
        order.moved_without.push_back(
            mean(distances(layer_rows(own_bare, layer), layer_rows(other_bare, layer), order.from)));
      }
      order.embedding_cosine =
          analysis::cosine(analysis::mean_row(layer_rows(own, last)), analysis::mean_row(layer_rows(other, last)));
      order.largest_without = largest_difference(layer_rows(own_bare, last), layer_rows(other_bare, last), order.from);
      order.largest_in_one_key_order =
          largest_difference({own_sorted, own.hidden}, {encode_sorted(bare, tokens), own.hidden}, order.from);
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
  double largest(double Order::*difference) const {
    double result = 0;
    for (const Order& order : orders_) result = std::max(result, order.*difference);
    return result;
  }

  Table orders_table() const {
    Table table({{"order"},
                 {"moved", Align::kRight},
                 {"cosine", Align::kRight},
                 {"without positions: moved", Align::kRight},
                 {"largest difference", Align::kRight},
                 {"keys in one order", Align::kRight}});
    for (const Order& order : orders_) {
      table.add({order.name, fixed(order.moved.back(), 3), fixed(order.embedding_cosine, 3),
                 significant(order.moved_without.back(), 2), significant(order.largest_without, 2),
                 significant(order.largest_in_one_key_order, 2)});
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
    const double exact = largest(&Order::largest_in_one_key_order);
    return "With positions another order moves the tokens by " + percent(average(&Order::moved, last)) +
           " of their length on average. Without, what differs is rounding (" +
           significant(largest(&Order::largest_without), 2) +
           " at most): attention adds its keys up in the order of the tokens. Where it adds them up in one order for "
           "both, " +
           (exact == 0 ? "the outputs are the same bits: self-attention alone sees a bag of words."
                       : "the largest difference is " + significant(exact, 2) + ".");
  }

  std::string json(const Sequence& sequence, const Model& model) const {
    JsonObject object = begin_result(sequence);
    add_encoding(object, sequence, model.tokenizer());
    std::string& list = object.member("orders");
    for (const Order& order : orders_) {
      JsonObject one;
      one.string("name", order.name);
      one.numbers<size_t>("order", order.from);
      one.number("moved", order.moved.back());
      one.numbers<double>("moved_tokens", order.moved_tokens);
      one.number("embedding_cosine", order.embedding_cosine);
      JsonObject without;
      without.number("moved", order.moved_without.back());
      without.number("largest_difference", order.largest_without);
      without.number("largest_difference_in_one_key_order", order.largest_in_one_key_order);
      one.member("without_positions") += without.take();
      list += (&order == &orders_.front() ? "[" : ",") + one.take();
    }
    list += ']';
    object.numbers<double>("moved_by_layer", by_layer(&Order::moved));
    object.numbers<double>("moved_by_layer_without_positions", by_layer(&Order::moved_without));
    return object.take();
  }

  Page page(const std::string& lead) const {
    Page page("The same tokens in another order", lead);
    page.section("With positions and without",
                 "How far the last layer's tokens are from where they are in the text's own order, as a part of their "
                 "length. " +
                     sentence());
    page.legend({{Ink::kBlue, "with positions"}, {Ink::kOrange, "without: no bar is left to see"}});
    BarChart bars{.title = "How far tokens move in another order, with positions and without", .rows = {}};
    for (const Order& order : orders_) {
      bars.rows.push_back({order.name, {{order.moved.back(), Ink::kBlue}}, fixed(order.moved.back(), 3)});
      bars.rows.push_back(
          {"without", {{order.moved_without.back(), Ink::kOrange}}, significant(order.moved_without.back(), 2)});
    }
    page.drawing(draw_bar_chart(bars));
    page.table(orders_table());
    page.section("By layer", "The same for each layer, on average over the orders. Layer 0 is the embeddings.");
    page.drawing(draw_line_chart({.title = "How far tokens move in another order, by layer",
                                  .x_axis = "layer",
                                  .y_axis = "distance / length",
                                  .lines = {{"with positions", Ink::kBlue, by_layer(&Order::moved)},
                                            {"without", Ink::kOrange, by_layer(&Order::moved_without)}}}));
    page.section("Which tokens move", "With positions, at the last layer, in each order.");
    NumberMap map{.title = "How far each token moves in each order",
                  .rows_are = "token",
                  .columns_are = "order",
                  .rows = tokens_,
                  .columns = {},
                  .values = {}};
    for (const Order& order : orders_) map.columns.push_back(order.name);
    for (size_t t = 0; t < tokens_.size(); ++t) {
      for (const Order& order : orders_) map.values.push_back(order.moved_tokens[t]);
    }
    page.drawing(draw_number_map(map));
    return page;
  }

  std::optional<size_t> shuffles_;
  std::optional<size_t> seed_;
  std::string html_;
  std::vector<std::string> tokens_;
  std::vector<Order> orders_;
};

}  // namespace

std::unique_ptr<Command> make_order() { return std::make_unique<OrderCommand>(); }

}  // namespace bert::cli
