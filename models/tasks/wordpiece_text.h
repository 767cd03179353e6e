// What the reference does to a text after a WordPiece decoder, and to no other's. Stateless.
#pragma once

#include <string>

#include "bert/tokenizer.h"

namespace bert {

// Words are cut into pieces that say that they go on one, such as "##s".
bool has_word_pieces(const Tokenizer& tokenizer);

// No space before punctuation and English contractions, over the whole text.
std::string clean_up(const Tokenizer& tokenizer, std::string text);

}  // namespace bert
