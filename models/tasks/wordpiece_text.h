// Whether a tokenizer's words have pieces. Stateless.
#pragma once

#include "bert/tokenizer.h"

namespace bert {

// Words are split into pieces with a continuation mark, such as "##s".
bool has_word_pieces(const Tokenizer& tokenizer);

}  // namespace bert
