// Experiments on a model. The functions return numbers: what a token's embedding consists of, what heads attend to,
// what another order or other segments change, how learned positions compare with sinusoids, how much variance position
// and word explain, which tokens late interaction matches, and which weights training changed. The program's research
// commands describe and draw them.
//
// "Moved" is the distance between a token's vectors before and after a change, relative to the norm of the vector
// before it; cosines and moves of vectors that are all zeros are 0. Layer 0 of [layers + 1] is the embeddings.
// Functions with a model throw Error for a sequence that Model::check rejects, and for a NaN or an infinity. Stateless
// and safe to call from many threads, except VarianceProbe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/explore.h"
#include "bert/export.h"
#include "bert/model.h"
#include "bert/token_vectors.h"

namespace bert {

// One of the vectors that the embedding layer adds for a token.
struct EmbeddingShare {
  double norm = 0;
  double share = 0;   // share of the sum's squared norm: part · sum / |sum|²; the shares of all parts add up to 1
  double cosine = 0;  // cosine of the part with the sum
};

struct TokenComposition {
  std::optional<EmbeddingShare> word, position, segment;  // nullopt: the model has no such vectors
  double sum_norm = 0;
  double normalized_norm = 0;
  double normalized_cosine = 0;  // cosine of the sum before and after LayerNorm
  std::vector<double> moved;     // how far each layer moves the vector   [layers]
};
// Returns the composition of each token's embedding.   [tokens], rows as in EncodedSequence
BERT_API std::vector<TokenComposition> token_compositions(const Model& model, const TokenSequence& sequence);

// Returns the cosines of the word table's row `id` with every row.   [vocabulary]. Rows of zeros have cosine 0. Throws
// Error(kInvalidArgument) for an id without a row.
BERT_API std::vector<double> word_cosines(const Model& model, int32_t id);

// One term of a sum of words: the row of the word `id`, scaled to length 1, times the weight.
struct WordTerm {
  int32_t id = 0;
  double weight = 1;
};
// Returns the cosines of a sum of words, such as king - man + woman, with every row of the word table. Throws
// Error(kInvalidArgument) for an id without a row and for no terms.
BERT_API std::vector<double> word_cosines(const Model& model, std::span<const WordTerm> terms);

struct WordNeighbor {
  int32_t id = 0;
  double cosine = 0;
};
// Returns the `count` words with the highest cosines with the word `id`, except this word: the highest first, of equal
// ones the smaller id.
BERT_API std::vector<WordNeighbor> nearest_words(const Model& model, int32_t id, size_t count);
BERT_API std::vector<WordNeighbor> nearest_words(std::span<const double> cosines, int32_t id, size_t count);
// Returns the `count` words with the highest of these cosines, except the words left_out.
BERT_API std::vector<WordNeighbor> nearest_words(std::span<const double> cosines, std::span<const int32_t> left_out,
                                                 size_t count);

// Means over the queries of one head. All members but the entropy are shares of the attention weights.
struct HeadSummary {
  double entropy_bits = 0;  // 0: all weight on one token; log2(tokens): uniform weights
  double self = 0;          // on the token itself
  double previous = 0;      // on the token before it
  double next = 0;          // on the token after it
  double special = 0;       // on special tokens
};

struct AttentionSummary {
  size_t heads = 0;                    // heads of a layer
  size_t tokens = 0;                   // number of tokens whose attention_mask is 1
  std::vector<size_t> queries;         // indices among these tokens, from 0
  std::vector<HeadSummary> summaries;  // [layers, heads]
  std::vector<float> weights;          // [layers, heads, queries, tokens (key)]
  bool is_causal = false;              // a token attends to no token after it
  double max_entropy_bits = 0;         // mean over the queries of the entropy of uniform weights on the tokens that a
                                       // query attends to
  // Both are set if local layers hide tokens of this text from each other. window: ModelConfig::local_distance.
  // max_local_entropy_bits: as max_entropy_bits, for the tokens that a query of such a layer attends to.
  std::optional<size_t> window;
  std::optional<double> max_local_entropy_bits;
};
// Summarizes the attention of each head. queries: the tokens to summarize, as ascending indices from 0 among the tokens
// whose attention_mask is 1; empty: all. Their keys are the tokens of the whole text. special_tokens_mask may be empty:
// no token is special. Throws Error(kNotFound) for a model without layers, and Error(kInvalidArgument) for queries that
// are not such indices.
BERT_API AttentionSummary summarize_attention(const Model& model, const Encoding& encoding,
                                              std::span<const size_t> queries = {});

enum class Reordering { kReversed, kNeighboursSwapped, kShuffled };

struct OrderOptions {
  size_t shuffles = 3;  // number of random orders, different from each other and from the other two; fewer if fewer
                        // exist
  uint64_t seed = 1;    // of the random orders
};

// Another order of a text's tokens and its effect on the tokens' vectors.
struct OrderEffect {
  Reordering reordering = Reordering::kShuffled;
  std::vector<size_t> order;           // [tokens]: the original place of each token of the new order
  std::vector<double> moved;           // in the last layer, by token of the original order   [tokens]
  std::vector<double> moved_by_layer;  // mean over the tokens   [layers + 1]
  double embedding_cosine = 0;         // cosine of the means of all tokens' vectors, in the last layer
  // The same effect in the model without positions.
  std::vector<double> moved_by_layer_without;  // [layers + 1]
  double largest_difference_without = 0;       // largest difference of two numbers in the last layer
  // largest_difference_without if attention sums over the keys in the same order for both texts; nullopt if attention
  // hides keys.
  std::optional<double> largest_difference_in_one_key_order;
};

struct OrderComparison {
  std::optional<size_t> window;      // as in AttentionSummary
  bool is_causal = false;            // as in AttentionSummary
  std::vector<OrderEffect> effects;  // reversed, neighbours swapped, then the shuffled ones
  // Means over all orders.   [layers + 1]
  std::vector<double> moved_by_layer, moved_by_layer_without;
};
// Compares a text with the same tokens in other orders; special tokens keep their places. without_positions: the same
// model, loaded with Positions::kNone. Throws Error(kInvalidArgument) if without_positions has another shape or has
// positions, for a masked token, and for fewer than two tokens besides special ones.
BERT_API OrderComparison compare_orders(const Model& model, const Model& without_positions, const Encoding& encoding,
                                        const OrderOptions& options = {});

// The effect of other type ids on a text's vectors.
struct SegmentEffect {
  std::vector<int32_t> type_ids;       // [ids]
  std::vector<double> moved;           // in the last layer   [tokens]
  std::vector<double> moved_by_layer;  // mean over the tokens   [layers + 1]
  double embedding_cosine = 0;         // cosine of the means of all tokens' vectors, in the last layer
};

struct SegmentComparison {
  double norm_a = 0, norm_b = 0;  // norms of the two segment vectors
  double cosine = 0;              // cosine of the two segment vectors
  double word_norm = 0;           // mean norm of the tokens' word vectors
  SegmentEffect swapped, all_a, all_b;
};
// Compares a sequence with the same tokens with swapped type ids, and with type ids that are all 0 (A) or all 1 (B).
// Throws Error(kNotFound) for a model without segments.
BERT_API SegmentComparison compare_segments(const Model& model, const TokenSequence& sequence);

// The cosines of a table's positions with each other.
struct PositionSimilarities {
  static constexpr size_t kNearest = 3;
  std::vector<double> cosines;      // [positions, positions]
  std::vector<double> by_distance;  // mean cosine of two positions at this distance, from 0   [positions]
  std::vector<size_t> nearest;    // the other positions with the highest cosines, highest first   [positions, kNearest]
  size_t neighbours_nearest = 0;  // positions whose nearest other position is a neighbour
};

// The best linear map, with a constant, from one table to another. The last three members are shares of the target's
// variance that the map does not explain: 0 is a perfect fit, 1 is no better than the target's mean.
struct LinearFit {
  size_t rank = 0;         // rank of the centred source
  double unexplained = 0;  // by least squares, on the fitted rows
  double by_chance = 0;    // expected value of `unexplained` for an unrelated target and a source of this rank
  double held_out = 0;     // leave-one-out, by ridge regression with the best of several penalties
};

struct SinusoidComparison {
  PositionSimilarities learned, sinusoidal;
  std::vector<double> norms;  // norms of the learned vectors   [positions]
  LinearFit learned_to_sinusoidal, sinusoidal_to_learned;
};
// Compares a position table with the sinusoidal table of its size (Vaswani et al. 2017, section 3.5). Throws
// Error(kInvalidArgument) for fewer than 4 positions, if all positions are equal, and if the values are not whole rows.
BERT_API SinusoidComparison compare_with_sinusoids(const PositionTable& table);

// Cosines by the distance of two tokens, for rotary positions or sinusoids.
struct DistanceCosines {
  std::vector<size_t> layers;         // as in ScorePositions
  std::optional<size_t> window;       // as in ScorePositions
  std::optional<size_t> text_length;  // in tokens, if the frequencies depend on it
  double theta = 0;
  std::vector<float> frequencies;  // radians per place, for each pair of components
  // The mean over the pairs of cos(distance * frequency), for each distance from 0. For rotary positions, the score of
  // a query and an equal key is multiplied by it if all pairs of components have the same norm; for sinusoids, it is
  // the cosine of two positions. The last distance is the window or the longest text, at most 32,767.
  std::vector<double> cosines;
};
// Returns one entry for each of score_positions; if the frequencies depend on the text's length, one for texts of one,
// two and four times the trained length. Empty: the model has neither rotary positions nor sinusoids.
BERT_API std::vector<DistanceCosines> distance_cosines(const ModelConfig& config);

// How many places away a token can be and still change another token's vector; nullopt: any number.
struct LayerReach {
  std::optional<size_t> window;  // in this layer
  std::optional<size_t> reach;   // after this layer: the sum of the windows up to it
};
// Returns the reach of each layer. positions: of all layers, as score_positions returns them.   [layers]
BERT_API std::vector<LayerReach> layer_reach(std::span<const ScorePositions> positions);

// How much of the variance of many texts' token vectors the token's position and word explain. Shares are adjusted R²:
// about 0, or a little below, for something unrelated; 1 if it explains everything.   [layers + 1] each
struct VarianceShares {
  size_t texts = 0;
  size_t tokens = 0;           // without special tokens
  size_t left_out_tokens = 0;  // tokens of words after the first max_words
  size_t words = 0;            // number of different words
  size_t positions = 0;        // positions in the longest text
  std::vector<double> position;
  std::vector<double> word;
  std::vector<double> both;     // for a least-squares fit of a vector per position plus a vector per word
  std::vector<double> neither;  // 1 - both
};

// Accumulates sums for each position and each word; keeps no vectors. Used by one thread.
class BERT_API VarianceProbe {
 public:
  static constexpr size_t kDefaultWords = 2000;

  // Keeps sums of the first `max_words` different words; tokens of others are left out.
  explicit VarianceProbe(size_t max_words = kDefaultWords);
  VarianceProbe(VarianceProbe&&) noexcept;
  VarianceProbe& operator=(VarianceProbe&&) noexcept;
  ~VarianceProbe();

  // Adds one text, without its special tokens: [CLS] is always at position 0, so its position and word cannot be
  // separated. Throws Error(kInvalidArgument) unless `encoded` belongs to `encoding` and has hidden states of the same
  // shape as those of the other texts.
  void add(const Encoding& encoding, const EncodedSequence& encoded);
  // Computes the shares. Throws Error(kInvalidArgument) if there are fewer tokens than words and positions, or if all
  // tokens of a layer have the same vector. source: names the texts in errors.
  VarianceShares shares(std::string_view source = "the texts") const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// How a tensor differs between two models. change: the norm of the difference relative to the norm of base's tensor; 1
// if only base's numbers are all 0.
struct TensorChange {
  std::string name;  // the family's name for it: without a prefix such as "bert."
  std::vector<size_t> shape;
  double change = 0;
  double largest = 0;       // the largest difference of two numbers
  size_t changed_rows = 0;  // rows with a number that differs; at most 1 for a vector
  size_t first_row = 0;     // index of the first changed row
};
struct PartChange {
  std::string name;  // the beginning of its tensors' names, up to the layer's number: "embeddings", "encoder.layer.0"
  double change = 0;
};
struct WeightChanges {
  std::vector<TensorChange> tensors;                                  // tensors that both models have, in the order of
                                                                      // base's file
  std::vector<PartChange> parts;                                      // the change of each part, over all numbers of
                                                                      // its tensors
  std::vector<std::string> only_in_base, only_in_tuned, other_shape;  // the tensors that are not compared
  std::vector<double> words, positions;  // change of each row of the two tables; empty if their sizes differ
};
// Compares the weights of two models of one family, such as a model before and after fine-tuning. Tensors of integers
// are not compared. Throws Error(kUnsupported) for 8-bit weights.
BERT_API WeightChanges compare_weights(const Model& base, const Model& tuned);

// Late interaction, token by token: for each vector of a query, the document's vector with the largest dot product.
struct MaxSimMatches {
  struct Text {
    Encoding encoding;
    TokenVectors vectors;
  };
  Text query, document;
  std::vector<double> products;  // [query's vectors, document's vectors]
  std::vector<size_t> matches;   // index of the document's vector with the largest product, of equal ones the first
                                 // [query's vectors]
  double score = 0;              // sum of the matches' products
  bool is_mean = false;          // TokenVectorSettings::mean_score: `score` is the mean instead
};
// Matches the tokens of a query and a document, each truncated to the length of its role. Throws Error for a model
// without token vectors, and Error(kInvalidArgument) for a document without token vectors.
BERT_API MaxSimMatches match_tokens(const Model& model, std::string_view query, std::string_view document);

}  // namespace bert
