// Computes results from a head's logits: labels, words for a mask, entities, answers. They equal those of the reference
// library's pipelines (transformers 4.57). Stateless; safe to call from many threads. Functions throw
// Error(kInvalidArgument) if logits, tokens and text do not match.
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
// Returns the scores of a sequence classifier's labels, best first. By default a score is the logit for problem_type
// regression, its sigmoid for multi_label_classification or a single label, else the softmax.
BERT_API std::vector<LabelScore> label_scores(const ModelConfig& config, const Logits& logits,
                                              std::optional<LogitFunction> function = {});

// Zero-shot classification: a classifier of natural language inference (NLI), which says whether a premise entails a
// hypothesis, scores labels that it was not trained for. The text is the premise, and each candidate label makes a
// hypothesis.
//
//   std::string statement = bert::hypothesis("This example is {}.", "politics");  // "This example is politics."
//   bert::Encoding encoding = model.tokenizer().tokenize(text, statement, {.max_length = model.max_length(),
//                                                                          .truncation =
//                                                                          bert::Truncation::kOnlyFirst});
//   … the logits of all labels' pairs, in one batch …
//   std::vector<bert::LabelScore> scores = bert::zero_shot_scores(model.config(), labels, logits);
inline constexpr std::string_view kHypothesisTemplate = "This example is {}.";

// Returns the template with the label in place of "{}", or of each "{0}"; "{{" and "}}" become braces. Throws
// Error(kInvalidArgument) for a template without a place for the label.
BERT_API std::string hypothesis(std::string_view hypothesis_template, std::string_view label);

// Returns the index of the first label that begins with "entail", in upper or lower case. Throws
// Error(kInvalidArgument), which lists the labels, if there is none or the classifier has only one label.
BERT_API size_t entailment_output(const ModelConfig& config);

// Returns the scores of the candidate labels, best first. logits: for each label, those of the text with the label's
// hypothesis. The scores are the softmax over the labels of the logits for entailment. With `multi_label`, or with one
// label, each score is independent: the softmax of the label's logits for contradiction and entailment. Contradiction
// is output 0, or the last output if entailment is output 0.
BERT_API std::vector<LabelScore> zero_shot_scores(const ModelConfig& config, std::span<const std::string> labels,
                                                  std::span<const Logits> logits, bool multi_label = false);

// Returns the output of a classifier that scores how well a document fits a query: the only output, or of two the one
// with this label; without `label` the one whose label is "relevant", in upper or lower case. Throws
// Error(kInvalidArgument), which lists the labels.
BERT_API size_t relevant_output(const ModelConfig& config, const std::optional<std::string>& label = {});

// How well a document fits a query.
struct Relevance {
  double score = 0;
  // The score before the activation; of two labels, the relevant label's logit minus the other's. It increases with the
  // score, and still orders documents whose scores round to the same number.
  double logit = 0;
  std::string_view activation;  // "identity" or "sigmoid"; "softmax" for two labels
};

// Returns the relevance from a classifier's logits. output: as from relevant_output. For one label the score equals
// that of sentence-transformers' CrossEncoder: the activation is the one that the model's files name, else the sigmoid.
// Throws Error(kUnsupported) for an activation other than identity and sigmoid.
BERT_API Relevance relevance(const ModelConfig& config, const Logits& logits, size_t output = 0);

// The weight of each kind of vectors in a score; 0: the kind is not used.
struct KindWeights {
  double dense = 1;
  double sparse = 1;
  double tokens = 1;
};

// Scores two texts by their vectors: the weighted mean of the kinds' scores. The score is the model's similarity for
// dense vectors, SparseSettings::similarity for sparse vectors, and MaxSim for token vectors, divided by the number of
// the query's vectors if the model's files say so. Source: FlagEmbedding, M3Embedder.compute_score. A view of the
// model, which must outlive it. Immutable; safe to use from many threads.
class BERT_API HybridScore {
 public:
  // Throws Error(kInvalidArgument) for a negative weight and if no weight is above 0, and the Error of a kind that the
  // model cannot score.
  explicit HybridScore(const Model& model, const KindWeights& weights = {});

  // Throws Error(kInvalidArgument) if vectors are missing for a kind with a weight.
  double score(const TextVectors& query, const TextVectors& document) const;
  // Returns the score of token vectors alone, [vectors, size] each.
  double token_score(std::span<const float> query, std::span<const float> document, size_t size) const;

 private:
  KindWeights weights_;
  SimilarityFunction dense_ = SimilarityFunction::kCosine;
  SimilarityFunction sparse_ = SimilarityFunction::kDot;
  bool is_mean_ = false;  // the score of token vectors is the mean, not the sum
  MaxSim max_sim_{1};
};

// How a model scores a document for a query.
enum class RerankMethod {
  kClassifier,    // sequence classification of the pair of both; one label's score is the relevance
  kTokenVectors,  // late interaction: MaxSim of the tokens' vectors
  kEmbeddings     // the similarity of the texts' vectors
};

// Scores documents for a query; rerank() of bert/text_tasks.h and rerank_call() of bert/task_calls.h use it. A view of
// the model, which must outlive it. Immutable; safe to use from many threads.
class BERT_API Reranker {
 public:
  // options: for kEmbeddings. A classifier allows only the prompt, which becomes part of task(), and a late-interaction
  // model allows none. relevant_label: for a classifier, as in relevant_output. Throws Error: kInvalidArgument for
  // other options and for a classifier without a relevant label; kNotFound for an unknown prompt; and the error of a
  // method that fails for every text.
  explicit Reranker(const Model& model, const EmbedOptions& options = {},
                    const std::optional<std::string>& relevant_label = {});
  // Scores by the kinds of vectors that the request names, with these weights. Throws as HybridScore does.
  Reranker(const Model& model, const VectorRequest& request, const KindWeights& weights);

  RerankMethod method() const { return method_; }
  // Returns the name of the score: "sigmoid", "identity" or "softmax" for a classifier; "maxsim" or "meanmaxsim"; the
  // similarity ("cosine", …); or "hybrid" for several kinds.
  std::string score_name() const;

  // Returns the task for queries, items with the role kQuery, and for documents; for a classifier, for query–document
  // pairs.
  const TextTask& task() const { return task_; }

  Relevance relevance(const Logits& logits) const;                                    // for kClassifier
  Relevance similarity(const TextVectors& query, const TextVectors& document) const;  // for the other methods

 private:
  const Model* model_;
  RerankMethod method_;
  TextTask task_;
  size_t output_ = 0;                         // for kClassifier: the relevant output
  std::shared_ptr<const HybridScore> score_;  // for the other methods
};

// A candidate for a mask.
struct MaskCandidate {
  std::string token;  // as in the vocabulary
  int32_t id = 0;
  double score = 0;
  std::string sequence;  // the text with the mask replaced by the token
};

// Returns Tokenizer::mask_id. Throws Error(kNotFound) if the tokenizer has no mask.
BERT_API int32_t mask_token_id(const Tokenizer& tokenizer);

// Checks that a text and its pair have masks, and that the encoding has all of them. Throws Error(kInvalidText) for an
// encoding without a mask, and if truncation removed a mask.
BERT_API void check_masks(const Tokenizer& tokenizer, const Encoding& encoding, std::string_view text,
                          const std::optional<std::string_view>& pair = {});

// Returns the top_k best tokens for each mask in ids. logits: the masked LM's rows for the masks
// (LogitsOptions::only_id). targets: only these ids, with their probabilities in the whole vocabulary; empty: all ids.
BERT_API std::vector<std::vector<MaskCandidate>> mask_candidates(const Tokenizer& tokenizer,
                                                                 std::span<const int32_t> ids, const Logits& logits,
                                                                 size_t top_k, std::span<const int32_t> targets = {});

// How tokens become entities. kNone: each token is one; kSimple: adjacent tokens of one kind are merged. The others
// merge adjacent words of one kind; a word's label is that of its first token (kFirst), of the mean of its tokens'
// scores (kAverage) or of its highest-scoring token (kMax).
enum class Aggregation { kNone, kSimple, kFirst, kAverage, kMax };

// What the letter before a label's kind means. kIob: "B-PER" begins an entity and "I-PER" continues it; any other
// letter is part of the kind, as in the reference. kBioes: also "E-PER" ends an entity and "S-PER" is a whole one.
// kBilou: also "L-PER" (last) and "U-PER" (unit) for the same. kFromLabels: kBioes or kBilou if all labels of the model
// but "O" begin with letters of that scheme, and at least one with a letter that kIob lacks; else kIob.
enum class TagScheme { kFromLabels, kIob, kBioes, kBilou };

// Returns the scheme that kFromLabels means for this model.
BERT_API TagScheme tag_scheme(const ModelConfig& config);

// One window of a text, without padding, and a head's logits for it. Most texts have one window.
struct TokenLogits {
  const Encoding* encoding;
  const Logits* logits;
};

// Returns the entities in the text's order, without "O". Of overlapping entities of two windows the longer one wins,
// then the one with the higher score. scheme: how labels of adjacent tokens or words form one entity.
BERT_API std::vector<Entity> find_entities(const Model& model, std::string_view text,
                                           std::span<const TokenLogits> windows, Aggregation aggregation,
                                           TagScheme scheme = TagScheme::kFromLabels);
void find_entities(const Model& model, TextList texts, std::span<const TokenLogits> windows, Aggregation aggregation,
                   TagScheme scheme = TagScheme::kFromLabels) = delete;

// A word of a text that the caller divided, with its label.
struct WordLabel {
  std::string label;  // may be "O"; empty: the word has no tokens, or was truncated
  double score = 0;
  bool operator==(const WordLabel&) const = default;
};

// Returns a label for each of `count` words of an encoding by Tokenizer::tokenize_words, chosen as find_entities does
// for a word, by kFirst, kAverage or kMax. Throws Error for another aggregation.
BERT_API std::vector<WordLabel> label_words(const Model& model, const TokenLogits& sequence, size_t count,
                                            Aggregation aggregation = Aggregation::kFirst);

// The default tokens of a window of a context, if the model allows as many, and the default tokens that two windows
// share, at most half a window. Source: transformers' QuestionAnsweringPipeline (4.57).
inline constexpr size_t kAnswerTokens = 384, kAnswerStride = 128;

struct AnswerOptions {
  size_t top_k = 1;
  size_t max_answer_tokens = 15;
  bool no_answer = false;      // "" may be the best answer
  bool align_to_words = true;  // an answer consists of whole words
};

struct Answer {
  std::string answer;
  double score = 0;
  size_t start = 0;  // UTF-8 bytes in the context, half-open
  size_t end = 0;
  size_t code_point_start = 0;  // place in code points
  size_t code_point_end = 0;
};

// Returns answers, best first, which are parts of the context. windows: of the question and the context as a pair, with
// the logits of kQuestionAnswering; only the context is split. Answers that differ only in case are merged, and their
// scores added.
BERT_API std::vector<Answer> find_answers(std::string_view context, std::span<const TokenLogits> windows,
                                          const AnswerOptions& options = {});

}  // namespace bert
