// Calls of the tasks of bert/text_tasks.h, for many texts. A call says what is read for an input, what is computed for
// it, and how its windows become one result. A TextPipeline, or a queue with a TextTaskRunner, runs the items of an
// input with computation() and adjust(); result() makes the input's result of their outputs. A call is a view of its
// model, which must outlive it. Immutable; safe to use from many threads.
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

// A part of a text that was replaced.
struct Redaction {
  std::string label;
  Offset place;  // in the original text, in UTF-8 bytes
  Offset code_points;
};

struct RedactedText {
  std::string text;
  std::vector<Redaction> replaced;  // in the text's order, without overlaps
};

// The output of a task: labels with scores, entities, labels of words, candidates for each mask, answers, whether one
// text follows another, relevance, or a redacted text.
using TaskOutput =
    std::variant<std::vector<LabelScore>, std::vector<Entity>, std::vector<WordLabel>,
                 std::vector<std::vector<MaskCandidate>>, std::vector<Answer>, NextSentence, Relevance, RedactedText>;

// The output of a sequence of an input. A view.
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
  const Encoding* encoding;  // read only by tasks with TaskCall::reads_tokens
  size_t truncated_tokens = 0;
  Offset place = {};                                // the place of a window in its text
  std::string_view text, pair;                      // only for an item's first sequence
  const std::vector<std::string>* words = nullptr;  // null: the item has no words
};

class BERT_API TaskCall {
 public:
  explicit TaskCall(const Model& model) : model_(model) {}
  virtual ~TaskCall();
  TaskCall(const TaskCall&) = delete;
  TaskCall& operator=(const TaskCall&) = delete;

  // Returns what is computed for each item.
  virtual TextTask computation() const = 0;
  // Changes options to what the task needs. How a text that is too long is handled stays the caller's choice, and so
  // does a stride unless TextOptions::fits_stride marks it as a default. options.tokenize must be set.
  virtual void adjust(TextOptions& options) const;
  // Returns the query of a task that compares texts; it is read once, before the items of all inputs. Null: no query.
  virtual const TextItem* query() const { return nullptr; }
  // Returns the item_count() items that are read for an input.
  virtual std::vector<TextItem> items(TextItem input) const;
  virtual size_t item_count() const { return 1; }
  // Returns the error to report for an error of one of an input's sequences.
  virtual Error error(const Error& error) const { return error; }
  // Returns the result of an input. sequences: of the query, if there is one, and of the input's items, in order, each
  // with all of its windows; none has an error. Throws Error for a text that lacks what the task needs.
  virtual TaskOutput result(std::span<const TaskSequence> sequences) const = 0;
  // Returns whether result() reads the sequences' encodings.
  bool reads_tokens() const;

 protected:
  const Model& model() const { return model_; }

 private:
  const Model& model_;
};
using TaskCallPtr = std::unique_ptr<const TaskCall>;

// Returns how the texts of a task are read. by_default: for a text that is too long, if `windows` does not say. Throws
// Error(kInvalidArgument) for a stride without windows.
BERT_API TextOptions text_options(const Model& model, const TaskCall& call, const WindowOptions& windows,
                                  LongText by_default = LongText::kCut);

// Runs a task over a source of inputs; results are in the source's order. Built on TextPipeline (bert/text_pipeline.h).
// model, call and source must outlive it.
class BERT_API TaskRun {
 public:
  // options: as returned by text_options. Throws Error as TextTaskRunner does.
  TaskRun(const Model& model, const TaskCall& call, TextSource& inputs, const TextOptions& options);
  ~TaskRun();
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  // Computes the next input; returns false at the end. Throws as TextPipeline::next() does, and the query's error.
  bool next();
  bool ready() const;  // as TextPipeline::ready

  // About the input that next() computed. sequences: in order; they may be moved from after result(). error: the first
  // error of a sequence, as TaskCall::error reports it.
  std::span<TextResult> sequences() const;
  std::optional<Error> error() const;
  size_t truncated_tokens() const;  // the most of an item
  const TextResult* query() const;  // null: the task has no query
  TaskOutput result() const;        // throws as TaskCall::result does

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct ClassifyOptions {
  WindowScores scores = WindowScores::kMean;
  std::optional<size_t> top_k = {};            // the most labels
  std::optional<LogitFunction> function = {};  // for a classifier's logits; default: as the model's files say
};
// Returns a call for the labels of a text, best first. With `request` a model that reads labels scores the request's
// labels, for texts without a pair; without it a classifier scores its own labels.
BERT_API TaskCallPtr classify_call(const Model& model, std::optional<ClassRequest> request = {},
                                   const ClassifyOptions& options = {});

struct ZeroShotOptions {
  std::string_view hypothesis_template = kHypothesisTemplate;
  bool multi_label = false;          // each score is independent of the others
  WindowOptions windows = {};        // how a long text is read, for all labels
  std::optional<size_t> top_k = {};  // the most labels
};
// Returns a call for the candidate labels of a text, best first, by a classifier of natural language inference. It
// reads an item for each label. Throws Error for no label, for another kind of classifier, and for a template without a
// place for the label. Of options.windows only the scores are used.
BERT_API TaskCallPtr zero_shot_call(const Model& model, std::vector<std::string> labels,
                                    const ZeroShotOptions& options = {});

struct TagCallOptions {
  Aggregation aggregation = Aggregation::kSimple;
  TagScheme scheme = TagScheme::kFromLabels;
  Aggregation of_words = Aggregation::kFirst;
};
// Returns a call for the entities of a text, in its order, or, if the caller divided the text, for the labels of its
// words. The entities are found by a token classifier, or with `request` by a model that reads labels.
BERT_API TaskCallPtr tag_call(const Model& model, const TagCallOptions& options = {});
BERT_API TaskCallPtr tag_call(const Model& model, LabelRequest request);

// Returns the ids of tokens of the vocabulary, each once. Throws Error(kInvalidArgument) for a word that is not a
// token.
BERT_API std::vector<int32_t> target_ids(const Tokenizer& tokenizer, std::span<const std::string> words);
// Returns a call for the tokens that fit each mask best. targets: as in mask_candidates. The result is an error for a
// text without a mask, or if truncation removed a mask. Throws Error(kNotFound) for a tokenizer without a mask.
BERT_API TaskCallPtr fill_mask_call(const Model& model, size_t top_k, std::vector<int32_t> targets = {});

// Returns a call for the parts of a pair's second text that answer its first text, best first. Only the second text is
// truncated, or read in windows that share kAnswerStride tokens. A window has window_tokens tokens, or
// TokenizeOptions::max_length if that is fewer.
BERT_API TaskCallPtr answer_call(const Model& model, const AnswerOptions& options = {},
                                 size_t window_tokens = kAnswerTokens);

// Returns a call for whether a pair's second text follows its first, by BERT's pretraining task.
BERT_API TaskCallPtr next_sentence_call(const Model& model);

// Returns a call that scores how well each input, a document, fits the query. A long document gets the score of its
// best window.
BERT_API TaskCallPtr rerank_call(const Model& model, Reranker reranker, std::string query);
// Returns a call for how well each input continues the text, by a head for multiple choice. It sets the logit;
// choice_scores sets the score.
BERT_API TaskCallPtr choose_call(const Model& model, std::string text);
// Sets the scores of choices to the softmax of their logits.
BERT_API void choice_scores(std::span<Relevance> choices);
// Returns the indices of the relevances, sorted by descending logit; equal ones stay in order.
BERT_API std::vector<size_t> best_first(std::span<const Relevance> relevances);

}  // namespace bert
