// The kinds of vectors of a text: a dense vector, a sparse vector (weights of the vocabulary's entries), a vector for
// each token (late interaction), or several kinds from one forward pass.
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

// How the tokens' vectors become one vector. kMeanSqrtLength: their sum divided by the square root of their number.
// kWeightedMean: token i, counted from 1, has the weight i. kPooler: the model's dense layer on the first token.
enum class PoolingMode { kCls, kMean, kMax, kPooler, kMeanSqrtLength, kWeightedMean, kLastToken };
inline constexpr PoolingMode kPoolingModes[] = {
    PoolingMode::kCls,      PoolingMode::kMean,           PoolingMode::kMax,
    PoolingMode::kPooler,   PoolingMode::kMeanSqrtLength, PoolingMode::kWeightedMean,
    PoolingMode::kLastToken};

// How two vectors are compared. Distances are negated, so a larger number always means more similar.
enum class SimilarityFunction { kCosine, kDot, kEuclidean, kManhattan };

enum class TextRole { kQuery, kDocument };
BERT_API std::string_view name(TextRole role);  // "query", "document"

// Returns names of prompts in models' files, in the order of preference: "query"; "document", "passage", "corpus".
// Source: sentence-transformers, encode_query and encode_document.
BERT_API std::span<const std::string_view> prompt_names(TextRole role);

struct PoolingSettings {
  std::vector<PoolingMode> modes = {PoolingMode::kMean};  // several: their vectors are concatenated in this order
  bool normalize = false;                                 // the vector is scaled to length 1
  bool declared = false;                                  // true: modules.json says so; false: this library's default
  // Descriptions of the modules after the encoder, in order: "Pooling mean", "Dense 768 to 512, Tanh", "Normalize".
  std::vector<std::string> modules = {};
  // How many first numbers of the vector the model's files keep, after the modules.
  std::optional<size_t> dimensions = {};
  // A requirement of modules.json or the files that it names that this library does not support, with the file's name.
  // If not empty, embed throws it unless the caller chooses a pooling, which is then applied without the modules.
  std::string unsupported = {};
};

// Returns a description of the default pooling if the model's files declare none; "" if they do.
BERT_API std::string undeclared_pooling(const PoolingSettings& settings);

struct EmbedOptions {
  std::optional<PoolingMode> pooling = {};  // instead of the model's own pooling; the modules after it stay
  std::optional<bool> normalize = {};       // default: as the model's files say
  // Keeps this many first numbers of the vector (Matryoshka), then normalises. Default: as the model's files say, which
  // keep them after normalising, or all.
  std::optional<size_t> dimensions = {};
  // The name of the model's prompt to put before the text. Default: the prompt that the model's files name, if any. For
  // calls with texts; ids must already include the prompt's ids (Model::prompt).
  std::optional<std::string> prompt = {};
  // A text to put before the text, instead of a prompt of the model; "": no prompt. `prompt` must then not be set.
  std::optional<std::string> prompt_text = {};
  bool operator==(const EmbedOptions&) const = default;
};

// A text's sparse vector: ascending ids of the vocabulary, and their weights, none of which is 0.
struct SparseVector {
  std::vector<int32_t> ids;
  std::vector<float> weights;  // [ids]
};

// How a text becomes a sparse vector.
struct SparseSettings {
  size_t size = 0;          // number of entries of the vocabulary; ids are below it
  bool declared = false;    // true: modules.json says so; false: this library's default for a model with a masked LM
                            // head
  std::string module = {};  // a description: "Masked LM's outputs, max of log(1 + relu)"
  // How many largest weights the model's files keep.
  std::optional<size_t> max_active = {};
  SimilarityFunction similarity = SimilarityFunction::kDot;  // the function for comparing the vectors
};

struct SparseOptions {
  // Keeps the max_active largest weights; ties go to the smaller id. Default: as the model's files say, or all.
  std::optional<size_t> max_active = {};
  std::optional<std::string> prompt = {};       // as in EmbedOptions
  std::optional<std::string> prompt_text = {};  // as in EmbedOptions
  bool operator==(const SparseOptions&) const = default;
};

// The token vectors of one text. Some tokens get none, such as a document's punctuation if the model's files say so.
struct TokenVectors {
  size_t size = 0;               // numbers of a vector
  std::vector<float> values;     // [vectors, size]
  std::vector<uint32_t> tokens;  // [vectors]: index of the vector's token in its sequence
};

// The kinds of vectors to compute; the others stay empty. All kinds come from the same tokens. So a model that reads
// queries and documents differently (ColBERT's markers, an expanded query) computes token vectors without other kinds.
struct VectorRequest {
  std::optional<EmbedOptions> dense = {};
  std::optional<SparseOptions> sparse = {};
  bool tokens = false;
  // The role of the text. The prompt is the first of prompt_names(role) that the model has, if any; without a role,
  // token vectors are a document's.
  std::optional<TextRole> role = {};
  // As in EmbedOptions, instead of the role's prompt. If both are unset, a prompt of `dense` or `sparse` is used; two
  // different prompts are an error.
  std::optional<std::string> prompt = {};
  std::optional<std::string> prompt_text = {};
  // Requests a dense vector for each chunk of a text, and no other kind; only for texts, not for ids or pairs. The
  // model's attention must be bidirectional, and its pooling must be over all tokens.
  std::optional<ChunkOptions> chunks = {};
  bool operator==(const VectorRequest&) const = default;

  // Returns whether only token vectors are requested, with a role: a text is then tokenised as the model reads that
  // role, with markers, expansion and length.
  bool tokenizes_by_role() const { return tokens && role && !dense && !sparse; }
};

struct TextVectors {
  std::vector<float> dense = {};  // [embedding_size]; [chunks, embedding_size] for a request for chunks
  std::vector<TextChunk> chunks = {};
  SparseVector sparse = {};
  TokenVectors tokens = {};
};

}  // namespace bert
