// Explains scores. The similarity of two mean-pooled vectors is a sum over the pairs of their tokens, and the
// similarity of sparse vectors and of token vectors is a sum too: nothing is approximated. Other scores are explained
// by leaving out one word at a time. Also measured here: what each attention head contributes to an answer, and what
// each layer would predict.
//
//   bert::ScoreExplanation why = bert::explain_texts(model, {.dense = bert::EmbedOptions{}}, {.text = "a cat"},
//                                                    {.text = "the cats"});
//   for (size_t i = 0; i < why.a.rows.size(); ++i) use(why.a.rows[i], why.pairs[i * why.b.rows.size()]);
//
// Errors are bert::Error. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bert/export.h"
#include "bert/interventions.h"
#include "bert/model.h"
#include "bert/tasks.h"
#include "bert/text_pipeline.h"

namespace bert {

// A word of a text or of its pair: adjacent tokens, none of which is special.
struct TextWord {
  size_t first = 0;      // index of its first token in the encoding
  size_t tokens = 0;     // number of tokens
  int32_t sequence = 0;  // 0: the text, 1: the pair
  std::string text = {};
  Offset place = {};  // UTF-8 bytes in the text or the pair; empty if the model adds words of its own to the text
};

// One of the two texts that a score compares, or the text that has a label.
struct ExplainedText {
  std::string text = {};  // as tokenised, including its prompt
  std::string pair = {};
  Encoding encoding = {};
  std::vector<TextWord> words = {};
  // If the score is a sum over tokens: the rows (for b: the columns) of ScoreExplanation::pairs.
  std::vector<std::string> rows = {};     // tokens as in the vocabulary, then kConstantTerm if there is one
  std::vector<size_t> places = {};        // [rows]: index of the row's token; encoding.size() for kConstantTerm
  std::vector<std::string> groups = {};   // the words, then each row that belongs to no word
  std::vector<size_t> group_of_row = {};  // [rows]: index of the row's group
  std::vector<double> without = {};       // for kWordsLeftOut: the score without each word   [words]
};

// The last row of a text if modules after the pooling have biases: the part of the vector that comes from no token.
inline constexpr const char* kConstantTerm = "(bias)";

enum class ExplanationKind {
  kTokenPairs,   // dense vectors: one term for a token of one text and a token of the other
  kEntries,      // sparse vectors: one term for an entry of the vocabulary that both texts have
  kMatches,      // token vectors: one term for a token of the query and the document's token that it matches
  kWordsLeftOut  // for scores that are no sum: one term for each word that is left out
};
BERT_API std::string_view name(ExplanationKind kind);  // "token pairs", "entries", "matches", "words left out"

// An entry of the vocabulary and its term of the similarity of two sparse vectors.
struct EntryTerm {
  int32_t id = 0;
  std::string token;
  double weight_a = 0, weight_b = 0;
  double term = 0;
};

struct ScoreExplanation {
  ExplanationKind kind = ExplanationKind::kTokenPairs;
  std::string function;      // "cosine", "dot", "maxsim", …
  std::string not_additive;  // for kWordsLeftOut: why the score is no sum, such as "pooling cls reads one token"
  double score = 0;
  // The score minus the sum of all terms: a rounding error, but for kWordsLeftOut the joint effect of several words. A
  // word's term is the score minus the score without the word.
  double remainder = 0;
  ExplainedText a, b;
  std::vector<double> pairs;       // for kTokenPairs and kMatches   [a.rows, b.rows]
  std::vector<EntryTerm> entries;  // for kEntries, the largest term first

  std::vector<double> group_pairs() const;  // sums of pairs over the groups   [a.groups, b.groups]
};

// Explains the similarity of a and b by the one kind of vectors that the request names; the score is HybridScore's for
// this kind alone. a and b: what TextTaskRunner::cut made for the request, each from a text, not from a pair, a window
// or ids. Throws Error(kInvalidArgument) for other requests and texts, and if a text without special tokens has only
// one word to leave out.
BERT_API ScoreExplanation explain_score(const Model& model, const VectorRequest& request, const TextResult& a,
                                        const TextResult& b);
// Explains the similarity of two texts, which are truncated as options.tokenize says. For token vectors, a is a query
// and b a document unless the texts or the request have roles.
BERT_API ScoreExplanation explain_texts(const Model& model, const VectorRequest& request, const TextItem& a,
                                        const TextItem& b, const TextOptions& options = {});

// How each word of a text or of a pair changes a classifier's scores.
struct LabelExplanation {
  ExplainedText text;               // `without` is empty
  std::vector<std::string> labels;  // in the order of the model's outputs
  std::vector<double> scores;       // [labels]
  std::vector<double> without;      // the scores without each word   [words, labels]
  std::vector<double> remainders;   // [labels]: the score minus the sum of its words' terms

  double term(size_t word, size_t label) const { return scores[label] - without[word * labels.size() + label]; }
};
// Explains the scores of label_scores. text: what TextTaskRunner::cut made for HeadOptions.
BERT_API LabelExplanation explain_labels(const Model& model, const TextResult& text);
// Explains a reranker's score: only the relevant label, whose score is Reranker's. relevant_label: as in
// relevant_output.
BERT_API LabelExplanation explain_relevance(const Model& model, const TextResult& pair,
                                            const std::optional<std::string>& relevant_label = {});

// Returns a head's logits for the hidden states of every layer (the "logit lens", nostalgebraist 2020). If the model
// has a norm after its last layer, it is applied before the head. head: a head that reads token vectors, such as
// kMaskedLm.   Returns [layers + 1]: the embeddings first; the last equals Model::logits. Throws Error(kNotFound) for a
// model without the head, and Error(kInvalidArgument) for a head that reads one vector per text.
BERT_API std::vector<Logits> layer_logits(const Model& model, Head head, const TokenSequence& sequence,
                                          const LogitsOptions& options = {});

// The words that a masked LM head predicts for the masks of a text, by layer.
struct LayerWords {
  std::vector<std::vector<std::vector<MaskCandidate>>> words;  // [layers + 1, masks, at most top_k], the best first
  // The probability of the last layer's best word.   [masks, layers + 1]
  std::vector<std::vector<double>> last_word;
};
// Computes the words that each layer would predict. Throws as layer_logits does, and Error(kInvalidText) for a text
// without a mask.
BERT_API LayerWords layer_words(const Model& model, const Encoding& encoding, size_t top_k);

// How much each attention head contributes to the model's answer for a text.
struct HeadImportance {
  std::string answer;        // describes it: "the score of 'positive'", "the probability of 'is'", "the cosine with
                             // itself"
  double whole = 0;          // the answer with all heads
  size_t heads = 0;          // heads of a layer
  std::vector<double> loss;  // `whole` minus the answer without the head   [layers, heads]
};
// Computes the answer without each head. A classifier's answer is the score of its best label; for a text with a mask
// and a model with a masked LM head, the probability of the best word for the first mask; else the cosine of the text's
// vector with its vector with all heads. Throws as intervene does.
BERT_API HeadImportance head_importance(const Model& model, const Encoding& encoding,
                                        Ablation ablation = Ablation::kZero);

// Returns the words of a text and of its pair: the tokens of one word_id, divided at white space if one word_id has
// several words. offsets_are_of_text: false for a text to which the model adds words of its own; a word's text is then
// its tokens' text.
BERT_API std::vector<TextWord> text_words(const Tokenizer& tokenizer, const TextResult& text,
                                          bool offsets_are_of_text = true);

}  // namespace bert
