// The tasks of bert/text_tasks.h for many texts: what is read for an input, what is computed for it, and how its
// windows become one result, said once. A TextPipeline, or a queue over a TextTaskRunner, runs the items of an input
// with computation() and adjust(); result() is the input's. Each call is a view of its model, which must outlive it.
// Immutable; safe to use from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bert/export.h"
#include "bert/tasks.h"
#include "bert/text_pipeline.h"
#include "bert/windows.h"

namespace bert {

// Whether the second text of a pair follows the first.
struct NextSentence {
  double is_next = 0;  // from 0 to 1
};

// A part that was replaced.
struct Redaction {
  std::string label;
  Offset place;  // in the given text, in UTF-8 bytes
  Offset code_points;
};

struct RedactedText {
  std::string text;
  std::vector<Redaction> replaced;  // in the text's order; none overlaps another
};

// Labels with scores, entities, the labels of words, candidates for each mask, answers, what one text is to another, or
// a text without names.
using TaskOutput =
    std::variant<std::vector<LabelScore>, std::vector<Entity>, std::vector<WordLabel>,
                 std::vector<std::vector<MaskCandidate>>, std::vector<Answer>, NextSentence, Relevance, RedactedText>;

// A computed sequence of an input. A view.
struct TaskSequence {
  TaskSequence(const TextResult& result)
      : output(&result.output),
        encoding(&result.tokens.encoding),
        truncated_tokens(result.tokens.encoding.truncated_tokens),
        place(result.input.place()),
        text(result.input.text),
        pair(result.input.pair),
        words(result.input.words ? &*result.input.words : nullptr) {}
  TaskSequence(const SequenceOutput& computed, const Encoding& tokens) : output(&computed), encoding(&tokens) {}

  const SequenceOutput* output;
  const Encoding* encoding;  // read by a task with TaskCall::reads_tokens, and by no other
  size_t truncated_tokens = 0;
  Offset place = {};                                // of a window in its text
  std::string_view text, pair;                      // of an item's first sequence
  const std::vector<std::string>* words = nullptr;  // of an item that has words
};

class BERT_API TaskCall {
 public:
  explicit TaskCall(const Model& model) : model_(model) {}
  virtual ~TaskCall();
  TaskCall(const TaskCall&) = delete;
  TaskCall& operator=(const TaskCall&) = delete;

  // What is computed for each item.
  virtual TextTask computation() const = 0;
  // Sets what the task needs of how its texts are read. What is done with a text that is too long stays the caller's
  // choice, and so does a stride that TextOptions::fits_stride does not call a default. Needs options.tokenize.
  virtual void adjust(TextOptions& options) const;
  // The query of a task that compares texts: read once, before the items of all inputs.
  virtual const TextItem* query() const { return nullptr; }
  // The items that are read for an input, item_count() of them.
  virtual std::vector<TextItem> items(TextItem input) const;
  virtual size_t item_count() const { return 1; }
  // What is said of an error of an input's sequence.
  virtual Error error(const Error& error) const { return error; }
  // The result of an input. sequences: the query's, if there is one, and those of its items, in order, each with all of
  // its windows; none has an error.
  // Throws Error for a text without what the task needs.
  virtual TaskOutput result(std::span<const TaskSequence> sequences) const = 0;
  // Whether result() reads the sequences' encodings.
  bool reads_tokens() const;

 protected:
  const Model& model() const { return model_; }

 private:
  const Model& model_;
};
using TaskCallPtr = std::unique_ptr<const TaskCall>;

// How the texts of a task are read; by_default: where the caller does not say. Throws Error(kInvalidArgument) for a
// stride without windows.
BERT_API TextOptions text_options(const Model& model, const TaskCall& call, const WindowOptions& windows,
                                  LongText by_default = LongText::kCut);

// A task over a source of inputs: their results in its order. As TextPipeline (bert/text_pipeline.h), which it is made
// of; model, call and source must outlive it.
class BERT_API TaskRun {
 public:
  // options: text_options'. Throws Error as TextTaskRunner does.
  TaskRun(const Model& model, const TaskCall& call, TextSource& inputs, const TextOptions& options);
  ~TaskRun();
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  // Computes the next input; false at the end. Throws as TextPipeline::next(), and the query's error.
  bool next();
  bool ready() const;  // as of TextPipeline

  // Of that input: its sequences, in order, which may be moved from after result(), and the first error of one of them
  // in the call's words.
  std::span<TextResult> sequences() const;
  std::optional<Error> error() const;
  size_t truncated_tokens() const;  // of the largest item
  const TextResult* query() const;  // null: the task has none
  TaskOutput result() const;        // throws as TaskCall::result

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct ClassifyOptions {
  WindowScores scores = WindowScores::kMean;
  std::optional<size_t> top_k = {};            // labels at most
  std::optional<LogitFunction> function = {};  // of a classifier's logits; default: as the model's files say
};
// The labels, best first: those of `request` by a model that reads labels, of texts alone; without it a classifier's.
BERT_API TaskCallPtr classify_call(const Model& model, std::optional<ClassRequest> request = {},
                                   const ClassifyOptions& options = {});

struct ZeroShotOptions {
  std::string_view hypothesis_template = kHypothesisTemplate;
  bool multi_label = false;          // each score stands alone
  WindowOptions windows = {};        // of the text, the same for all labels
  std::optional<size_t> top_k = {};  // labels at most
};
// The candidate labels, best first, by a classifier of natural language inference: an item for each label. Throws Error
// for no label, another classifier and another template. Of options.windows the scores are read.
BERT_API TaskCallPtr zero_shot_call(const Model& model, std::vector<std::string> labels,
                                    const ZeroShotOptions& options = {});

struct TagCallOptions {
  Aggregation aggregation = Aggregation::kSimple;
  TagScheme scheme = TagScheme::kFromLabels;
  Aggregation of_words = Aggregation::kFirst;
};
// The entities of a text, in its order, by a token classifier, or the labels of its words where the caller divided it;
// or the entities by a model that reads labels.
BERT_API TaskCallPtr tag_call(const Model& model, const TagCallOptions& options = {});
BERT_API TaskCallPtr tag_call(const Model& model, LabelRequest request);

// The ids of tokens of the vocabulary, each once. Throws Error(kInvalidArgument) for another word.
BERT_API std::vector<int32_t> target_ids(const Tokenizer& tokenizer, std::span<const std::string> words);
// For each mask the tokens that fit best. targets: as in mask_candidates. The result is an error for a text without a
// mask, or with one that is cut off. Throws Error(kNotFound) for a tokenizer without a mask.
BERT_API TaskCallPtr fill_mask_call(const Model& model, size_t top_k, std::vector<int32_t> targets = {});

// The parts of a pair's second text that answer its first, best first. Only the second is cut off, or read in windows
// of window_tokens, or as many as TokenizeOptions::max_length where these are fewer; they share kAnswerStride.
BERT_API TaskCallPtr answer_call(const Model& model, const AnswerOptions& options = {},
                                 size_t window_tokens = kAnswerTokens);

// Whether a pair's second text follows its first, by BERT's training task.
BERT_API TaskCallPtr next_sentence_call(const Model& model);

// How well each input, a document, fits the query: the best of its windows.
BERT_API TaskCallPtr rerank_call(const Model& model, Reranker reranker, std::string query);
// How well each input goes on after the text, by a head for multiple choice: a logit, whose score is choice_scores'.
BERT_API TaskCallPtr choose_call(const Model& model, std::string text);
// Sets the scores of choices, which are their shares of all.
BERT_API void choice_scores(std::span<Relevance> choices);
// The places of the relevances by their logits, the largest first; equal ones in their order.
BERT_API std::vector<size_t> best_first(std::span<const Relevance> relevances);

}  // namespace bert
