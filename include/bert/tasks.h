// What a head's outputs mean: labels, words for a mask, entities, answers. The same as the reference library's
// pipelines give (transformers 4.57). Functions of their arguments only; safe to call from many threads. Outputs,
// tokens and texts that do not fit each other are Error(kInvalidArgument).
//
//   bert::Model model = bert::Model::load("path/to/a-classifier");
//   bert::Encoding encoding = model.tokenizer().tokenize("A lovely film", {.max_length = model.max_length()});
//   bert::TokenSequence sequence = model.sequence(encoding);
//   bert::Logits logits = model.logits(bert::Head::kSequenceClassification, {&sequence, 1})[0];
//   bert::LabelScore best = bert::label_scores(model.config(), logits)[0];
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/model.h"

namespace bert {

BERT_API std::vector<double> softmax(std::span<const float> logits);
BERT_API double sigmoid(double logit);

struct LabelScore {
  std::string label;
  double score = 0;
};

// Of sequence classification, best first. The score is the logit itself for problem_type regression, its sigmoid for
// multi_label_classification or a single label, else the softmax.
BERT_API std::vector<LabelScore> label_scores(const ModelConfig& config, const Logits& logits);

// A word for a mask.
struct MaskCandidate {
  std::string token;  // as the vocabulary spells it
  int32_t id = 0;
  double score = 0;
  std::string sequence;  // the text with it in the mask's place
};

// Tokenizer::mask_id. Throws Error(kNotFound) where there is none.
BERT_API int32_t mask_token_id(const Tokenizer& tokenizer);

// The top_k best for each mask among ids. logits: the masked LM's rows of the masks (LogitsOptions::only_id).
// targets: only these ids compete, with the probabilities that they have among all; empty: all do.
BERT_API std::vector<std::vector<MaskCandidate>> mask_candidates(const Tokenizer& tokenizer,
                                                                 std::span<const int32_t> ids, const Logits& logits,
                                                                 size_t top_k, std::span<const int32_t> targets = {});

// kNone: each token; kSimple: neighbouring tokens of one kind together; the others first agree on one label for each
// word, by its first token, its tokens' mean, or the token that is surest.
enum class Aggregation { kNone, kSimple, kFirst, kAverage, kMax };

struct Entity {
  std::string entity;  // the label; of a group without "B-" or "I-"
  double score = 0;
  std::string word;
  size_t start = 0;  // UTF-8 bytes in the text, half-open
  size_t end = 0;
};

// A text's windows of tokens (one, mostly), without padding, with a head's outputs for each.
struct TokenLogits {
  const Encoding* encoding;
  const Logits* logits;
};

// In the text's order; "O" is left out. Of windows that overlap the longer entity stays, then the surer one.
BERT_API std::vector<Entity> find_entities(const Model& model, std::string_view text,
                                           std::span<const TokenLogits> windows, Aggregation aggregation);

struct AnswerOptions {
  size_t top_k = 1;
  size_t max_answer_tokens = 15;
  bool no_answer = false;      // "" may be the best answer
  bool align_to_words = true;  // an answer has whole words
};

struct Answer {
  std::string answer;
  double score = 0;
  size_t start = 0;  // UTF-8 bytes in the context, half-open
  size_t end = 0;
};

// Best first, parts of the context only. windows: of the question and the context as a pair, with question answering's
// outputs; the context alone is cut. Answers that differ in case only count as one, with their scores added.
BERT_API std::vector<Answer> find_answers(std::string_view context, std::span<const TokenLogits> windows,
                                          const AnswerOptions& options = {});

}  // namespace bert
