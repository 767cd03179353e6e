// The words of a text, for models that label words: \w+(?:[-_]\w+)*|\S of Python's regular expressions, as a table.
// Letters and numbers are those of Unicode 16. Stateless; safe to call from many threads.
#pragma once

#include <string_view>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {

// str.isspace(): White_Space, and the separators of files, groups, records and units.
bool is_python_space(char32_t c);
// \w of its regular expressions, which has no marks.
bool is_python_word(char32_t c);

// Letters, numbers and underscores together, with single hyphens between them; every other character alone, but white
// space. Throws Error(kInvalidText): not valid UTF-8.
std::vector<Offset> split_words(std::string_view text);

}  // namespace bert
