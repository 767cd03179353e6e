// Why a score is what it is. The similarity of two mean-pooled vectors is a sum over the pairs of their tokens, and
// that of sparse and of token vectors is a sum too: nothing is approximated. Other scores are explained by leaving out
// one word at a time. Also what an answer loses without each head, and what each layer says.
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

// A word of a text or of its pair: adjacent tokens, none of them special.
struct TextWord {
  size_t first = 0;      // token of the encoding
  size_t tokens = 0;     // how many
  int32_t sequence = 0;  // 0: the text, 1: the pair
  std::string text = {};
  Offset place = {};  // in its sequence's text, in UTF-8 bytes; empty if the model puts words of its own there
};

// One of the texts that a score compares, or the one of a label.
struct ExplainedText {
  std::string text = {};  // as tokenised, with its prompt
  std::string pair = {};
  Encoding encoding = {};
  std::vector<TextWord> words = {};
  // If the score is a sum over tokens: what the rows (for b: the columns) of ScoreExplanation::pairs are.
  std::vector<std::string> rows = {};     // tokens as in the vocabulary, and kConstantTerm
  std::vector<size_t> places = {};        // [rows]: the index of each one's token; encoding.size() for kConstantTerm
  std::vector<std::string> groups = {};   // the words, then each row that belongs to none
  std::vector<size_t> group_of_row = {};  // [rows]
  std::vector<double> without = {};       // of kWordsLeftOut: the score without each word   [words]
};

// The last row of a text whose modules after the pooling have biases: what the vector has of no token.
inline constexpr const char* kConstantTerm = "(bias)";

enum class ExplanationKind {
  kTokenPairs,   // dense vectors: each token of one text with each of the other
  kEntries,      // sparse vectors: the entries of the vocabulary that both have
  kMatches,      // token vectors: each token of a query with the token of the document that it matches
  kWordsLeftOut  // the score is no such sum: what it is without each word
};
BERT_API std::string_view name(ExplanationKind kind);  // "token pairs", "entries", "matches", "words left out"

// An entry of the vocabulary and what it adds to the similarity of two sparse vectors.
struct EntryTerm {
  int32_t id = 0;
  std::string token;
  double weight_a = 0, weight_b = 0;
  double term = 0;
};

struct ScoreExplanation {
  ExplanationKind kind = ExplanationKind::kTokenPairs;
  std::string function;      // "cosine", "dot", "maxsim", …
  std::string not_additive;  // of kWordsLeftOut: why the score is no sum, as "pooling cls reads one token"
  double score = 0;
  // The score minus the sum of all terms: rounding, but of kWordsLeftOut what words do together. A word's term is there
  // the score minus that without it.
  double remainder = 0;
  ExplainedText a, b;
  std::vector<double> pairs;       // of kTokenPairs and kMatches   [a.rows, b.rows]
  std::vector<EntryTerm> entries;  // of kEntries, the largest term first

  std::vector<double> group_pairs() const;  // the sums of pairs   [a.groups, b.groups]
};

// request: of one kind of vectors. The score is that of HybridScore for this kind alone. a and b: what
// TextTaskRunner::cut made for the request: of a text, not of a pair, a window or ids. Throws Error(kInvalidArgument)
// for other requests and texts, and where a text without special tokens has only one word to leave out.
BERT_API ScoreExplanation explain_score(const Model& model, const VectorRequest& request, const TextResult& a,
                                        const TextResult& b);
// The same of two texts, truncated as options.tokenize says. Token vectors: those of a query and of a document, unless
// the texts or the request have roles.
BERT_API ScoreExplanation explain_texts(const Model& model, const VectorRequest& request, const TextItem& a,
                                        const TextItem& b, const TextOptions& options = {});

// What each word of a text or of a pair does for a classifier's scores.
struct LabelExplanation {
  ExplainedText text;               // `without` is empty
  std::vector<std::string> labels;  // in the order of the model's outputs
  std::vector<double> scores;       // [labels]
  std::vector<double> without;      // the scores without each word   [words, labels]
  std::vector<double> remainders;   // [labels]: the score minus the sum of its words' terms

  double term(size_t word, size_t label) const { return scores[label] - without[word * labels.size() + label]; }
};
// text: what TextTaskRunner::cut made for HeadOptions. The scores are those of label_scores.
BERT_API LabelExplanation explain_labels(const Model& model, const TextResult& text);
// The same of a reranker: the relevant label alone, whose score is that of Reranker. relevant_label: as in
// relevant_output.
BERT_API LabelExplanation explain_relevance(const Model& model, const TextResult& pair,
                                            const std::optional<std::string>& relevant_label = {});

// What each layer says: a head's logits for the hidden states of every layer (the "logit lens", nostalgebraist 2020).
// If the model has a norm after its last layer, it is applied before the head. head: one that reads token vectors, such
// as kMaskedLm.   Returns [layers + 1], from the embeddings on; the last equals Model::logits. Throws Error(kNotFound)
// for a model without the head, and Error(kInvalidArgument) for a head that reads one vector for a text.
BERT_API std::vector<Logits> layer_logits(const Model& model, Head head, const TokenSequence& sequence,
                                          const LogitsOptions& options = {});

// The words that a masked LM head says for the masks of a text, by layer.
struct LayerWords {
  std::vector<std::vector<std::vector<MaskCandidate>>> words;  // [layers + 1, masks, at most top_k], the best first
  // The probability of the word that the last layer says.   [masks, layers + 1]
  std::vector<std::vector<double>> last_word;
};
// Throws as layer_logits does, and Error(kInvalidText) for a text without a mask.
BERT_API LayerWords layer_words(const Model& model, const Encoding& encoding, size_t top_k);

// What the model's answer for a text loses without each head.
struct HeadImportance {
  std::string answer;        // in words: "the score of 'positive'", "the probability of 'is'", "the cosine with itself"
  double whole = 0;          // with all heads
  size_t heads = 0;          // of a layer
  std::vector<double> loss;  // whole minus the answer without the head   [layers, heads]
};
// The answer of a classifier is the score of its best label; of a text with a mask and a model with a masked LM head
// the probability of the best word for the first mask; else the cosine of the text's vector with that of all heads.
// Throws as intervene does.
BERT_API HeadImportance head_importance(const Model& model, const Encoding& encoding,
                                        Ablation ablation = Ablation::kZero);

// The words of a text and of its pair: tokens of one word_id, and where those are of several words, of one without
// white space. offsets_are_of_text: false for a text in which the model puts words of its own; a word is then its
// tokens' text.
BERT_API std::vector<TextWord> text_words(const Tokenizer& tokenizer, const TextResult& text,
                                          bool offsets_are_of_text = true);

}  // namespace bert
