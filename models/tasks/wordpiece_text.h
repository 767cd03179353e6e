// The reference's text clean-up after a WordPiece decoder, and only after that one. Stateless.
#pragma once

#include <string>

#include "bert/tokenizer.h"

namespace bert {

// Words are split into pieces with a continuation mark, such as "##s".
bool has_word_pieces(const Tokenizer& tokenizer);

// Removes spaces before punctuation and English contractions, in the whole text.
std::string clean_up(const Tokenizer& tokenizer, std::string text);

}  // namespace bert
