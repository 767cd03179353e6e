// Experiments on a model, as numbers: what a token's embedding consists of, what its heads attend to, what another
// order or other segments change, how learned positions compare with sinusoids, what position and word explain, what
// late interaction matches, and which weights training changed. The program's research commands describe and draw them.
//
// "Moved" is the distance of a token's vector from its vector before a change, relative to the norm of that one;
// cosines and moves of vectors that are all zeros are 0. Layer 0 of [layers + 1] is the embeddings. Functions of a
// model throw Error for a sequence that Model::check rejects, and for a NaN or an infinity. Stateless and safe to call
// from many threads, except VarianceProbe.
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
  double share = 0;   // of the sum's squared norm: part · sum / |sum|²; the shares of all parts sum to 1
  double cosine = 0;  // with the sum
};

struct TokenComposition {
  std::optional<EmbeddingShare> word, position, segment;  // nullopt: the model does not have it
  double sum_norm = 0;
  double normalized_norm = 0;
  double normalized_cosine = 0;  // of the sum before and after LayerNorm
  std::vector<double> moved;     // by each layer   [layers]
};
// Result: [tokens], rows as in EncodedSequence.
BERT_API std::vector<TokenComposition> token_compositions(const Model& model, const TokenSequence& sequence);

// The cosines of a word's row of the word table with every row.   [vocabulary]. Rows of zeros have cosine 0. Throws
// Error(kInvalidArgument) for an id without a row.
BERT_API std::vector<double> word_cosines(const Model& model, int32_t id);

// A word of a sum: its row, scaled to length 1, times the weight.
struct WordTerm {
  int32_t id = 0;
  double weight = 1;
};
// The same of a sum of words' rows, such as king - man + woman. Throws Error(kInvalidArgument) also for no terms.
BERT_API std::vector<double> word_cosines(const Model& model, std::span<const WordTerm> terms);

struct WordNeighbor {
  int32_t id = 0;
  double cosine = 0;
};
// The `count` words with the highest of these cosines, the highest first, of equal ones the smaller id; not the word
// itself.
BERT_API std::vector<WordNeighbor> nearest_words(const Model& model, int32_t id, size_t count);
BERT_API std::vector<WordNeighbor> nearest_words(std::span<const double> cosines, int32_t id, size_t count);
// The same without any of these words.
BERT_API std::vector<WordNeighbor> nearest_words(std::span<const double> cosines, std::span<const int32_t> left_out,
                                                 size_t count);

// Means over the queries of one head. All but the entropy are shares of the attention weights.
struct HeadSummary {
  double entropy_bits = 0;  // 0: all weight on one token; log2(tokens): uniform weights
  double self = 0;          // on the token itself
  double previous = 0;      // on the token before it
  double next = 0;          // on the token after it
  double special = 0;       // on special tokens
};

struct AttentionSummary {
  size_t heads = 0;                    // of a layer
  size_t tokens = 0;                   // those whose attention_mask is 1
  std::vector<size_t> queries;         // of these tokens, counted from 0
  std::vector<HeadSummary> summaries;  // [layers, heads]
  std::vector<float> weights;          // [layers, heads, queries, tokens (key)]
  bool is_causal = false;              // a token sees none after it
  double max_entropy_bits = 0;         // of uniform weights on the tokens that a token sees; the mean of the queries
  // ModelConfig::local_distance, if the local layers hide tokens of this text from each other, and then the entropy of
  // uniform weights on the tokens that a token of such a layer sees; the mean of the queries.
  std::optional<size_t> window;
  std::optional<double> max_local_entropy_bits;
};
// queries: the tokens to summarize, of those whose attention_mask is 1, counted from 0, in ascending order; empty: all.
// Their weights and means are those of the whole text. special_tokens_mask may be empty: no token is special. Throws
// Error(kNotFound) for a model without layers, and Error(kInvalidArgument) for other queries.
BERT_API AttentionSummary summarize_attention(const Model& model, const Encoding& encoding,
                                              std::span<const size_t> queries = {});

enum class Reordering { kReversed, kNeighboursSwapped, kShuffled };

struct OrderOptions {
  size_t shuffles = 3;  // random orders, different from each other and from the others; fewer if there are fewer
  uint64_t seed = 1;    // of the random orders
};

// One other order of a text's tokens and its effect on their vectors.
struct OrderEffect {
  Reordering reordering = Reordering::kShuffled;
  std::vector<size_t> order;           // [tokens]: where each token of the new order comes from
  std::vector<double> moved;           // in the last layer, by token of the original order   [tokens]
  std::vector<double> moved_by_layer;  // the mean of the tokens   [layers + 1]
  double embedding_cosine = 0;         // of the mean vectors of all tokens, in the last layer
  // Without positions.
  std::vector<double> moved_by_layer_without;  // [layers + 1]
  double largest_difference_without = 0;       // of two numbers of the last layer
  // The same if attention sums over the keys in one order for both; nullopt where attention hides keys.
  std::optional<double> largest_difference_in_one_key_order;
};

struct OrderComparison {
  std::optional<size_t> window;      // as in AttentionSummary
  bool is_causal = false;            // as there
  std::vector<OrderEffect> effects;  // reversed, neighbours swapped, then the shuffled ones
  // The means of all orders.   [layers + 1]
  std::vector<double> moved_by_layer, moved_by_layer_without;
};
// The same tokens in other orders; special tokens keep their places. without_positions: the same model, loaded with
// Positions::kNone. Throws Error(kInvalidArgument) for a model of another shape or with positions in its place, for a
// masked token, and for fewer than two tokens besides special ones.
BERT_API OrderComparison compare_orders(const Model& model, const Model& without_positions, const Encoding& encoding,
                                        const OrderOptions& options = {});

// The same tokens with other type ids.
struct SegmentEffect {
  std::vector<int32_t> type_ids;       // [ids]
  std::vector<double> moved;           // in the last layer   [tokens]
  std::vector<double> moved_by_layer;  // the mean of the tokens   [layers + 1]
  double embedding_cosine = 0;         // of the mean vectors of all tokens, in the last layer
};

struct SegmentComparison {
  double norm_a = 0, norm_b = 0;  // of the segment vectors
  double cosine = 0;              // of these two
  double word_norm = 0;           // of the tokens' word vectors, the mean
  SegmentEffect swapped, all_a, all_b;
};
// Type ids are 0 (A) and 1 (B). Throws Error(kNotFound) for a model without segments.
BERT_API SegmentComparison compare_segments(const Model& model, const TokenSequence& sequence);

// The similarities of a table's positions.
struct PositionSimilarities {
  static constexpr size_t kNearest = 3;
  std::vector<double> cosines;      // [positions, positions]
  std::vector<double> by_distance;  // the mean cosine of two positions, from distance 0 on   [positions]
  std::vector<size_t> nearest;    // other positions with the highest cosines, the highest first   [positions, kNearest]
  size_t neighbours_nearest = 0;  // positions whose nearest other position is a neighbour
};

// The best linear map, with a constant, from one table to another. Unexplained shares of the target's variance: 0 is a
// perfect fit, 1 is no better than the target's mean.
struct LinearFit {
  size_t rank = 0;         // of the centred source
  double unexplained = 0;  // least squares, on the rows of the fit
  double by_chance = 0;    // the same, expected for a source of this rank and an unrelated target
  double held_out = 0;     // leave-one-out, ridge regression with the best of some penalties
};

struct SinusoidComparison {
  PositionSimilarities learned, sinusoidal;
  std::vector<double> norms;  // of the learned vectors   [positions]
  LinearFit learned_to_sinusoidal, sinusoidal_to_learned;
};
// A position table and the sinusoidal one of its size (Vaswani et al. 2017, section 3.5). Throws
// Error(kInvalidArgument) for fewer than 4 positions, if all are the same, and if the values are not whole rows.
BERT_API SinusoidComparison compare_with_sinusoids(const PositionTable& table);

// Rotary positions, or sinusoids, by the distance of two tokens.
struct DistanceCosines {
  std::vector<size_t> layers;         // as in ScorePositions
  std::optional<size_t> window;       // as in ScorePositions
  std::optional<size_t> text_length;  // in tokens, where the frequencies depend on it
  double theta = 0;
  std::vector<float> frequencies;  // radians a place, by pair of components
  // The mean of cos(distance * frequency), from distance 0 on: what the score of a query and a key that are equal is
  // multiplied by, if all pairs of their components have the same norm; of sinusoids the cosine of two positions. Up to
  // the window or the longest text, at most to distance 32,767.
  std::vector<double> cosines;
};
// By the order of score_positions; for texts of one, two and four times the trained length where the frequencies depend
// on it. Empty: no rotary positions and no sinusoids.
BERT_API std::vector<DistanceCosines> distance_cosines(const ModelConfig& config);

// How many places away a token can be for another one to depend on it; nullopt: any.
struct LayerReach {
  std::optional<size_t> window;  // in this layer
  std::optional<size_t> reach;   // after this layer: the sum of the windows so far
};
// positions: those of all layers, as score_positions gives them.   [layers]
BERT_API std::vector<LayerReach> layer_reach(std::span<const ScorePositions> positions);

// The variance of the token vectors of many texts that a token's position and its word explain. Shares are adjusted R²:
// about 0, or a little below, for something unrelated, 1 if it explains everything.   [layers + 1] each
struct VarianceShares {
  size_t texts = 0;
  size_t tokens = 0;           // without special ones
  size_t left_out_tokens = 0;  // of words after the first max_words
  size_t words = 0;            // different ones
  size_t positions = 0;        // of the longest text
  std::vector<double> position;
  std::vector<double> word;
  std::vector<double> both;     // the sum of a vector for each position and each word, fitted by least squares
  std::vector<double> neither;  // 1 - both
};

// Keeps sums for each position and each word, no vectors. Used by one thread.
class BERT_API VarianceProbe {
 public:
  static constexpr size_t kDefaultWords = 2000;

  // Keeps sums of the first `max_words` different words; tokens of others are left out.
  explicit VarianceProbe(size_t max_words = kDefaultWords);
  VarianceProbe(VarianceProbe&&) noexcept;
  VarianceProbe& operator=(VarianceProbe&&) noexcept;
  ~VarianceProbe();

  // One text. Special tokens are left out: [CLS] is always at position 0, so that position and word cannot be
  // separated. Throws Error(kInvalidArgument) unless `encoded` is of this encoding, with hidden states of the shape of
  // the others.
  void add(const Encoding& encoding, const EncodedSequence& encoded);
  // Throws Error(kInvalidArgument) if there are fewer tokens than words and positions, or if all tokens of a layer have
  // the same vector. source: names the texts in errors.
  VarianceShares shares(std::string_view source = "the texts") const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// How far numbers are from those of another model: the norm of their difference relative to the norm of the other's; 1
// if the other's are all 0 and these are not.
struct TensorChange {
  std::string name;  // as the family has it: without a prefix such as "bert."
  std::vector<size_t> shape;
  double change = 0;
  double largest = 0;       // the largest difference of two numbers
  size_t changed_rows = 0;  // with a number that differs; of a vector at most 1
  size_t first_row = 0;     // the first of them
};
struct PartChange {
  std::string name;  // that of its tensors, up to the layer's number: "embeddings", "encoder.layer.0"
  double change = 0;
};
struct WeightChanges {
  std::vector<TensorChange> tensors;                                  // those of both, in the order of base's file
  std::vector<PartChange> parts;                                      // of all numbers of these tensors
  std::vector<std::string> only_in_base, only_in_tuned, other_shape;  // the other tensors
  std::vector<double> words, positions;  // the change of each row of the two tables; empty if their sizes differ
};
// Two models of one family, such as one before and after fine-tuning. Tensors of integers are not compared. Throws
// Error(kUnsupported) for 8-bit weights.
BERT_API WeightChanges compare_weights(const Model& base, const Model& tuned);

// Late interaction, token by token: for each vector of a query, the vector of a document with the largest dot product.
struct MaxSimMatches {
  struct Text {
    Encoding encoding;
    TokenVectors vectors;
  };
  Text query, document;
  std::vector<double> products;  // [query's vectors, document's vectors]
  std::vector<size_t> matches;   // the document's vector with the largest product, of equal ones the first   [query's]
  double score = 0;              // the sum of these products
  bool is_mean = false;          // TokenVectorSettings::mean_score: their mean instead
};
// Texts are truncated to their role's length. Throws Error for a model without token vectors, and
// Error(kInvalidArgument) for a document without any.
BERT_API MaxSimMatches match_tokens(const Model& model, std::string_view query, std::string_view document);

}  // namespace bert
