// Late interaction (ColBERT): a vector for each token of a query or a document. How well they fit is the sum, over the
// query's vectors, of the largest dot product with one of the document's (bert/vectors.h, MaxSim).
//
//   bert::TokenVectors query = model.vectors("a question", {.tokens = true, .role = bert::TextRole::kQuery}).tokens;
//   bert::TokenVectors document = model.vectors("a text", {.tokens = true}).tokens;
//   double score = bert::MaxSim().score(query.values, document.values, query.size);
//
// What a model's files say of it, and how its texts are tokenised. Errors are bert::Error. Functions are safe to call
// from many threads.
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

// What the model's files say of a role's texts.
struct RoleSettings {
  std::string prompt;     // put before the text, in part as a token of its own; "": nothing
  size_t max_length = 0;  // tokens, with special ones
  // A query's are filled with mask tokens up to so many, which have vectors too; 0: not.
  size_t expanded_length = 0;
  bool attends_expansion = false;          // the query's other tokens attend to those
  std::vector<std::string> skipped_words;  // tokens without a vector
};

struct TokenVectorSettings {
  size_t size = 0;                   // numbers of a vector
  std::vector<std::string> modules;  // after the encoder, in words: "Dense 768 to 128, Identity, of each token"
  RoleSettings query;
  RoleSettings document;
  bool mean_score = false;  // the model's score is divided by the number of the query's vectors (MeanMaxSim)
};

BERT_API bool makes_token_vectors(const Model& model);

// Throws Error(kNotFound) for another model than a late-interaction one, and the error that prevents its vectors.
BERT_API TokenVectorSettings token_vector_settings(const Model& model);

// A text as a sequence: with its role's prompt and, for a query, its expansion.
struct RoleEncoding {
  Encoding encoding;      // the expansion's tokens are special ones
  size_t expansion = 0;   // tokens at the end
  size_t unattended = 0;  // as in TokenSequence
};

// A view of it as the encoder's input.
BERT_API TokenSequence sequence(const Model& model, const RoleEncoding& encoding);

// options.max_length 0: the role's own limit. A longer text is truncated.
BERT_API RoleEncoding tokenize(const Model& model, std::string_view text, TextRole role,
                               const TokenizeOptions& options = {});
void tokenize(const Model& model, TextList texts, TextRole role, const TokenizeOptions& options = {}) = delete;

}  // namespace bert
