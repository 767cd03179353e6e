// A reranker that is a language model: a chat template puts a query and a document into one text, and the score is what
// the output layer gives the text's last token for one entry of the vocabulary ("yes"), less that for another ("no").
#pragma once

#include <string>
#include <string_view>

#include "bert/model.h"

namespace bert {

bool has_logit_score(const Model& model);

// The text of both, for a model that has_logit_score(). instruction: empty: the template's own. Where it is truncated,
// the end of the template, which is the same for all, takes the place of the last tokens, as in the reference.
Encoding tokenize_messages(const Model& model, std::string_view query, std::string_view document,
                           const std::string& instruction, TokenizeOptions options);

}  // namespace bert
