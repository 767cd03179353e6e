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
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/config.h"
#include "bert/error.h"
#include "bert/export.h"
#include "bert/memory.h"
#include "bert/runtime.h"
#include "bert/string_range.h"
#include "bert/tokenizer.h"
#include "bert/vector_request.h"

namespace bert {

// The matrix multiplication backend. kNative: this library's kernels for the CPU's ISA, the same bits everywhere.
// kPortable: their plain specification, slow. kOpenBlas: needs libopenblas at run time; its bits depend on the CPU and
// on the batch, and it is set to one thread for the whole process.
// kAuto: kNative if this library has kernels for the CPU, else OpenBLAS, else portable.
enum class GemmProvider { kAuto, kNative, kPortable, kOpenBlas };

// The numbers of the linear layers. kStored: those of the model's files. kFloat32: floats, of any width in the files; a
// model with 8-bit weights is rejected. kInt8: 8-bit integers with a scale for each output, made of floats when the
// model is loaded; activations are quantised for each token (docs/NUMERICS.md). Not with OpenBLAS.
enum class Precision { kStored, kFloat32, kInt8 };

// Task heads. Rows of kMaskedLm, kTokenClassification, kQuestionAnswering and kReplacedTokens are the sequence's tokens
// that are not masked; the others have one row.
enum class Head {
  kMaskedLm,                // [tokens, vocab]
  kSequenceClassification,  // [1, labels]
  kTokenClassification,     // [tokens, labels]
  kQuestionAnswering,       // [tokens, 2]: start and end
  kNextSentence,            // [1, 2]: is the next sentence, is not
  kMultipleChoice,          // [1, 1]: for one choice
  kReplacedTokens,          // [tokens, 1]
};

// Which of the two files of a static model's directory says how its vectors are made, if it has both: config.json, as
// model2vec reads it (the first 512 tokens, without the unknown one), or modules.json, as sentence-transformers does
// (all tokens, and Normalize if it is named there).
enum class StaticFile { kConfig, kModules };

struct LoadOptions {
  static constexpr size_t kMaxThreads = RuntimeOptions::kMaxThreads;
  // At most kMaxThreads; 0: the cores that affinity and the container's limit allow, or fewer, with a notice, if the
  // system creates no more threads.
  size_t threads = 0;
  std::optional<Runtime> runtime = {};  // shared with other models; then threads must be 0
  GemmProvider gemm = GemmProvider::kAuto;
  Precision precision = Precision::kStored;
  bool ignore_unexpected = false;  // unknown tensors are reported, not rejected
  bool check_tensors = false;      // reject NaN and infinity in the weights that are used
  bool copy_weights = false;       // into memory of the model, not mapped: writing to the files then cannot affect it
  Packing packing = Packing::kAutomatic;
  // The most memory for packed weights: if they need more, they are read as they are stored, with a notice. The pages
  // of the mapped files leave the process for it. 0: no bound of the caller's.
  size_t packed_bytes = 0;
  std::string revision = "main";  // of a model looked up in the hub's local cache
  // The task, for a model with a route (a Router) or an adapter (LoRA) for each task. Default: the default route of the
  // model's files, and no adapter. With an adapter the task's instruction is the default prompt.
  std::optional<std::string> task = {};
  // An adapter (LoRA) as peft writes it, merged into the weights in memory: a directory, or a name as the model's.
  std::string adapter = {};
  StaticFile static_file = StaticFile::kConfig;
  TokenizerOptions tokenizer = {};
  // For a GLiNER model whose directory lacks its encoder's configuration or tokenizer: a directory with them, or a name
  // in the hub's local cache. Default: the encoder's name there. An error for a model of another kind.
  std::string encoder = {};
  // For a GLiNER model: the largest number of words of a text and of an entity, in place of its max_len and max_width.
  // At most 1,048,576 and 1,024. An error for a model of another kind.
  std::optional<size_t> max_words = {};
  std::optional<size_t> max_width = {};
  // The encoder is only the first so many layers of the model; the tensors of the others are not used. From 1 to as
  // many as there are.
  std::optional<size_t> layers = {};
};

// One sequence of ids. Views: the caller keeps the memory alive during the call.
struct TokenSequence {
  std::span<const int32_t> ids;
  std::span<const int32_t> type_ids = {};  // empty: all 0
  std::span<const uint8_t> attention_mask =
      {};  // empty: all 1. Masked tokens get no row; the others keep their positions. The first token that is not
           // masked counts as [CLS] for cls pooling, the pooler and the heads with one row
  // The last so many ids attend to the tokens before them, and no token attends to them: the expansion of a query in a
  // late-interaction model (bert/token_vectors.h). Not with an attention_mask, nor with relative positions.
  size_t unattended = 0;
  // If not null, set by a forward pass with 8-bit weights: the sequence's coarse rows (docs/NUMERICS.md, "Coarse rows")
  // in the embeddings, in each layer, then in the pooler and a head if these were computed.   [layers + 1, or more]
  std::vector<size_t>* coarse_rows_by_layer = nullptr;
};

struct EncodeOptions {
  bool hidden_states = false;
  bool attentions = false;
  bool operator==(const EncodeOptions&) const = default;
};

// The encoder's outputs for one sequence. Rows are the tokens whose attention_mask is 1, in order.
struct EncodedSequence {
  size_t tokens = 0;
  size_t hidden = 0;
  std::vector<float> last_hidden_state;  // [tokens, hidden]
  std::vector<float> pooler_output;      // [hidden]; empty if the model has no pooler
  std::vector<float> hidden_states;      // [layers + 1, tokens, hidden], if requested
  std::vector<float> attentions;  // [config.attention_layers(), heads, tokens (query), tokens (key)], if requested
};

struct EncodedText : EncodedSequence {
  Encoding encoding;
  size_t unknown_tokens = 0;        // of the encoding
  size_t coarse_rows = 0;           // with 8-bit weights: rows of activations that 8 bits hardly hold
  std::optional<Error> error = {};  // for calls with many texts: set if this text failed; the rest is then empty
};

// One of many texts.
struct TextReport {
  size_t tokens = 0;            // of its vector
  size_t truncated_tokens = 0;  // removed tokens
  size_t unknown_tokens = 0;
  size_t coarse_rows = 0;  // with 8-bit weights: rows of activations that 8 bits hardly hold
  std::optional<Error> error = {};
};

struct VectorTexts {
  std::vector<TextVectors> vectors;  // [texts]; empty for a failed text
  std::vector<TextReport> reports;   // [texts]
};

struct EmbeddedTexts {
  std::vector<float> vectors;       // [texts, embedding_size(options)]; NaN for a failed text
  std::vector<TextReport> reports;  // [texts]
};

// How much of a run over many texts is done: the first `texts` of the input have their results.
struct TextProgress {
  size_t texts = 0;
  size_t tokens = 0;  // of these texts, including special tokens
};

// Returns whether the run goes on; if not, the call ends with Error(kCancelled). Called in the thread that made the
// call, which does not wait for other threads meanwhile: before the first text, after every few forward passes, and
// after the last text. What it throws ends the run too.
using ProgressCallback = std::function<bool(const TextProgress& done)>;

// The number of floats in each vector of an EncodedSequence, if all are requested.
struct EncodeSizes {
  size_t tokens = 0;  // rows
  size_t last_hidden_state = 0;
  size_t pooler_output = 0;
  size_t hidden_states = 0;
  size_t attentions = 0;
};

// The caller's memory for one sequence's outputs, with the sizes of EncodeSizes. Null: not requested.
struct EncodeBuffers {
  float* last_hidden_state = nullptr;
  float* pooler_output = nullptr;
  float* hidden_states = nullptr;
  float* attentions = nullptr;
};

// A head's logits for one sequence.
struct Logits {
  size_t rows = 0;
  size_t outputs = 0;
  std::vector<float> values;  // [rows, outputs]
};

// The size of a sequence's logits, without LogitsOptions.
struct LogitsSizes {
  size_t rows = 0;
  size_t outputs = 0;
};

struct LogitsOptions {
  std::optional<int32_t> only_id = {};  // for heads with one row per token: only the rows of tokens with this id
  bool operator==(const LogitsOptions&) const = default;
};

// One tensor of the checkpoint.
struct TensorInfo {
  std::string name;  // as in the file
  std::string dtype;
  std::vector<size_t> shape;
  size_t bytes = 0;
  bool used = false;  // by the encoder and its pooler
};

struct ModelDescription {
  std::string source;               // directory, or "built-in"
  bool is_builtin = false;          // the built-in model; a directory can have that name too
  std::vector<std::string> files;   // weight files
  std::vector<TensorInfo> tensors;  // in the file's order
  std::string gemm;                 // "native", "portable" or "openblas"
  std::string gemm_reason;          // why this one, and the path of the library, if any
  std::string isa;                  // "portable", "avx2", "avx512" or "neon"
  std::string isa_reason;           // the CPU's features, and what BERT_INFER_ISA leaves of them
  std::string precision;            // of the linear layers: "float32", "float16", "bfloat16" or "int8"
  std::string precision_reason;     // why this one
  std::string adapter;              // the directory of its adapter (LoRA); "": none
  size_t adapter_bytes = 0;         // memory of the weights that an adapter changes
  std::string label_reader;         // of a model that reads labels: how it finds entities; else ""
  size_t packed_bytes = 0;          // of weights that are packed, or that the next pass packs; 0: read as stored
  std::string panel_file;           // the file of packed weights that is mapped (bert/pack.h); "": none
  std::string kernel;               // of their products: "portable", "avx2", "avx512vnni", … or "openblas"
  size_t threads = 0;
  bool reproducible = true;  // the same bits in any batch, on any number of threads, on any CPU
  int arithmetic = 1;        // where two versions of the library differ in it, the same files give other bits
};

// The cost of one forward pass.
struct ForwardCost {
  double flops = 0;            // of the matrix products, a multiply-add counted as two
  size_t weight_bytes = 0;     // read once
  size_t workspace_bytes = 0;  // scratch memory, allocated by the first pass of this size
};

struct Interventions;  // bert/explain.h

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
  // Throws Error, which says what is missing or unsupported, if the model has no tokenizer. So do the calls with a
  // text; those with ids need none.
  const Tokenizer& tokenizer() const;
  bool has_pooler() const;
  const std::vector<Head>& heads() const;
  PoolingSettings pooling() const;  // what the model's files say
  // The pooling of embed with these options. Throws Error if embed would for any text: a missing pooler, an unsupported
  // module, an unknown prompt.
  PoolingSettings pooling(const EmbedOptions& options) const;
  size_t embedding_size(const EmbedOptions& options = {}) const;  // of embed's vectors
  // The prompt of this name, else the default one; "" if there is none. Throws Error for an unknown name, with the
  // known ones.
  std::string prompt(const std::optional<std::string>& name = {}) const;
  // The prompt that this request puts before a text. Throws the error that prevents one of its kinds for every text.
  std::string prompt(const VectorRequest& request) const;
  // How embed_sparse makes a vector. Throws Error if it would for any text: the model's files make no sparse vector
  // (kNotFound, kUnsupported), an unknown prompt, max_active 0.
  SparseSettings sparse(const SparseOptions& options = {}) const;
  std::vector<std::string> prompt_names() const;  // sorted
  std::string default_prompt_name() const;        // "" if the model's files name none
  // similarity_fn_name of the model's files, else the dot product for a SparseEncoder and the cosine for others. Throws
  // Error(kUnsupported) for an unknown name.
  SimilarityFunction similarity() const;
  size_t threads() const;        // of one pass, if they are free
  size_t max_length() const;     // default limit of a sequence in tokens, from the model's files
  size_t max_positions() const;  // the longest sequence that the positions allow, at least max_length()
  const std::vector<std::string>& notices() const;  // messages for the user, including the tokenizer's
  ModelDescription describe() const;
  // Throws Error(kInvalidFile) if a mapped weight file was written since the model was loaded: results since then may
  // be wrong. A file that was replaced by a rename is no error, because the model keeps the old one. A file that is
  // truncated ends the process with SIGBUS when its missing pages are read; LoadOptions::copy_weights prevents both.
  void check_files() const;
  ForwardCost cost(std::span<const size_t> lengths) const;  // of a batch of sequences of these lengths

  // Throws Error, with token and id, for a sequence that the encoder cannot process: no tokens, an id outside the
  // vocabulary, a type id outside the segments, too long for the positions. encode and embed check every sequence.
  void check(const TokenSequence& sequence) const;

  // A view of an encoding as the encoder's input, without type ids for a model with one segment. The caller keeps the
  // encoding alive.
  TokenSequence sequence(const Encoding& encoding) const;

  // Tokenises with the model's length limit, then encodes. A longer text is truncated; EncodedText::encoding reports
  // it, and so do the reports of many texts; embed() of one text does not.
  EncodedText encode(std::string_view text, const EncodeOptions& options = {}) const;
  EncodedText encode(std::string_view text, std::string_view pair, const EncodeOptions& options = {}) const;
  std::vector<float> embed(std::string_view text, const EmbedOptions& options = {}) const;  // [embedding_size(options)]

  // Many texts, {"one", "two"} or a range of strings, results in their order: tokenised and encoded on all threads. A
  // failed text has an error in its result. For streams, pairs, windows, ids and heads: bert/text_pipeline.h.
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

  // The same into the caller's memory.   vectors: [texts, embedding_size(options)]; reports: [texts]. After a
  // cancellation the texts that are done have their vectors; the others have NaN, and the error kCancelled. truncation:
  // with kError a text that is too long has an error in place of a vector.
  void embed(std::span<const std::string_view> texts, std::span<float> vectors, std::span<TextReport> reports,
             const EmbedOptions& options = {}, const ProgressCallback& progress = {},
             Truncation truncation = Truncation::kLongestFirst) const;

  // Batches. A sequence's numbers do not depend on the others (except with OpenBLAS). Throws Error, with the index, for
  // a sequence that check() rejects or whose output has a NaN or an infinity.
  std::vector<EncodedSequence> encode(std::span<const TokenSequence> batch, const EncodeOptions& options = {}) const;
  std::vector<float> embed(std::span<const TokenSequence> batch,
                           const EmbedOptions& options = {}) const;  // [batch, embedding_size(options)]

  // The same into the caller's memory, which must not overlap. After an error its content is undefined.
  EncodeSizes sizes(const TokenSequence& sequence) const;
  void encode(std::span<const TokenSequence> batch, std::span<const EncodeBuffers> buffers) const;
  void embed(std::span<const TokenSequence> batch, std::span<float> vectors,  // [batch, embedding_size(options)]
             const EmbedOptions& options = {}) const;

  // The vectors that the request names, of one forward pass. Of a text: truncated to the model's max_length; of texts
  // as embed(texts); of ids: as they are, to which a prompt and a role's tokens belong (tokenize of
  // bert/token_vectors.h).
  TextVectors vectors(std::string_view text, const VectorRequest& request) const;
  VectorTexts vectors(std::span<const std::string_view> texts, const VectorRequest& request,
                      const ProgressCallback& progress = {}, Truncation truncation = Truncation::kLongestFirst) const;
  template <StringRange Texts = TextList>
  VectorTexts vectors(const Texts& texts, const VectorRequest& request, const ProgressCallback& progress = {}) const {
    return vectors(std::span<const std::string_view>(text_views(texts)), request, progress);
  }
  std::vector<TextVectors> vectors(std::span<const TokenSequence> batch, const VectorRequest& request) const;

  // A head's logits for each sequence. Throws Error(kNotFound) if the model does not have this head, with those it has.
  std::vector<Logits> logits(Head head, std::span<const TokenSequence> batch, const LogitsOptions& options = {}) const;
  void require(Head head) const;                                             // throws that error
  LogitsSizes logits_sizes(Head head, const TokenSequence& sequence) const;  // throws it too

  struct Impl;

 private:
  friend struct ModelAccess;
  explicit Model(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;                                 // shared with the model that intervene() changed
  std::shared_ptr<const std::vector<Interventions>> interventions_;  // in each forward pass; null: none
};

// A model's tokenizer and length limits, without the weights. Only the tokenizer's files must be in the directory;
// sentence_bert_config.json and config.json are read if they exist.
struct LoadedTokenizer {
  Tokenizer tokenizer;
  std::optional<size_t> max_length;     // as Model::max_length(); none if no file has one
  std::optional<size_t> max_positions;  // as Model::max_positions(); none without config.json
  std::vector<std::string> notices;     // including the tokenizer's
};

// `name` as in Model::load; only the options tokenizer, revision, task, adapter and encoder are used.
BERT_API LoadedTokenizer load_tokenizer(const std::string& name, const LoadOptions& options = {});
BERT_API LoadedTokenizer builtin_tokenizer(const LoadOptions& options = {});

// Throws Error(kInvalidArgument) for a limit of tokens past the model's positions.
BERT_API void check_max_length(size_t max_length, size_t max_positions);

BERT_API std::string_view name(PoolingMode mode);  // as in the files: "cls", "mean", "mean_sqrt_len_tokens", …
BERT_API std::string_view name(Head head);         // "masked LM", "sequence classification", …

// Cosine of two vectors of equal size, summed in float64: -1 to 1. 0 if one of them is all zeros.
BERT_API double cosine_similarity(std::span<const float> a, std::span<const float> b);

// The same by any function, summed in float64.
BERT_API double similarity(SimilarityFunction function, std::span<const float> a, std::span<const float> b);
// The similarity of sparse vectors. Throws Error(kInvalidArgument) where ids do not ascend or are not as many as the
// weights.
BERT_API double similarity(SimilarityFunction function, const SparseVector& a, const SparseVector& b);
BERT_API std::string_view name(
    SimilarityFunction function);  // as in the files: "cosine", "dot", "euclidean", "manhattan"

// The directory of a model: `name` itself, else the snapshot in the hub's local cache. A name without an organisation
// is also looked for in the working directory's checkpoints/, before the cache, and of sentence-transformers' models.
// cache: the hub's cache; empty: where the environment says that it is. Throws Error(kNotFound).
BERT_API std::filesystem::path find_model(const std::string& name, const std::string& revision = "main",
                                          const std::filesystem::path& cache = {});

BERT_API std::string_view version();  // "0.1.0"

}  // namespace bert
