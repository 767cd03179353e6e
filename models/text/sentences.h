// Finds the sentences of a text, by punctuation and lines, for chunks that should not break inside a sentence.
// Stateless.
#pragma once

#include <string_view>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {

// Returns the sentences' places in bytes, in order, without the white space around each; they cover all other
// characters. A sentence ends at a line's end, and after . ! ? … and similar marks, with the closing quotes and
// brackets after them, if white space follows and then no lower-case letter; after Chinese and Japanese marks also
// without white space.
std::vector<Offset> sentences_of(std::string_view text);

}  // namespace bert
