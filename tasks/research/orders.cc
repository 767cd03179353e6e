// Computes a text's tokens in other orders, with positions and without, and how far the outputs move.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "bert/experiments.h"
#include "engine/base/joined.h"
#include "tasks/research/layer_states.h"

namespace bert {
namespace {

using analysis::Rows;

constexpr uint64_t kMostShuffles = uint64_t{1} << 32;  // numbers of orders up to this are exact in float64

// The original index of each token of the new order.
using Permutation = std::vector<size_t>;

// The tokens of a text: an id and a segment each.
struct Tokens {
  std::vector<int32_t> ids, type_ids;

  explicit Tokens(const Encoding& encoding) : ids(encoding.ids), type_ids(encoding.type_ids) {
    type_ids.resize(ids.size());
  }
  Tokens(const Tokens& tokens, const Permutation& from) {
    for (const size_t index : from) {
      ids.push_back(tokens.ids[index]);
      type_ids.push_back(tokens.type_ids[index]);
    }
  }
};

EncodedSequence encode_tokens(const Model& model, const Tokens& tokens) {
  TokenSequence view{.ids = tokens.ids, .type_ids = tokens.type_ids};
  if (model.config().type_vocab_size <= 1) view.type_ids = {};
  return model.encode({&view, 1}, {.hidden_states = true}).front();
}

// Computes the last layer for the tokens sorted by id and segment, and returns its rows in the order of `tokens`. So
// attention sums over the keys in the same order for every order of the tokens.   [tokens, hidden]
std::vector<float> encode_sorted(const Model& model, const Tokens& tokens) {
  Permutation sorted(tokens.ids.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
    return std::pair(tokens.ids[a], tokens.type_ids[a]) < std::pair(tokens.ids[b], tokens.type_ids[b]);
  });
  const EncodedSequence encoded = encode_tokens(model, Tokens(tokens, sorted));
  std::vector<float> rows(encoded.last_hidden_state.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    std::copy_n(encoded.last_hidden_state.data() + i * encoded.hidden, encoded.hidden,
                rows.data() + sorted[i] * encoded.hidden);
  }
  return rows;
}

// Returns the largest difference of two numbers of a token's vector between the original and the other order.
double largest_difference(const Rows& original, const Rows& other, const Permutation& from) {
  double largest = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    for (size_t c = 0; c < original.width; ++c) {
      largest = std::max(largest, std::abs(double{original[from[i]][c]} - double{other[i][c]}));
    }
  }
  return largest;
}

// Returns the distances by token of the original order.
std::vector<double> distances(const Rows& original, const Rows& other, const Permutation& from) {
  std::vector<double> moved(from.size());
  for (size_t i = 0; i < from.size(); ++i) moved[from[i]] = analysis::relative_distance(original[from[i]], other[i]);
  return moved;
}

// The tokens in another order, as ids and segments. If a text has equal tokens, two permutations may give the same
// order.
using TokenOrder = std::vector<std::pair<int32_t, int32_t>>;

TokenOrder token_order(const Tokens& tokens, const Permutation& from) {
  TokenOrder order;
  for (const size_t t : from) order.emplace_back(tokens.ids[t], tokens.type_ids[t]);
  return order;
}

// Returns how many orders these tokens have: n! / (a! b! …) with a, b, … the counts of equal tokens; at most `most`.
size_t count_orders(TokenOrder tokens, size_t most) {
  std::sort(tokens.begin(), tokens.end());
  double orders = 1;
  for (size_t i = 0, equal = 0; i < tokens.size() && orders <= static_cast<double>(most); ++i) {
    equal = i > 0 && tokens[i] == tokens[i - 1] ? equal + 1 : 1;
    orders *= static_cast<double>(i + 1) / static_cast<double>(equal);
  }
  return std::min(most, static_cast<size_t>(std::llround(std::min(orders, static_cast<double>(most)))));
}

// Returns random orders of the places, different from each other and from `seen`; fewer if fewer exist.
std::vector<Permutation> shuffles(const Tokens& tokens, const Permutation& places, std::set<TokenOrder> seen,
                                  const OrderOptions& options) {
  const auto wanted = static_cast<size_t>(std::min<uint64_t>(options.shuffles, kMostShuffles));
  const size_t count = count_orders(token_order(tokens, places), wanted + seen.size()) - seen.size();
  std::mt19937_64 random(options.seed);
  std::vector<Permutation> all;
  while (all.size() < count) {
    Permutation shuffled = places;
    for (size_t i = shuffled.size() - 1; i > 0; --i) std::swap(shuffled[i], shuffled[random() % (i + 1)]);
    if (seen.insert(token_order(tokens, shuffled)).second) all.push_back(std::move(shuffled));
  }
  return all;
}

// Returns other orders in which special tokens keep their places.
std::vector<OrderEffect> other_orders(const Tokens& tokens, const std::vector<uint8_t>& special,
                                      const OrderOptions& options) {
  Permutation identity(tokens.ids.size()), places;
  std::iota(identity.begin(), identity.end(), size_t{0});
  for (const size_t t : identity) {
    if (special[t] == 0) places.push_back(t);
  }
  if (places.size() < 2) {
    refuse_argument("the text has " + number_of(places.size(), "token") +
                    " besides special ones, expected 2 or more to reorder");
  }
  std::vector<OrderEffect> effects;
  const auto add = [&](Reordering reordering, const Permutation& of_places) {
    OrderEffect effect;
    effect.reordering = reordering;
    effect.order = identity;
    for (size_t i = 0; i < places.size(); ++i) effect.order[places[i]] = of_places[i];
    effects.push_back(std::move(effect));
  };
  const Permutation reversed(places.rbegin(), places.rend());
  add(Reordering::kReversed, reversed);
  Permutation swapped = places;
  for (size_t i = 0; i + 1 < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
  add(Reordering::kNeighboursSwapped, swapped);
  const std::set<TokenOrder> seen = {token_order(tokens, places), token_order(tokens, reversed),
                                     token_order(tokens, swapped)};
  for (const Permutation& shuffled : shuffles(tokens, places, seen, options)) add(Reordering::kShuffled, shuffled);
  return effects;
}

std::vector<double> mean_by_layer(const std::vector<OrderEffect>& effects, std::vector<double> OrderEffect::*moved) {
  std::vector<double> means;
  for (size_t layer = 0; layer < (effects.front().*moved).size(); ++layer) {
    double sum = 0;
    for (const OrderEffect& effect : effects) sum += (effect.*moved)[layer];
    means.push_back(sum / static_cast<double>(effects.size()));
  }
  return means;
}

// The outputs for the original order.
struct Originals {
  EncodedSequence with, without;
  std::vector<float> sorted_without;  // empty if windows hide keys
};

void measure(const Model& model, const Model& without_positions, const Tokens& tokens, const Originals& original,
             OrderEffect& effect) {
  const size_t last = layer_count(original.with) - 1;
  const Tokens reordered(tokens, effect.order);
  const EncodedSequence other = encode_tokens(model, reordered);
  const EncodedSequence other_without = encode_tokens(without_positions, reordered);
  for (size_t layer = 0; layer <= last; ++layer) {
    effect.moved = distances(layer_rows(original.with, layer), layer_rows(other, layer), effect.order);
    effect.moved_by_layer.push_back(analysis::mean(effect.moved));
    effect.moved_by_layer_without.push_back(
        analysis::mean(distances(layer_rows(original.without, layer), layer_rows(other_without, layer), effect.order)));
  }
  effect.embedding_cosine = analysis::cosine(analysis::mean_row(layer_rows(original.with, last)),
                                             analysis::mean_row(layer_rows(other, last)));
  effect.largest_difference_without =
      largest_difference(layer_rows(original.without, last), layer_rows(other_without, last), effect.order);
  if (original.sorted_without.empty()) return;
  const std::vector<float> other_sorted = encode_sorted(without_positions, reordered);
  const size_t hidden = original.with.hidden;
  effect.largest_difference_in_one_key_order =
      largest_difference({original.sorted_without, hidden}, {other_sorted, hidden}, effect.order);
}

void check_models(const Model& model, const Model& without_positions) {
  const ModelConfig &with = model.config(), &without = without_positions.config();
  if (without.position_embedding_type != "none") {
    refuse_argument("the model without positions has positions " + without.position_embedding_type + ", expected none");
  }
  if (with.attention_layers() != without.attention_layers() || with.hidden_size != without.hidden_size) {
    refuse_argument("the model without positions has " + std::to_string(without.attention_layers()) + " layers of " +
                    std::to_string(without.hidden_size) + " numbers, expected " +
                    std::to_string(with.attention_layers()) + " of " + std::to_string(with.hidden_size));
  }
}

}  // namespace

OrderComparison compare_orders(const Model& model, const Model& without_positions, const Encoding& encoding,
                               const OrderOptions& options) {
  check_models(model, without_positions);
  model.check(model.sequence(encoding));
  const std::vector<size_t> places = attended_places(encoding);
  if (places.size() != encoding.size()) {
    refuse_argument(std::to_string(encoding.size() - places.size()) + " of " + std::to_string(encoding.size()) +
                    " tokens are masked, expected none to reorder");
  }
  const Tokens tokens(encoding);
  OrderComparison result;
  result.effects = other_orders(tokens, special_places(encoding), options);
  result.window = window_within(model.config(), places);
  Originals original{encode_tokens(model, tokens), encode_tokens(without_positions, tokens), {}};
  result.is_causal = model.config().causal_attention;
  if (!result.window && !result.is_causal) original.sorted_without = encode_sorted(without_positions, tokens);
  for (OrderEffect& effect : result.effects) measure(model, without_positions, tokens, original, effect);
  result.moved_by_layer = mean_by_layer(result.effects, &OrderEffect::moved_by_layer);
  result.moved_by_layer_without = mean_by_layer(result.effects, &OrderEffect::moved_by_layer_without);
  return result;
}

}  // namespace bert
