// The sentences of a text, by punctuation and lines: for chunks that should not break inside one. Stateless.
#pragma once

#include <string_view>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {

// In bytes, in order, without the white space around each; they cover all other characters. A sentence ends at a line's
// end, and after . ! ? … and their kin with the closing quotes and brackets behind them, where white space follows and
// then no small letter; after the marks of Chinese and Japanese also without white space.
std::vector<Offset> sentences_of(std::string_view text);

}  // namespace bert
