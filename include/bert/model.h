// A BERT encoder with its tokenizer: load a directory, then encode (token vectors, pooled output) or embed (one vector
// per text). A directory without a tokenizer loads too; its model encodes and embeds ids. A loaded model is immutable;
// any number of threads may use one at the same time.
//
//   bert::Model model = bert::Model::load("path/to/bert-base-uncased");
//   bert::EncodedText encoded = model.encode("The quick brown fox");      // last_hidden_state: [tokens, hidden]
//   std::vector<float> vector = model.embed("jumps over the lazy dog");   // [hidden]
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/config.h"
#include "bert/encoded.h"
#include "bert/error.h"
#include "bert/export.h"
#include "bert/load_options.h"
#include "bert/logits.h"
#include "bert/many_texts.h"
#include "bert/memory.h"
#include "bert/model_description.h"
#include "bert/runtime.h"
#include "bert/similarity.h"
#include "bert/string_range.h"
#include "bert/tokenizer.h"
#include "bert/vector_request.h"

namespace bert {

struct Interventions;  // bert/interventions.h

class BERT_API Model {
 public:
  // `name` is a directory in the Hugging Face layout, or the name of a model in the hub's local cache (HF_HUB_CACHE,
  // HF_HOME, XDG_CACHE_HOME); never the network. Throws Error for anything missing, malformed or unsupported.
  static Model load(const std::string& name, const LoadOptions& options = {});
  // The built-in small English model (docs/BUILTIN_MODEL.md).
  static Model builtin(const LoadOptions& options = {});

  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const ModelConfig& config() const;
  bool has_tokenizer() const;
  // Throws Error, which says what is missing or unsupported, if the model has no tokenizer; so does every call with a
  // text. Calls with ids need no tokenizer.
  const Tokenizer& tokenizer() const;
  bool has_pooler() const;
  // Throws Error(kNotFound) if the model has no head for contacts (EncodeOptions).
  void require_contacts() const;
  const std::vector<Head>& heads() const;
  PoolingSettings pooling() const;  // as the model's files say
  // Returns the pooling of embed with these options. Throws Error if embed would throw it for any text: for a missing
  // pooler, an unsupported module, an unknown prompt.
  PoolingSettings pooling(const EmbedOptions& options) const;
  size_t embedding_size(const EmbedOptions& options = {}) const;  // numbers of embed's vectors
  // Returns the prompt `name`, or the default prompt; "" if there is none. Throws Error for an unknown name; the
  // message lists the known names.
  std::string prompt(const std::optional<std::string>& name = {}) const;
  // Returns the prompt that the request puts before a text. Throws Error if one of the request's kinds fails for every
  // text.
  std::string prompt(const VectorRequest& request) const;
  // Returns how the model makes sparse vectors (VectorRequest::sparse). Throws Error if every text would fail: if the
  // model makes no sparse vectors (kNotFound, kUnsupported), for an unknown prompt, for max_active 0.
  SparseSettings sparse(const SparseOptions& options = {}) const;
  std::vector<std::string> prompt_names() const;  // sorted
  std::string default_prompt_name() const;        // "" if the model's files name none
  // Returns similarity_fn_name of the model's files; without it, the dot product for a SparseEncoder and the cosine for
  // others. Throws Error(kUnsupported) for an unknown name.
  SimilarityFunction similarity() const;
  size_t threads() const;        // the most threads of one forward pass
  size_t max_length() const;     // default limit of a sequence in tokens, from the model's files
  size_t max_positions() const;  // the longest sequence that the positions allow, at least max_length()
  const std::vector<std::string>& notices() const;  // messages for the user, including the tokenizer's
  ModelDescription describe() const;
  // Throws Error(kInvalidFile) if a mapped weight file was written to since the model was loaded: results since then
  // may be wrong. Replacing the file by a rename is no error, because the model keeps the old file. A file that is
  // truncated ends the process with SIGBUS when its missing pages are read. LoadOptions::copy_weights prevents both.
  void check_files() const;
  ForwardCost cost(std::span<const size_t> lengths) const;  // for a batch of these lengths

  // Throws Error, with token and id, for a sequence that the encoder cannot process: no tokens, an id outside the
  // vocabulary, a type id outside the segments, or more tokens than positions. encode and embed check every sequence.
  void check(const TokenSequence& sequence) const;

  // Returns a view of an encoding as the encoder's input, without type ids if the model has one segment. The caller
  // keeps the encoding alive.
  TokenSequence sequence(const Encoding& encoding) const;

  // Tokenises a text with the model's length limit, then encodes it. A longer text is truncated; EncodedText::encoding
  // and the reports of many texts say so; embed() of one text does not.
  EncodedText encode(std::string_view text, const EncodeOptions& options = {}) const;
  EncodedText encode(std::string_view text, std::string_view pair, const EncodeOptions& options = {}) const;
  std::vector<float> embed(std::string_view text, const EmbedOptions& options = {}) const;  // [embedding_size(options)]

  // Encodes or embeds many texts, {"one", "two"} or a range of strings, on all threads; results are in the texts'
  // order. A failed text has an error in its result. For streams, pairs, windows, ids and heads use
  // bert/text_pipeline.h.
  std::vector<EncodedText> encode(std::span<const std::string_view> texts, const EncodeOptions& options = {},
                                  const ProgressCallback& progress = {}) const;
  EmbeddedTexts embed(std::span<const std::string_view> texts, const EmbedOptions& options = {},
                      const ProgressCallback& progress = {}) const;
  template <StringRange Texts = TextList>
  std::vector<EncodedText> encode(const Texts& texts, const EncodeOptions& options = {},
                                  const ProgressCallback& progress = {}) const {
    return encode(std::span<const std::string_view>(text_views(texts)), options, progress);
  }
  template <StringRange Texts = TextList>
  EmbeddedTexts embed(const Texts& texts, const EmbedOptions& options = {},
                      const ProgressCallback& progress = {}) const {
    return embed(std::span<const std::string_view>(text_views(texts)), options, progress);
  }

  // Embeds many texts into the caller's memory.   vectors: [texts, embedding_size(options)]; reports: [texts]. After a
  // cancellation the finished texts have their vectors; the others have NaN and the error kCancelled. truncation: with
  // kError a text that is too long gets an error instead of a vector.
  void embed(std::span<const std::string_view> texts, std::span<float> vectors, std::span<TextReport> reports,
             const EmbedOptions& options = {}, const ProgressCallback& progress = {},
             Truncation truncation = Truncation::kLongestFirst) const;

  // Encodes or embeds a batch of sequences. A sequence's numbers do not depend on the others (except with OpenBLAS).
  // Throws Error, with the index, for a sequence that check() rejects or whose output has a NaN or an infinity.
  std::vector<EncodedSequence> encode(std::span<const TokenSequence> batch, const EncodeOptions& options = {}) const;
  std::vector<float> embed(std::span<const TokenSequence> batch,
                           const EmbedOptions& options = {}) const;  // [batch, embedding_size(options)]

  // Encodes or embeds a batch into the caller's memory, which must not overlap. After an error its content is
  // undefined.
  EncodeSizes sizes(const TokenSequence& sequence) const;
  void encode(std::span<const TokenSequence> batch, std::span<const EncodeBuffers> buffers) const;
  void embed(std::span<const TokenSequence> batch, std::span<float> vectors,  // [batch, embedding_size(options)]
             const EmbedOptions& options = {}) const;

  // Computes all vectors that the request names in one forward pass. A text is truncated to the model's max_length;
  // many texts are computed as by embed(texts); ids are used as they are, so the prompt and a role's tokens must be
  // among them (tokenize of bert/token_vectors.h).
  TextVectors vectors(std::string_view text, const VectorRequest& request) const;
  VectorTexts vectors(std::span<const std::string_view> texts, const VectorRequest& request,
                      const ProgressCallback& progress = {}, Truncation truncation = Truncation::kLongestFirst) const;
  template <StringRange Texts = TextList>
  VectorTexts vectors(const Texts& texts, const VectorRequest& request, const ProgressCallback& progress = {}) const {
    return vectors(std::span<const std::string_view>(text_views(texts)), request, progress);
  }
  std::vector<TextVectors> vectors(std::span<const TokenSequence> batch, const VectorRequest& request) const;

  // Returns a head's logits for each sequence. Throws Error(kNotFound), which lists the model's heads, if it lacks this
  // head.
  std::vector<Logits> logits(Head head, std::span<const TokenSequence> batch, const LogitsOptions& options = {}) const;
  void require(Head head) const;                                             // throws Error(kNotFound) without the head
  LogitsSizes logits_sizes(Head head, const TokenSequence& sequence) const;  // throws as require does

  struct Impl;

 private:
  friend struct ModelAccess;
  explicit Model(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;                                 // shared with models that intervene() made
  std::shared_ptr<const std::vector<Interventions>> interventions_;  // changes of each forward pass; null: none
};

// A model's tokenizer and length limits, without the weights. Only the tokenizer's files must be in the directory;
// sentence_bert_config.json and config.json are read if they exist.
struct LoadedTokenizer {
  Tokenizer tokenizer;
  std::optional<size_t> max_length;     // as Model::max_length(); nullopt if no file has one
  std::optional<size_t> max_positions;  // as Model::max_positions(); nullopt without config.json
  std::vector<std::string> notices;     // including the tokenizer's
};

// Loads a tokenizer. `name` as in Model::load; of options, only tokenizer, revision, task, adapter and encoder are
// used.
BERT_API LoadedTokenizer load_tokenizer(const std::string& name, const LoadOptions& options = {});
BERT_API LoadedTokenizer builtin_tokenizer(const LoadOptions& options = {});

// Throws Error(kInvalidArgument) if max_length exceeds max_positions.
BERT_API void check_max_length(size_t max_length, size_t max_positions);

BERT_API std::string_view name(PoolingMode mode);  // the name in the model's files: "cls", "mean",
                                                   // "mean_sqrt_len_tokens", …
// Returns a model's directory: `name` itself, else its snapshot in the hub's local cache. A name without an
// organisation is first looked up in the working directory's checkpoints/, and in the cache also among
// sentence-transformers' models. cache: the hub's cache; empty: the path that the environment names. Throws
// Error(kNotFound).
BERT_API std::filesystem::path find_model(const std::string& name, const std::string& revision = "main",
                                          const std::filesystem::path& cache = {});

BERT_API std::string_view version();  // "0.1.0"

}  // namespace bert
