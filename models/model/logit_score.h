// A reranker that is a language model: a chat template puts a query and a document into one text. The score is the
// output layer's number for one entry of the vocabulary ("yes") at the text's last token, minus the number for another
// entry ("no").
#pragma once

#include <string>
#include <string_view>

#include "bert/model.h"

namespace bert {

bool has_logit_score(const Model& model);

// Tokenises a query and a document as one text, for a model that has_logit_score(). instruction: empty: the template's
// own. If the text is truncated, the end of the template, which is the same for all texts, replaces its last tokens, as
// in the reference.
Encoding tokenize_messages(const Model& model, std::string_view query, std::string_view document,
                           const std::string& instruction, TokenizeOptions options);

}  // namespace bert
