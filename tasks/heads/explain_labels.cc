// Computes how each word changes a classifier's scores: the scores of the text without the word.
#include <algorithm>
#include <functional>

#include "bert/tasks.h"
#include "models/model/logit_score.h"
#include "tasks/heads/check_logits.h"
#include "tasks/heads/words_left_out.h"

namespace bert {
namespace {

using Scores = std::function<std::vector<double>(const Logits& logits)>;

LabelExplanation explain(const Model& model, const TextResult& text, std::vector<std::string> labels,
                         const Scores& scores_of) {
  check_whole_text(text);
  LabelExplanation result;
  result.text = {.text = text.input.text, .pair = text.input.pair, .encoding = text.tokens.encoding};
  result.text.words = text_words(model.tokenizer(), text, !has_logit_score(model));
  result.labels = std::move(labels);
  const TokenSequence whole = model.sequence(text.tokens.encoding);
  result.scores = scores_of(model.logits(Head::kSequenceClassification, {&whole, 1}).front());
  for_each_batch(shortened_texts(whole, result.text.words), [&](size_t, std::span<const TokenSequence> batch) {
    for (const Logits& logits : model.logits(Head::kSequenceClassification, batch)) {
      const std::vector<double> scores = scores_of(logits);
      result.without.insert(result.without.end(), scores.begin(), scores.end());
    }
  });
  result.remainders = result.scores;
  for (size_t word = 0; word < result.text.words.size(); ++word) {
    for (size_t label = 0; label < result.labels.size(); ++label) result.remainders[label] -= result.term(word, label);
  }
  return result;
}

}  // namespace

LabelExplanation explain_labels(const Model& model, const TextResult& text) {
  model.require(Head::kSequenceClassification);
  std::vector<std::string> labels;
  for (size_t i = 0; i < model.config().labels.size(); ++i) labels.push_back(label_of(model.config(), i));
  return explain(model, text, std::move(labels),
                 [&](const Logits& logits) { return output_scores(model.config(), logits); });
}

LabelExplanation explain_relevance(const Model& model, const TextResult& pair,
                                   const std::optional<std::string>& relevant_label) {
  model.require(Head::kSequenceClassification);
  const size_t output = relevant_output(model.config(), relevant_label);
  return explain(model, pair, {label_of(model.config(), output)},
                 [&](const Logits& logits) { return std::vector{relevance(model.config(), logits, output).score}; });
}

}  // namespace bert
