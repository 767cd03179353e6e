// The vectors of a text: a dense one, weights of the vocabulary's entries (sparse), one for each token (late
// interaction), or several of these by one forward pass.
//
//   bert::VectorRequest request{.dense = bert::EmbedOptions{}, .role = bert::TextRole::kQuery};
//   bert::TextVectors vectors = model.vectors("a question", request);
//   use(vectors.dense);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/chunks.h"
#include "bert/export.h"

namespace bert {

// How the tokens' vectors become one. kMeanSqrtLength: their sum by the root of their number. kWeightedMean: the first
// token counts once, the second twice, and so on. kPooler: the model's own dense layer over the first token.
enum class PoolingMode { kCls, kMean, kMax, kPooler, kMeanSqrtLength, kWeightedMean, kLastToken };
inline constexpr PoolingMode kPoolingModes[] = {
    PoolingMode::kCls,      PoolingMode::kMean,           PoolingMode::kMax,
    PoolingMode::kPooler,   PoolingMode::kMeanSqrtLength, PoolingMode::kWeightedMean,
    PoolingMode::kLastToken};

// How two vectors are compared. The distances are negative, so that more is always more similar.
enum class SimilarityFunction { kCosine, kDot, kEuclidean, kManhattan };

enum class TextRole { kQuery, kDocument };
BERT_API std::string_view name(TextRole role);  // "query", "document"

// Names of prompts in models' files, in the order in which they are looked for: "query"; "document", "passage",
// "corpus". Source: sentence-transformers, encode_query and encode_document.
BERT_API std::span<const std::string_view> prompt_names(TextRole role);

struct PoolingSettings {
  std::vector<PoolingMode> modes = {PoolingMode::kMean};  // several: their vectors side by side, in this order
  bool normalize = false;                                 // the vector ends up with length 1
  bool declared = false;                                  // modules.json says so; false: this library's default
  // The modules after the encoder, in order, each in words: "Pooling mean", "Dense 768 to 512, Tanh", "Normalize".
  std::vector<std::string> modules = {};
  // How many of the vector's first numbers the model's files keep, after its modules.
  std::optional<size_t> dimensions = {};
  // What modules.json and the files it names ask for and this library does not do, with the file's name. Not empty:
  // embed throws it unless the caller names a pooling, which is then all that is done.
  std::string unsupported = {};
};

// What this library does where the model's files do not say how to pool, in words; "" if they do.
BERT_API std::string undeclared_pooling(const PoolingSettings& settings);

struct EmbedOptions {
  std::optional<PoolingMode> pooling = {};  // in place of the model's own; the modules after it stay
  std::optional<bool> normalize = {};       // default: what the model says
  // Keeps the vector's first numbers, this many (Matryoshka); cut, then normalised. Default: what the model's files
  // say, which cut after normalising, or all.
  std::optional<size_t> dimensions = {};
  // Which of the model's prompts goes before the text; default: the one that the model's files name, if any. For
  // embed(text); with ids it has to be in them (Model::prompt).
  std::optional<std::string> prompt = {};
  // This text goes before the text in place of a prompt of the model; "": none does. Then `prompt` must not be set.
  std::optional<std::string> prompt_text = {};
  bool operator==(const EmbedOptions&) const = default;
};

// A text's sparse vector: entries of the vocabulary, ascending, and the weight of each, which is not 0.
struct SparseVector {
  std::vector<int32_t> ids;
  std::vector<float> weights;  // [ids]
};

// How a text becomes a sparse vector.
struct SparseSettings {
  size_t size = 0;          // entries of the vocabulary: ids are below it
  bool declared = false;    // modules.json says so; false: this library's default for a model with a masked LM head
  std::string module = {};  // in words: "Masked LM's outputs, max of log(1 + relu)"
  // How many of the largest weights the model's files keep.
  std::optional<size_t> max_active = {};
  SimilarityFunction similarity = SimilarityFunction::kDot;  // how such vectors are compared
};

struct SparseOptions {
  // Keeps the max_active largest weights; ties go to the smaller id. Default: what the model's files say, or all.
  std::optional<size_t> max_active = {};
  std::optional<std::string> prompt = {};       // as in EmbedOptions
  std::optional<std::string> prompt_text = {};  // as in EmbedOptions
  bool operator==(const SparseOptions&) const = default;
};

// The vectors of one text. Tokens without one (punctuation of a document, as the model's files say) are left out.
struct TokenVectors {
  size_t size = 0;               // numbers of a vector
  std::vector<float> values;     // [vectors, size]
  std::vector<uint32_t> tokens;  // [vectors]: the index of each one's token in its sequence
};

// The kinds of vectors to make; the others stay empty. All are of the same tokens: token vectors of a model that reads
// queries and documents differently (ColBERT's markers, an expanded query) are made alone.
struct VectorRequest {
  std::optional<EmbedOptions> dense = {};
  std::optional<SparseOptions> sparse = {};
  bool tokens = false;
  // What the text is. A query's or a document's prompt is the first of prompt_names(role) that the model has, else
  // none; token vectors without a role are a document's.
  std::optional<TextRole> role = {};
  // As in EmbedOptions, in place of the role's. A prompt of `dense` or `sparse` counts if there is none here; two that
  // differ are an error.
  std::optional<std::string> prompt = {};
  std::optional<std::string> prompt_text = {};
  // A dense vector for each chunk of a text, and no other kind; texts alone, no ids and no pairs. The model's tokens
  // see each other, and its pooling is over all tokens.
  std::optional<ChunkOptions> chunks = {};
  bool operator==(const VectorRequest&) const = default;

  // Token vectors alone, of a role: a text is tokenised as the model reads that role, markers, expansion and length
  // included.
  bool tokenizes_by_role() const { return tokens && role && !dense && !sparse; }
};

struct TextVectors {
  std::vector<float> dense = {};  // [embedding_size], or [chunks, embedding_size] of a request for chunks
  std::vector<TextChunk> chunks = {};
  SparseVector sparse = {};
  TokenVectors tokens = {};
};

}  // namespace bert
