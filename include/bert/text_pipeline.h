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
  // Instead of a text: its words, for Tokenizer::tokenize_words. They have no pair, and are truncated if there are too
  // many; a stride is an error. Not for vectors, nor for labels that the caller chooses.
  std::optional<std::vector<std::string>> words = {};
  std::optional<std::vector<int32_t>> ids = {};  // instead of a text; includes special tokens
  std::vector<int32_t> type_ids = {};            // for ids; empty: all 0
  std::vector<Offset> spans = {};                // the text's chunks, in bytes; for VectorRequest::chunks
  std::optional<Error> error = {};               // an error of reading the item, which becomes its result
  // For token vectors, instead of the request's role. A query is never read in windows: it is truncated.
  std::optional<TextRole> role = {};
  std::any tag = {};  // for the caller; copied to the item's results
};

// A source of texts. Several threads call it, one at a time.
class TextSource {
 public:
  enum class State { kItem, kNotYet, kEnd };
  using Wait = std::chrono::milliseconds;
  static constexpr Wait kForever = Wait::max();

  virtual ~TextSource() = default;
  // Writes the next item; returns kNotYet if none came within `wait`. TextPipeline::next rethrows its exceptions, after
  // the results of all previous items.
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

// Items in memory. A view: the caller keeps them alive.
class BERT_API TextItems : public TextSource {
 public:
  explicit TextItems(std::span<const TextItem> items) : items_(items) {}
  State next(TextItem& item, Wait wait) override;

 private:
  std::span<const TextItem> items_;
  size_t next_ = 0;
};

// Logits of a head. prompt: put before each text. For a model with a chat template it is the system message of each
// pair; "": the template's own.
struct HeadOptions {
  Head head = Head::kMaskedLm;
  LogitsOptions logits = {};
  std::string prompt = {};
  bool operator==(const HeadOptions&) const = default;
};

class Computation;  // internal
struct TextRules;

// A task with a computation of its own, such as the tasks that read labels (bert/labels.h). Immutable. Only the library
// derives from it.
class BERT_API ModelTask {
 public:
  virtual ~ModelTask() = default;
  // Returns what is computed for the texts of a run. Throws Error if every text would fail.
  virtual std::unique_ptr<const Computation> computation(const Model& model, const TextRules& rules) const = 0;
  // Returns whether the output is entities; false: scores of labels.
  virtual bool finds_entities() const = 0;
  // Returns whether `other` is the same task with an equal request.
  virtual bool equals(const ModelTask& other) const = 0;
};

// A pointer to a ModelTask, never null; two are equal if their tasks are equal. LabelRequest and ClassRequest convert
// to it. Copies share the task; a moved-from pointer keeps it.
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
// each text. A request for token vectors alone tokenises texts as their role requires, without pairs, and reads only
// documents in windows; chunks need whole texts. A task that reads labels (LabelRequest, ClassRequest): windows consist
// of whole words, each window is read as a text, and entities have their places in the whole text.
using TextTask = std::variant<std::monostate, EncodeOptions, HeadOptions, VectorRequest, ModelTaskPtr>;

// Returns how the texts of a task are tokenised by default: truncated to the model's max_length. For token vectors by
// role, max_length is 0, which stands for the role's own limit (bert/token_vectors.h).
BERT_API TokenizeOptions default_tokenize_options(const Model& model, const TextTask& task);

// The size of the output that is about to be stored in a result; it may be many times the size of the text.
struct OutputSize {
  size_t items = 0;       // entities, or scores of labels
  size_t text_bytes = 0;  // bytes of the entities' words and the labels' names
};
struct TextResult;
// Called by the computing thread before outputs are stored; returns whether there is memory. May be called twice for a
// text if its pass is retried.
using ReserveCallback = std::function<bool(const TextResult& result, const OutputSize& size)>;

struct TextOptions {
  // How texts are tokenised and truncated. Default: default_tokenize_options.
  std::optional<TokenizeOptions> tokenize = {};
  // Divides a text that is too long into windows, which share tokenize->stride tokens; each window has its own result.
  bool windows = false;
  // The stride is a default, which is reduced to at most half a window. False: a stride that leaves no room is an
  // error.
  bool fits_stride = false;
  // The most tokens of a forward pass; a longer sequence has its own pass. 0: 2048 divided by the number of threads,
  // but at least 512. A pass that exceeds the runtime's memory is divided further.
  size_t batch_tokens = 0;
  // How long a batch that is not full waits for more texts.
  std::chrono::milliseconds max_wait{5};
  // Threads that tokenise and encode, including the caller of next(). 0: as many as the model's; without a model, the
  // CPUs that the process may use, or fewer if the system cannot create more.
  size_t threads = 0;
  // Called by next() with the number of texts whose results it has returned. After a cancellation every call of next()
  // throws Error(kCancelled).
  ProgressCallback progress = {};
  // Called before the outputs of a ModelTask are stored; if it returns false, the result has Error(kOutOfMemory)
  // instead. Without a callback outputs are always stored.
  ReserveCallback reserve = {};
};

// A window of a text that is read with labels; it is read like a text.
struct WindowText {
  std::string text;
  size_t begin = 0;             // in the whole text, in UTF-8 bytes
  size_t code_point_begin = 0;  // in the whole text, in code points
};

// The output for a sequence; std::monostate: nothing was requested, or nothing is computed yet. Entities and labels'
// scores, best first, are the outputs of a ModelTask.
using SequenceOutput =
    std::variant<std::monostate, EncodedSequence, TextVectors, Logits, std::vector<Entity>, std::vector<LabelScore>>;

// The input that a sequence comes from.
struct SequenceInput {
  size_t index = 0;                     // index of the item in the input, from 0
  std::optional<size_t> window;         // with windows: index of the window in its text, from 0
  bool is_last = true;                  // the last sequence of its item
  std::string text;                     // as tokenised, including the prompt; set only for the first window; empty for
                                        // ids
  std::string pair;                     // set only for the first window
  std::optional<WindowText> part = {};  // with windows, for a ModelTask
  std::optional<std::vector<std::string>> words;  // the item's words
  TextRole role = TextRole::kDocument;            // for token vectors
  std::any tag;                                   // the item's tag
  // Returns the place of `part` in the item's text, in UTF-8 bytes; without a part, of the whole text.
  Offset place() const {
    const size_t begin = part ? part->begin : 0;
    return {begin, begin + (part ? part->text : text).size()};
  }
};

// The tokens of a sequence.
struct SequenceTokens {
  bool from_text = true;  // false: the item has ids; `encoding` then has only ids and type_ids
  Encoding encoding;
  size_t unknown_tokens = 0;  // number of unknown tokens in `encoding`
  size_t unattended = 0;      // as in TokenSequence
  // As in TokenSequence; coarse_rows() is their sum.
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
  std::optional<Error> error;  // if set, `output` is empty

  // Returns the output of a VectorRequest; empty vectors if there is none.
  const TextVectors& vectors() const;
};

// Runs a task for one item in one forward pass. Throws Error, also if options.windows is set, because windows may have
// several results; and std::bad_alloc.
BERT_API TextResult run_one(const Model& model, const TextTask& task, TextItem item, const TextOptions& options = {});

// Runs a task for a caller with its own queue: it cuts a text into sequences and computes forward passes of them.
// Immutable; safe to use from many threads. Model and tokenizer must outlive it.
class BERT_API TextTaskRunner {
 public:
  // Throws Error for a task that fails for every text: a missing head, an unsupported pooling, an unknown prompt, a
  // max_length past the model's positions.
  TextTaskRunner(const Model& model, const TextTask& task, const TextOptions& options = {});
  // Only tokenises; without options.tokenize texts have no length limit.
  explicit TextTaskRunner(const Tokenizer& tokenizer, const TextOptions& options = {});
  ~TextTaskRunner();
  TextTaskRunner(TextTaskRunner&&) noexcept;
  TextTaskRunner& operator=(TextTaskRunner&&) noexcept;

  // Returns the item's sequences, at least one: a text, its windows, or its ids. A failed sequence has its error.
  std::vector<TextResult> cut(TextItem item, size_t index = 0) const;
  // Returns whether sequences of both runners may share a pass: they have the same model and the same computation.
  bool shares_passes_with(const TextTaskRunner& other) const;
  // Computes the outputs of sequences that cut() made, in one forward pass; sequences with an error are left out. A
  // pass that fails is divided until the failing sequence is alone and gets the error; the outputs of the others do not
  // change. goes_on: called by this thread before each layer; must not throw. If it returns false, sequences that are
  // not computed get Error(kCancelled).
  void compute(std::span<TextResult* const> pass, const std::function<bool()>& goes_on = {}) const;

  bool computes() const;     // false: texts are only tokenised
  bool reads_texts() const;  // a pass reads SequenceInput::text, not only tokens
  // Returns the most tokens of a pass: TextOptions::batch_tokens, or its default for this many threads.
  size_t pass_tokens(size_t threads) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// Runs a task over one source. An input of one batch is a single forward pass that uses all threads; a longer input
// starts more threads. Memory is bounded: besides the batches that are being computed, results with at most as many
// tokens wait for next(). The destructor waits for the running passes and drops the rest. A sequence's numbers do not
// depend on the other sequences (except with OpenBLAS).
//
// next() and ready() are called by one thread at a time. Model, tokenizer and source must outlive the pipeline.
class BERT_API TextPipeline {
 public:
  // Throws Error as TextTaskRunner does.
  TextPipeline(const Model& model, const TextTask& task, TextSource& source, const TextOptions& options = {});
  // Only tokenises; without options.tokenize texts have no length limit.
  TextPipeline(const Tokenizer& tokenizer, TextSource& source, const TextOptions& options = {});
  ~TextPipeline();
  TextPipeline(const TextPipeline&) = delete;
  TextPipeline& operator=(const TextPipeline&) = delete;

  // Writes the next result, in the order of the input; returns false at the end. A text that failed, also for lack of
  // memory, has a result with its error; the other texts of its batch are computed. Throws the source's exceptions, and
  // std::bad_alloc if memory is short elsewhere.
  bool next(TextResult& result);

  // Returns whether next() would return without computing or waiting. If not, a program should flush its output.
  bool ready() const;

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace bert
