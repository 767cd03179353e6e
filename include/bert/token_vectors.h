// Late interaction (ColBERT): a vector for each token of a query or a document. The score of both is the sum, over the
// query's vectors, of the largest dot product with one of the document's vectors (MaxSim in bert/vectors.h).
//
//   bert::TokenVectors query = model.vectors("a question", {.tokens = true, .role = bert::TextRole::kQuery}).tokens;
//   bert::TokenVectors document = model.vectors("a text", {.tokens = true}).tokens;
//   double score = bert::MaxSim().score(query.values, document.values, query.size);
//
// This header tells what a model's files say about token vectors, and tokenises texts for them. Functions throw Error
// and are safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"
#include "bert/string_range.h"

namespace bert {

// How the texts of a role are read, by the model's files.
struct RoleSettings {
  std::string prompt;     // put before the text, in part as a token of its own; "": none
  size_t max_length = 0;  // in tokens, including special ones
  // Queries are padded to this length with mask tokens, which have vectors too; 0: no padding.
  size_t expanded_length = 0;
  bool attends_expansion = false;          // the query's other tokens attend to the padding
  std::vector<std::string> skipped_words;  // words whose tokens get no vector
};

struct TokenVectorSettings {
  size_t size = 0;                   // numbers of a vector
  std::vector<std::string> modules;  // descriptions of those after the encoder: "Dense 768 to 128, Identity, of each
                                     // token"
  RoleSettings query;
  RoleSettings document;
  bool mean_score = false;  // the score is divided by the number of the query's vectors (MeanMaxSim)
};

BERT_API bool makes_token_vectors(const Model& model);

// Throws Error(kNotFound) unless the model is a late-interaction model, and the error that prevents its vectors.
BERT_API TokenVectorSettings token_vector_settings(const Model& model);

// A text's tokens, with its role's prompt and, for a query, its expansion.
struct RoleEncoding {
  Encoding encoding;      // the expansion's tokens count as special tokens
  size_t expansion = 0;   // number of tokens of the expansion, at the end
  size_t unattended = 0;  // as in TokenSequence
};

// Returns a view of `encoding` as the encoder's input.
BERT_API TokenSequence sequence(const Model& model, const RoleEncoding& encoding);

// Tokenises a text for a role. options.max_length 0: the role's own limit. A longer text is truncated.
BERT_API RoleEncoding tokenize(const Model& model, std::string_view text, TextRole role,
                               const TokenizeOptions& options = {});
void tokenize(const Model& model, TextList texts, TextRole role, const TokenizeOptions& options = {}) = delete;

}  // namespace bert
