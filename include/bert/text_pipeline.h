// From texts to results: the one way to run many texts, of known or unknown number, through a model. Texts are
// tokenised on all threads while others are encoded, gathered into batches, and their results come in the input's
// order.
//
//   bert::Texts texts(lines);                                     // or a TextSource of your own
//   bert::TextPipeline pipeline(model, bert::EmbedOptions{}, texts);
//   for (bert::TextResult result; pipeline.next(result);) use(result.embedding);
#pragma once

#include <any>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bert/model.h"

namespace bert {

// One text, a text with its pair, or ready ids.
struct TextItem {
  std::string text = {};
  std::optional<std::string> pair = {};
  std::optional<std::vector<int32_t>> ids = {};  // in place of a text, special tokens included
  std::vector<int32_t> type_ids = {};            // of the ids; empty: all 0
  std::optional<Error> error = {};               // it could not be read: the item keeps its place with this error
  std::any tag = {};                             // the caller's own, given back with its results
};

// Where texts come from. Called by several threads, one at a time.
class TextSource {
 public:
  enum class State { kItem, kNotYet, kEnd };
  using Wait = std::chrono::milliseconds;
  static constexpr Wait kForever = Wait::max();

  virtual ~TextSource() = default;
  // The next item; kNotYet where none came within `wait`. What it throws is thrown by TextPipeline::next, after the
  // results of all items before.
  virtual State next(TextItem& item, Wait wait) = 0;
};

// Texts in memory; a view, which the caller keeps alive.
class BERT_API Texts : public TextSource {
 public:
  explicit Texts(std::span<const std::string_view> texts) : texts_(texts) {}
  State next(TextItem& item, Wait wait) override;

 private:
  std::span<const std::string_view> texts_;
  size_t next_ = 0;
};

struct HeadOptions {
  Head head = Head::kMaskedLm;
  LogitsOptions logits = {};
};

// What is computed of each sequence. Nothing: the text is tokenised only. With EmbedOptions the prompt goes before each
// text.
using TextTask = std::variant<std::monostate, EncodeOptions, EmbedOptions, HeadOptions>;

struct TextOptions {
  // How texts are cut. Default: at the model's max_length.
  std::optional<TokenizeOptions> tokenize = {};
  // A text that is too long becomes windows, which share tokenize->stride tokens, each with a result of its own.
  bool windows = false;
  // Tokens of a pass at most; a sequence that is longer is a pass by itself. 0: 2048 shared by all threads, but at
  // least 512 for each. A pass that exceeds the runtime's memory is split further.
  size_t batch_tokens = 0;
  // How long a batch that is not full waits for more texts.
  std::chrono::milliseconds max_wait{5};
  // That tokenise and encode, the caller of next() counted. 0: the model's; without a model, the CPUs that the process
  // may use.
  size_t threads = 0;
};

// Of one sequence: a text, a window of one, or given ids.
struct TextResult {
  size_t index = 0;              // of its item in the input, from 0
  std::optional<size_t> window;  // with windows: which one of its text, from 0
  bool is_last = true;           // no other result of the same item follows
  std::string text;              // as tokenised, prompt included; of the first window only; empty for given ids
  std::string pair;              // the same
  bool from_text = true;         // false: ids were given, and `encoding` has ids and type_ids only
  Encoding encoding;
  size_t unknown_tokens = 0;   // of the encoding
  std::optional<Error> error;  // then what follows is empty
  EncodedSequence encoded;
  std::vector<float> embedding;
  Logits logits;
  std::any tag;  // the item's
};

// A run over one source. The extra threads begin when the input turns out to be longer than one batch; a shorter one is
// a single pass that uses all threads. Memory is bounded: besides the batches that are computed, results of so many
// tokens wait for the caller of next() and not more. What is destroyed early finishes the passes that are on and drops
// the rest. A sequence's numbers do not depend on the others (except with OpenBLAS).
//
// next() and ready() are called by one thread at a time. Model, tokenizer and source must outlive the pipeline.
class BERT_API TextPipeline {
 public:
  // Throws Error for what no text could be done with: a missing head, a pooling or a prompt that this library does not
  // do.
  TextPipeline(const Model& model, const TextTask& task, TextSource& source, const TextOptions& options = {});
  // Tokenises only; options.tokenize without a value is no limit.
  TextPipeline(const Tokenizer& tokenizer, TextSource& source, const TextOptions& options = {});
  ~TextPipeline();
  TextPipeline(const TextPipeline&) = delete;
  TextPipeline& operator=(const TextPipeline&) = delete;

  // The next result, in the input's order; false at the end. A text that fails has its error in its place, and the
  // others of its batch have their results. Throws what the source threw, and std::bad_alloc.
  bool next(TextResult& result);

  // Whether next() would give a result at once, without computing or waiting. A program hands its output on where not.
  bool ready() const;

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

}  // namespace bert
