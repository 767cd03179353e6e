// Splits a text into words for models that label words: \w+(?:[-_]\w+)*|\S of Python's regular expressions, by a table.
// Letters and numbers are those of Unicode 16. Stateless; safe to call from many threads.
#pragma once

#include <string_view>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {

// Python's str.isspace(): White_Space, and the separators of files, groups, records and units.
bool is_python_space(char32_t c);
// \w of Python's regular expressions, which does not include marks.
bool is_python_word(char32_t c);

// Splits into words: letters, numbers and underscores, with single hyphens between them; every other character except
// white space is a word. Throws Error(kInvalidText) for invalid UTF-8.
std::vector<Offset> split_words(std::string_view text);

}  // namespace bert
