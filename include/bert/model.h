// A BERT encoder with its tokenizer: load a directory, then encode (token representations, pooled output) or embed
// (one vector a text). A loaded model is immutable; any number of threads may use one at once.
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
#include "bert/error.h"
#include "bert/export.h"
#include "bert/runtime.h"
#include "bert/tokenizer.h"

namespace bert {

// Who multiplies matrices. kOwn: this library's kernels for the CPU's ISA, the same bits everywhere. kPortable: their
// plain specification, slow. kOpenBlas: needs libopenblas at run time; its bits depend on the CPU
// and on the batch, and it is set to one thread for all of the process.
// kAuto: kOwn where the CPU has kernels of ours, else OpenBLAS, else portable.
enum class GemmProvider { kAuto, kOwn, kPortable, kOpenBlas };

// Positions in place of the model's own, for an experiment; Model::config() and a notice say so.
enum class Positions { kOwn, kLearned, kSinusoidal, kNone };

// What a model can say beside its encoder's outputs. Rows of kMaskedLm, kTokenClassification, kQuestionAnswering and
// kReplacedTokens are a sequence's tokens that its mask leaves; the others have one row.
enum class Head {
  kMaskedLm,                // [tokens, vocab]
  kSequenceClassification,  // [1, labels]
  kTokenClassification,     // [tokens, labels]
  kQuestionAnswering,       // [tokens, 2]: start and end
  kNextSentence,            // [1, 2]: it is the next, it is not
  kMultipleChoice,          // [1, 1]: of one choice
  kReplacedTokens,          // [tokens, 1]
};

enum class PoolingMode { kCls, kMean, kMax, kPooler };

struct LoadOptions {
  static constexpr size_t kMaxThreads = RuntimeOptions::kMaxThreads;
  size_t threads = 0;  // at most kMaxThreads; 0: the CPUs that the process may use (affinity and the container's limit)
  std::optional<Runtime> runtime =
      {};  // whose threads and memory are used, shared with other models; then threads is 0
  GemmProvider gemm = GemmProvider::kAuto;
  bool ignore_unexpected = false;  // tensors of unknown names are noticed, not refused
  bool check_tensors = false;      // refuse a NaN or an infinity in any weight that is used
  std::string revision = "main";   // of a model looked up in the hub's local cache
  Positions positions = Positions::kOwn;
  TokenizerOptions tokenizer = {};
};

// One sequence of ids, ready for the encoder. Views: the caller keeps the memory alive during the call.
struct TokenSequence {
  std::span<const int32_t> ids;
  std::span<const int32_t> type_ids = {};  // empty: all 0
  std::span<const uint8_t> attention_mask =
      {};  // empty: all 1. Masked tokens get no row; the others keep their positions. The first that is not masked is
           // what pooling by cls, the pooler and the heads of a whole sequence take for [CLS]
};

struct EncodeOptions {
  bool hidden_states = false;
  bool attentions = false;
};

// What the encoder says of one sequence. Rows are the tokens whose attention_mask is 1, in order.
struct EncodedSequence {
  size_t tokens = 0;
  size_t hidden = 0;
  std::vector<float> last_hidden_state;  // [tokens, hidden]
  std::vector<float> pooler_output;      // [hidden]; empty where the model has no pooler
  std::vector<float> hidden_states;      // [layers + 1, tokens, hidden], if asked for
  std::vector<float> attentions;  // [config.attention_layers(), heads, tokens (query), tokens (key)], if asked for
};

struct EncodedText : EncodedSequence {
  Encoding encoding;
  size_t unknown_tokens = 0;        // of the encoding
  std::optional<Error> error = {};  // of many texts: this one failed, and the rest of it is empty
};

// One of many texts.
struct TextReport {
  size_t tokens = 0;            // that its vector was made of
  size_t truncated_tokens = 0;  // that were cut
  size_t unknown_tokens = 0;
  std::optional<Error> error = {};
};

struct EmbeddedTexts {
  std::vector<float> vectors;       // [texts, embedding_size(options)]; NaN for a text that failed
  std::vector<TextReport> reports;  // [texts]
};

// How many floats one sequence gives: what EncodedSequence's vectors hold, all of it asked for.
struct EncodeSizes {
  size_t tokens = 0;  // rows
  size_t last_hidden_state = 0;
  size_t pooler_output = 0;
  size_t hidden_states = 0;
  size_t attentions = 0;
};

// Where one sequence's numbers go: memory of the caller, of the size that EncodeSizes says. Null: not wanted.
struct EncodeBuffers {
  float* last_hidden_state = nullptr;
  float* pooler_output = nullptr;
  float* hidden_states = nullptr;
  float* attentions = nullptr;
};

// What the embedding layer adds up for each token of a sequence, and what its LayerNorm makes of the sum. Rows as in
// EncodedSequence; every matrix is [tokens, hidden]. A part that the model does not add is empty.
struct EmbeddingParts {
  size_t tokens = 0;
  size_t hidden = 0;  // of the embedding layer
  std::vector<float> word;
  std::vector<float> position;
  std::vector<float> segment;
  std::vector<float> sum;         // word + segment + position
  std::vector<float> normalized;  // LayerNorm of the sum
};

// The learned position vectors, by position.
struct PositionTable {
  size_t positions = 0;
  size_t hidden = 0;
  std::vector<float> values;  // [positions, hidden]
};

// Of one head for one sequence.
struct Logits {
  size_t rows = 0;
  size_t outputs = 0;
  std::vector<float> values;  // [rows, outputs]
};

struct LogitsOptions {
  std::optional<int32_t> only_id = {};  // of a head with a row a token: the rows of tokens with this id only
};

struct PoolingSettings {
  PoolingMode mode = PoolingMode::kMean;
  bool normalize = false;
  bool declared = false;  // modules.json says so; false: this library's default
  // What modules.json and the files it names ask for and this library does not do, with the file's name. Not empty:
  // embed throws it unless the caller names a pooling, which is then all that is done.
  std::string unsupported = {};
};

struct EmbedOptions {
  std::optional<PoolingMode> pooling = {};  // default: what the model says
  std::optional<bool> normalize = {};       // default: what the model says
  // The first so many of the vector's numbers (Matryoshka); cut, then normalised. Default: all.
  std::optional<size_t> dimensions = {};
  // Which of the model's prompts goes before the text; default: the one that the model's files name, if any. For
  // embed(text); with ids it has to be in them (Model::prompt).
  std::optional<std::string> prompt = {};
};

// What `inspect` prints.
struct TensorInfo {
  std::string name;  // as in the file
  std::string dtype;
  std::vector<size_t> shape;
  size_t bytes = 0;
  bool used = false;  // by the encoder and its pooler
};

struct ModelDescription {
  std::string source;               // directory, or "built-in"
  bool is_builtin = false;          // the model in the library; a directory may be called so too
  std::vector<std::string> files;   // weight files
  std::vector<TensorInfo> tensors;  // in the file's order
  std::string gemm;                 // "own", "portable" or "openblas"
  std::string gemm_reason;          // why this one, and which library where it is one
  std::string isa;                  // "portable", "avx2" or "avx512"
  std::string isa_reason;           // what the CPU has, what lowered it
  size_t threads = 0;
  bool reproducible = true;  // the same bits in any batch, on any number of threads, on any CPU
};

// What one forward pass costs.
struct ForwardCost {
  double flops = 0;            // of the matrix products, a multiply-add counted as two
  size_t weight_bytes = 0;     // read once
  size_t workspace_bytes = 0;  // scratch, allocated at the first pass of its size
};

class BERT_API Model {
 public:
  // `name` is a directory as the Hugging Face hub lays it out, or the name of a model in the hub's local cache
  // (HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME); never the network. Throws Error for whatever is missing, malformed or not
  // supported.
  static Model load(const std::string& name, const LoadOptions& options = {});
  // The small English model inside the library (docs/BUILTIN_MODEL.md).
  static Model builtin(const LoadOptions& options = {});

  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const ModelConfig& config() const;
  const Tokenizer& tokenizer() const;
  bool has_pooler() const;
  const std::vector<Head>& heads() const;
  PoolingSettings pooling() const;  // what the model's files say
  // What embed does with these options. Throws Error where it would throw for any text: a missing pooler, a module or a
  // prompt that this library does not do.
  PoolingSettings pooling(const EmbedOptions& options) const;
  size_t embedding_size(const EmbedOptions& options = {}) const;  // of embed's vectors
  // The text that goes before each text that is embedded: of this name, else the default; "" for none. Throws Error
  // for a name that the model's files do not have, with those they have.
  std::string prompt(const std::optional<std::string>& name = {}) const;
  size_t threads() const;        // that one pass uses, where they are free
  size_t max_length() const;     // default limit of a sequence in tokens, as the model's files say
  size_t max_positions() const;  // the longest sequence that the positions allow; max_length() is not above it
  const std::vector<std::string>& notices() const;  // what a person should know; the tokenizer's included
  ModelDescription describe() const;
  ForwardCost cost(std::span<const size_t> lengths) const;  // of a batch of sequences of these lengths

  // Throws Error, naming token and id, for a sequence that the encoder cannot take: no token, an id past the
  // vocabulary, a type id past the segments, too long for the position table. encode and embed do the same for every
  // sequence.
  void check(const TokenSequence& sequence) const;

  // A view of an encoding as the encoder takes it; type ids are left out for a model of one segment. The caller keeps
  // the encoding alive.
  TokenSequence sequence(const Encoding& encoding) const;

  // Tokenises with the model's length limit, then encodes. A longer text is cut, which EncodedText::encoding tells and
  // embed() does not: where that matters, tokenize and look at truncated_tokens.
  EncodedText encode(std::string_view text, const EncodeOptions& options = {}) const;
  EncodedText encode(std::string_view text, std::string_view pair, const EncodeOptions& options = {}) const;
  std::vector<float> embed(std::string_view text, const EmbedOptions& options = {}) const;  // [embedding_size(options)]

  // Many texts, in the texts' order: tokenised and encoded on all threads, in batches of their own making. A text that
  // fails has its error in its result, and the others are done. For texts that come one by one, pairs, windows, ids and
  // heads: TextPipeline (bert/text_pipeline.h), which these are.
  std::vector<EncodedText> encode(std::span<const std::string_view> texts, const EncodeOptions& options = {}) const;
  EmbeddedTexts embed(std::span<const std::string_view> texts, const EmbedOptions& options = {}) const;

  // Batches. A sequence's numbers do not depend on the others (except with OpenBLAS). Throws Error, naming the index,
  // for a sequence that check() refuses or whose output has a NaN or an infinity.
  std::vector<EncodedSequence> encode(std::span<const TokenSequence> batch, const EncodeOptions& options = {}) const;
  std::vector<float> embed(std::span<const TokenSequence> batch,
                           const EmbedOptions& options = {}) const;  // [batch, embedding_size(options)]

  // The same into the caller's memory, which must not overlap. After an error it holds numbers of no meaning.
  EncodeSizes sizes(const TokenSequence& sequence) const;
  void encode(std::span<const TokenSequence> batch, std::span<const EncodeBuffers> buffers) const;
  void embed(std::span<const TokenSequence> batch, std::span<float> vectors,  // [batch, embedding_size(options)]
             const EmbedOptions& options = {}) const;

  // The inside of the embedding layer. embedding_parts throws Error for a sequence that check() refuses; position_table
  // where the model has no learned position vectors; both for a NaN or an infinity.
  EmbeddingParts embedding_parts(const TokenSequence& sequence) const;
  PositionTable position_table() const;

  // A head's outputs for each sequence, before any softmax. Throws Error(kNotFound) for a model without this head, with
  // what it has.
  std::vector<Logits> logits(Head head, std::span<const TokenSequence> batch, const LogitsOptions& options = {}) const;
  void require(Head head) const;  // throws that error

 private:
  struct Impl;
  explicit Model(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

// A model's tokenizer with its length limits and without its weights: what tokenising alone needs. Only the tokenizer's
// files must be in the directory; sentence_bert_config.json and config.json are read where they are there.
struct LoadedTokenizer {
  Tokenizer tokenizer;
  std::optional<size_t> max_length;     // as Model::max_length(); none where no file says one
  std::optional<size_t> max_positions;  // as Model::max_positions(); none without config.json
  std::vector<std::string> notices;     // the tokenizer's included
};

// `name` as in Model::load; of the options, tokenizer and revision count.
BERT_API LoadedTokenizer load_tokenizer(const std::string& name, const LoadOptions& options = {});
BERT_API LoadedTokenizer builtin_tokenizer(const LoadOptions& options = {});

BERT_API std::string_view name(Head head);  // "masked LM", "sequence classification", …

// Cosine of two vectors of equal length, summed in float64: -1 to 1. 0 where one of them is all zeros.
BERT_API double cosine_similarity(std::span<const float> a, std::span<const float> b);

// Where a model name leads: a directory as it is, else the snapshot in the hub's local cache. Throws Error(kNotFound).
BERT_API std::filesystem::path find_model(const std::string& name, const std::string& revision = "main");

BERT_API std::string_view version();  // "0.1.0"

}  // namespace bert
