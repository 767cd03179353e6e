// Runs many texts, of known or unknown number, through a model. Texts are tokenised on all threads while others are
// encoded, and combined into batches; the results are in the order of the input.
//
//   bert::Texts texts(lines);                                     // or a TextSource of your own
//   bert::TextPipeline pipeline(model, bert::VectorRequest{.dense = bert::EmbedOptions{}}, texts);
//   for (bert::TextResult result; pipeline.next(result);) use(result.vectors().dense);
#pragma once

#include <any>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bert/export.h"
#include "bert/label_scores.h"
#include "bert/model.h"

namespace bert {

// One text, a text with its pair, or ready ids.
struct TextItem {
  std::string text = {};
  std::optional<std::string> pair = {};
  // Instead of a text: its words, which Tokenizer::tokenize_words takes. Without a pair, and cut off where they are too
  // many: a stride is an error. Not for vectors and labels of the caller's own.
  std::optional<std::vector<std::string>> words = {};
  std::optional<std::vector<int32_t>> ids = {};  // instead of a text, including special tokens
  std::vector<int32_t> type_ids = {};            // of the ids; empty: all 0
  std::vector<Offset> spans = {};                // the text's chunks, in bytes; for VectorRequest::chunks
  std::optional<Error> error = {};               // a reading error, which becomes the result of this item
  // Of token vectors, in place of the request's. A query is not read in windows: it is cut off.
  std::optional<TextRole> role = {};
  std::any tag = {};  // for the caller; repeated in its results
};

// A source of texts. Called by several threads, one at a time.
class TextSource {
 public:
  enum class State { kItem, kNotYet, kEnd };
  using Wait = std::chrono::milliseconds;
  static constexpr Wait kForever = Wait::max();

  virtual ~TextSource() = default;
  // The next item; kNotYet if none came within `wait`. TextPipeline::next rethrows its exceptions, after the results of
  // all previous items.
  virtual State next(TextItem& item, Wait wait) = 0;
};

// Texts in memory. A view: the caller keeps them alive.
class BERT_API Texts : public TextSource {
 public:
  explicit Texts(std::span<const std::string_view> texts) : texts_(texts) {}
  State next(TextItem& item, Wait wait) override;

 private:
  std::span<const std::string_view> texts_;
  size_t next_ = 0;
};

// Items in memory, in the same way.
class BERT_API TextItems : public TextSource {
 public:
  explicit TextItems(std::span<const TextItem> items) : items_(items) {}
  State next(TextItem& item, Wait wait) override;

 private:
  std::span<const TextItem> items_;
  size_t next_ = 0;
};

// prompt: put before each text; for a model with a chat template it is the system's message of each pair, and without
// it the template has its own.
struct HeadOptions {
  Head head = Head::kMaskedLm;
  LogitsOptions logits = {};
  std::string prompt = {};
  bool operator==(const HeadOptions&) const = default;
};

class Computation;  // the library's own
struct TextRules;

// A task that brings its own computation: one that reads labels (bert/labels.h). Immutable. Only the library derives
// from it.
class BERT_API ModelTask {
 public:
  virtual ~ModelTask() = default;
  // What is computed for the texts of a run. Throws Error for what fails for every text.
  virtual std::unique_ptr<const Computation> computation(const Model& model, const TextRules& rules) const = 0;
  // Whether its output is entities; false: scores of labels.
  virtual bool finds_entities() const = 0;
  // Whether `other` is the same task with the same request.
  virtual bool equals(const ModelTask& other) const = 0;
};

// A pointer to a ModelTask, never null; two are equal where their tasks are. LabelRequest and ClassRequest convert to
// it. Copies share the task, and so do moved ones.
class ModelTaskPtr {
 public:
  explicit ModelTaskPtr(std::shared_ptr<const ModelTask> task) : task_(std::move(task)) {}
  ModelTaskPtr(const ModelTaskPtr&) = default;
  ModelTaskPtr& operator=(const ModelTaskPtr&) = default;
  const ModelTask& operator*() const { return *task_; }
  const ModelTask* operator->() const { return task_.get(); }
  bool operator==(const ModelTaskPtr& other) const { return task_ == other.task_ || task_->equals(*other.task_); }

 private:
  std::shared_ptr<const ModelTask> task_;
};

// What is computed for each sequence. std::monostate: texts are only tokenised. VectorRequest: the prompt is put before
// each text; token vectors alone have texts tokenised as their role asks, not pairs, and windows of documents alone;
// chunks are of whole texts. A task that reads labels (LabelRequest, ClassRequest): windows are whole words, each read
// as a text of its own, and entities have their places in the whole text.
using TextTask = std::variant<std::monostate, EncodeOptions, HeadOptions, VectorRequest, ModelTaskPtr>;

// How the texts of a task are tokenised by default: truncated to the model's max_length. Of token vectors by role
// max_length is 0, which there is the role's own limit (bert/token_vectors.h).
BERT_API TokenizeOptions default_tokenize_options(const Model& model, const TextTask& task);

// What is about to be stored in a result: it may be many times the size of the text.
struct OutputSize {
  size_t items = 0;       // entities, or scores of labels
  size_t text_bytes = 0;  // of their words and their labels' names
};
struct TextResult;
// By the thread of the pass, with the result as cut. Whether there is memory for them. A second time for a result whose
// pass is repeated without some others: the same outputs take the place of the first ones.
using ReserveCallback = std::function<bool(const TextResult& result, const OutputSize& size)>;

struct TextOptions {
  // How texts are tokenised and truncated. Default: default_tokenize_options.
  std::optional<TokenizeOptions> tokenize = {};
  // A text that is too long is divided into windows, which share tokenize->stride tokens; each has its own result.
  bool windows = false;
  // The stride is a default: it is at most half a window. Else one for which windows have no room is an error.
  bool fits_stride = false;
  // The maximum number of tokens of a forward pass; a longer sequence has its own. 0: 2048 shared by all threads, but
  // at least 512 for each. A pass that exceeds the runtime's memory is divided further.
  size_t batch_tokens = 0;
  // How long a batch that is not full waits for more texts.
  std::chrono::milliseconds max_wait{5};
  // Threads that tokenise and encode, including the caller of next(). 0: as many as the model's; without a model, the
  // CPUs that the process may use, or fewer if the system creates no more.
  size_t threads = 0;
  // Called by next(); the done texts are those whose results it has returned. After a cancellation every call of next()
  // throws Error(kCancelled).
  ProgressCallback progress = {};
  // Asked before the outputs of a ModelTask are stored; where it says no, the result has Error(kOutOfMemory) in their
  // place. Without one they are always stored.
  ReserveCallback reserve = {};
};

// A window of a text that is read with labels: a text of its own.
struct WindowText {
  std::string text;
  size_t begin = 0;             // in the whole text, in UTF-8 bytes
  size_t code_point_begin = 0;  // the same in code points
};

// What is computed for a sequence; std::monostate: nothing, or nothing yet. The entities and the labels' scores, best
// first, are a ModelTask's.
using SequenceOutput =
    std::variant<std::monostate, EncodedSequence, TextVectors, Logits, std::vector<Entity>, std::vector<LabelScore>>;

// Where a sequence comes from.
struct SequenceInput {
  size_t index = 0;                     // the number of its item in the input, from 0
  std::optional<size_t> window;         // with windows: its number in the text, from 0
  bool is_last = true;                  // the last sequence of its item
  std::string text;                     // as tokenised, including the prompt; only for the first window; empty for ids
  std::string pair;                     // the same
  std::optional<WindowText> part = {};  // with windows, of a ModelTask
  std::optional<std::vector<std::string>> words;  // the item's
  TextRole role = TextRole::kDocument;            // of token vectors
  std::any tag;                                   // the item's
  // The place of `part` in its text, in UTF-8 bytes; without it that of `text`.
  Offset place() const {
    const size_t begin = part ? part->begin : 0;
    return {begin, begin + (part ? part->text : text).size()};
  }
};

// Its tokens.
struct SequenceTokens {
  bool from_text = true;  // false: the item has ids, and `encoding` only ids and type_ids
  Encoding encoding;
  size_t unknown_tokens = 0;  // of the encoding
  size_t unattended = 0;      // as in TokenSequence
  // As in TokenSequence, and their sum.
  std::vector<size_t> coarse_rows_by_layer;
  size_t coarse_rows() const {
    return std::accumulate(coarse_rows_by_layer.begin(), coarse_rows_by_layer.end(), size_t{0});
  }
};

// The result for one sequence: a text, a window of a text, or ids.
struct BERT_API TextResult {
  SequenceInput input;
  SequenceTokens tokens;
  SequenceOutput output;
  std::optional<Error> error;  // if set, there is no output

  // The output of a VectorRequest; empty vectors where there is none.
  const TextVectors& vectors() const;
};

// A task for one item, in one forward pass. Throws Error, also for options.windows, which may give several results, and
// std::bad_alloc.
BERT_API TextResult run_one(const Model& model, const TextTask& task, TextItem item, const TextOptions& options = {});

// A task over texts, for a queue of the caller's own: cuts a text into sequences and computes passes of them.
// Immutable; safe to use from many threads. Model and tokenizer must outlive it.
class BERT_API TextTaskRunner {
 public:
  // Throws Error for a task that fails for every text: a missing head, an unsupported pooling, an unknown prompt, a
  // max_length past the model's positions.
  TextTaskRunner(const Model& model, const TextTask& task, const TextOptions& options = {});
  // Only tokenises; without options.tokenize there is no limit.
  explicit TextTaskRunner(const Tokenizer& tokenizer, const TextOptions& options = {});
  ~TextTaskRunner();
  TextTaskRunner(TextTaskRunner&&) noexcept;
  TextTaskRunner& operator=(TextTaskRunner&&) noexcept;

  // The item's sequences, at least one: a text, its windows, or its ids. A failed one has its error.
  std::vector<TextResult> cut(TextItem item, size_t index = 0) const;
  // Whether sequences of both may be in one pass: of the same model, by the same computation.
  bool shares_passes_with(const TextTaskRunner& other) const;
  // Stores the outputs of sequences that cut() made, one forward pass for those without an error. A pass that fails is
  // divided until the failing sequence is alone, which gets the error; the others' numbers do not change.
  // goes_on: asked by this thread before each layer of a pass, and throws nothing; when it says no, those that are not
  // computed have Error(kCancelled).
  void compute(std::span<TextResult* const> pass, const std::function<bool()>& goes_on = {}) const;

  bool computes() const;     // false: texts are only tokenised
  bool reads_texts() const;  // a pass reads SequenceInput::text too; else the tokens alone
  // Tokens of a pass: TextOptions::batch_tokens, or its default for so many threads.
  size_t pass_tokens(size_t threads) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// A run over one source. An input of one batch is a single forward pass that uses all threads; a longer one starts more
// threads. Memory is bounded: in addition to the batches being computed, results of at most as many tokens wait for the
// caller of next(). The destructor waits for the running passes and drops the rest. A sequence's numbers do not depend
// on the others (except with OpenBLAS).
//
// next() and ready() are called by one thread at a time. Model, tokenizer and source must outlive the pipeline.
class BERT_API TextPipeline {
 public:
  // Throws Error as TextTaskRunner does.
  TextPipeline(const Model& model, const TextTask& task, TextSource& source, const TextOptions& options = {});
  // Only tokenises; without options.tokenize there is no limit.
  TextPipeline(const Tokenizer& tokenizer, TextSource& source, const TextOptions& options = {});
  ~TextPipeline();
  TextPipeline(const TextPipeline&) = delete;
  TextPipeline& operator=(const TextPipeline&) = delete;

  // The next result, in the order of the input; false at the end. A failed text, also one whose forward pass finds no
  // memory, has a result with its error, and the others of its batch are computed. Throws the exceptions of the source,
  // and std::bad_alloc elsewhere.
  bool next(TextResult& result);

  // Whether next() would return without computing or waiting. If not, a program should flush its output.
  bool ready() const;

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace bert
