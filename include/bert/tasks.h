// Results from a head's logits: labels, words for a mask, entities, answers; the same as those of the reference
// library's pipelines (transformers 4.57). Stateless; safe to call from many threads. Throws Error(kInvalidArgument) if
// logits, tokens and text do not match.
//
//   bert::Model model = bert::Model::load("path/to/a-classifier");
//   bert::Encoding encoding = model.tokenizer().tokenize("A lovely film", {.max_length = model.max_length()});
//   bert::TokenSequence sequence = model.sequence(encoding);
//   bert::Logits logits = model.logits(bert::Head::kSequenceClassification, {&sequence, 1})[0];
//   bert::LabelScore best = bert::label_scores(model.config(), logits)[0];
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/labels.h"
#include "bert/model.h"
#include "bert/text_pipeline.h"
#include "bert/vectors.h"
#include "bert/windows.h"

namespace bert {

BERT_API std::vector<double> softmax(std::span<const float> logits);
BERT_API double sigmoid(double logit);

enum class LogitFunction { kNone, kSigmoid, kSoftmax };
// For sequence classification, best first. By default the score is the logit for problem_type regression, its sigmoid
// for multi_label_classification or a single label, else the softmax.
BERT_API std::vector<LabelScore> label_scores(const ModelConfig& config, const Logits& logits,
                                              std::optional<LogitFunction> function = {});

// Classification without training for its labels, by a classifier of natural language inference (NLI), which says
// whether a premise entails a hypothesis: the text is the premise, and each candidate label makes a hypothesis.
//
//   std::string statement = bert::hypothesis("This example is {}.", "politics");  // "This example is politics."
//   bert::Encoding encoding = model.tokenizer().tokenize(text, statement, {.max_length = model.max_length(),
//                                                                          .truncation =
//                                                                          bert::Truncation::kOnlyFirst});
//   … the logits of all labels' pairs, in one batch …
//   std::vector<bert::LabelScore> scores = bert::zero_shot_scores(model.config(), labels, logits);
inline constexpr std::string_view kHypothesisTemplate = "This example is {}.";

// The template with the label in place of "{}", or of each "{0}"; "{{" and "}}" are braces. Throws
// Error(kInvalidArgument) for another template.
BERT_API std::string hypothesis(std::string_view hypothesis_template, std::string_view label);

// The first of the model's labels that begins with "entail", in any case. Throws Error(kInvalidArgument), with the
// labels, if there is none or the classifier has only one label.
BERT_API size_t entailment_output(const ModelConfig& config);

// Best first. logits: for each candidate label, those of the text with the label's hypothesis. The scores are the
// softmax of the labels' logits for entailment. With `multi_label`, or one candidate label, each score stands alone:
// the softmax of the logits for contradiction and entailment. Contradiction is output 0, or the last one if entailment
// is output 0.
BERT_API std::vector<LabelScore> zero_shot_scores(const ModelConfig& config, std::span<const std::string> labels,
                                                  std::span<const Logits> logits, bool multi_label = false);

// The output of a classifier that says how well a document fits a query: the only one, or of two the one with this
// label; without `label` the one whose label is "relevant", in any case. Throws Error(kInvalidArgument), with the
// labels.
BERT_API size_t relevant_output(const ModelConfig& config, const std::optional<std::string>& label = {});

// How well a document fits a query.
struct Relevance {
  double score = 0;
  // Before the activation; of two labels, the relevant one's less the other's. It grows with the score, and tells
  // documents apart whose scores round to the same number.
  double logit = 0;
  std::string_view activation;  // of the logit: "identity", "sigmoid"; "softmax" of two labels
};

// output: relevant_output's. Of one label as sentence-transformers' CrossEncoder gives it: by the activation that the
// model's files name, else the sigmoid; throws Error(kUnsupported) for another activation than these two.
BERT_API Relevance relevance(const ModelConfig& config, const Logits& logits, size_t output = 0);

// How much each kind counts in a score; 0: not at all.
struct KindWeights {
  double dense = 1;
  double sparse = 1;
  double tokens = 1;
};

// The score of two texts' vectors: the mean of the kinds' scores by these weights. Of dense vectors the model's
// similarity, of sparse ones SparseSettings::similarity, of tokens MaxSim, divided by the number of the query's vectors
// where the model's files say so. Source: FlagEmbedding, M3Embedder.compute_score. A view of the model, which must
// outlive it. Immutable; safe to use from many threads.
class BERT_API HybridScore {
 public:
  // Throws Error(kInvalidArgument) for a negative weight and for none above 0, and the error that prevents a kind's
  // score.
  explicit HybridScore(const Model& model, const KindWeights& weights = {});

  // Throws Error(kInvalidArgument) for a kind with a weight whose vectors are not there.
  double score(const TextVectors& query, const TextVectors& document) const;
  // MaxSim of token vectors, [vectors, size] each.
  double token_score(std::span<const float> query, std::span<const float> document, size_t size) const;

 private:
  KindWeights weights_;
  SimilarityFunction dense_ = SimilarityFunction::kCosine;
  SimilarityFunction sparse_ = SimilarityFunction::kDot;
  bool is_mean_ = false;  // of token vectors
  MaxSim max_sim_{1};
};

// How a model scores a document for a query.
enum class RerankMethod {
  kClassifier,    // a sequence classification reads both as a pair, and one label is their relevance
  kTokenVectors,  // late interaction: MaxSim of the vectors of their tokens
  kEmbeddings     // the similarity of their vectors
};

// How a model scores documents for a query; rerank() of bert/text_tasks.h and rerank_call() of bert/task_calls.h do so.
// A view of the model, which must outlive it. Immutable; safe to use from many threads.
class BERT_API Reranker {
 public:
  // options: of kEmbeddings; a classifier takes only the prompt, which task() has, and a late-interaction
  // model none. relevant_label: as in relevant_output, of a classifier. Throws Error: kInvalidArgument for other
  // options and for a classifier without a relevant label, kNotFound for an unknown prompt, and the error that prevents
  // the method for every text.
  explicit Reranker(const Model& model, const EmbedOptions& options = {},
                    const std::optional<std::string>& relevant_label = {});
  // By vectors of these kinds, with their weights. Throws as HybridScore does.
  Reranker(const Model& model, const VectorRequest& request, const KindWeights& weights);

  RerankMethod method() const { return method_; }
  // "sigmoid", "identity" or "softmax" of the logits; "maxsim" or "meanmaxsim"; or the similarity: "cosine", …;
  // "hybrid" of several kinds.
  std::string score_name() const;

  // The task for the query, an item with the role kQuery, and for the documents; a classifier's is for their pairs.
  const TextTask& task() const { return task_; }

  Relevance relevance(const Logits& logits) const;                                    // of kClassifier
  Relevance similarity(const TextVectors& query, const TextVectors& document) const;  // of the other methods

 private:
  const Model* model_;
  RerankMethod method_;
  TextTask task_;
  size_t output_ = 0;                         // of kClassifier: the relevant one
  std::shared_ptr<const HybridScore> score_;  // of the other methods
};

// A word for a mask.
struct MaskCandidate {
  std::string token;  // as in the vocabulary
  int32_t id = 0;
  double score = 0;
  std::string sequence;  // the text with the mask replaced
};

// Tokenizer::mask_id. Throws Error(kNotFound) if there is none.
BERT_API int32_t mask_token_id(const Tokenizer& tokenizer);

// Throws Error(kInvalidText) for an encoding without a mask, and for one of a text that was too long, and its pair, of
// which a mask was cut off.
BERT_API void check_masks(const Tokenizer& tokenizer, const Encoding& encoding, std::string_view text,
                          const std::optional<std::string_view>& pair = {});

// The top_k best for each mask in ids. logits: the masked LM's rows of the masks (LogitsOptions::only_id).
// targets: only these ids, with their probabilities in the whole vocabulary; empty: all ids.
BERT_API std::vector<std::vector<MaskCandidate>> mask_candidates(const Tokenizer& tokenizer,
                                                                 std::span<const int32_t> ids, const Logits& logits,
                                                                 size_t top_k, std::span<const int32_t> targets = {});

// kNone: each token; kSimple: adjacent tokens of one kind are merged; the others first choose one label for each word:
// that of its first token, of the mean of its tokens, or of its highest-scoring token.
enum class Aggregation { kNone, kSimple, kFirst, kAverage, kMax };

// What the letter before a label's kind means. kIob: "B-PER" begins an entity and "I-PER" goes on with it; every other
// letter is part of the kind, as the reference reads all labels. kBioes: "E-PER" ends it and "S-PER" is one alone.
// kBilou: the same of "L-PER" (last) and "U-PER" (unit). kFromLabels: kBioes or kBilou where all labels of the model
// but "O" begin with letters of that scheme, and one with a letter that kIob does not have; else kIob.
enum class TagScheme { kFromLabels, kIob, kBioes, kBilou };

// The scheme that kFromLabels is for this model.
BERT_API TagScheme tag_scheme(const ModelConfig& config);

// One window of a text, without padding, and a head's logits for it. Most texts have one window.
struct TokenLogits {
  const Encoding* encoding;
  const Logits* logits;
};

// In the text's order, without "O". Where windows overlap, the longer entity wins, then the one with the higher score.
// scheme: how labels of adjacent tokens, or words, become one entity.
BERT_API std::vector<Entity> find_entities(const Model& model, std::string_view text,
                                           std::span<const TokenLogits> windows, Aggregation aggregation,
                                           TagScheme scheme = TagScheme::kFromLabels);
void find_entities(const Model& model, TextList texts, std::span<const TokenLogits> windows, Aggregation aggregation,
                   TagScheme scheme = TagScheme::kFromLabels) = delete;

// A word of a text that the caller divided, with its label.
struct WordLabel {
  std::string label;  // "O" too; empty: the word has no tokens, or was cut off
  double score = 0;
  bool operator==(const WordLabel&) const = default;
};

// A label for each of `count` words of an encoding by Tokenizer::tokenize_words, as find_entities chooses it for a
// word: by kFirst, kAverage or kMax. Throws Error for another aggregation.
BERT_API std::vector<WordLabel> label_words(const Model& model, const TokenLogits& sequence, size_t count,
                                            Aggregation aggregation = Aggregation::kFirst);

// The tokens of a window of a context, if the model has as many, and those that two windows share, at most half a
// window. Source: transformers' QuestionAnsweringPipeline (4.57).
inline constexpr size_t kAnswerTokens = 384, kAnswerStride = 128;

struct AnswerOptions {
  size_t top_k = 1;
  size_t max_answer_tokens = 15;
  bool no_answer = false;      // "" can be the best answer
  bool align_to_words = true;  // an answer has whole words
};

struct Answer {
  std::string answer;
  double score = 0;
  size_t start = 0;  // UTF-8 bytes in the context, half-open
  size_t end = 0;
  size_t code_point_start = 0;  // the same in code points
  size_t code_point_end = 0;
};

// Best first, parts of the context only. windows: of the question and the context as a pair, with the logits of
// kQuestionAnswering; only the context is split. Answers that differ only in case are merged, and their scores added.
BERT_API std::vector<Answer> find_answers(std::string_view context, std::span<const TokenLogits> windows,
                                          const AnswerOptions& options = {});

}  // namespace bert
