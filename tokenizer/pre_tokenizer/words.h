// Splits a text into words for models that label words, by scanners for regular expressions of Python, in time linear
// in the text. Letters, numbers and marks are those of Unicode 16. Stateless; safe to call from many threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {

// Python's str.isspace(): White_Space, and the separators of files, groups, records and units.
bool is_python_space(char32_t c);

// Splits at the matches of \w+(?:[-_]\w+)*|\S: letters, numbers and underscores, with single hyphens between them;
// every other character except white space is a word. Throws Error(kInvalidText) for invalid UTF-8.
std::vector<Offset> split_words(std::string_view text);

// A web address, a mail address, or a name after @ is one word: splits at the matches of
//   https?://\S+|www\.\S+  |  [a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}  |  @[a-z0-9_]+  |  W+(?:[-_]W+)*  |  \S
// in upper or lower case, where W is \w, a mark, or a joiner (U+200C, U+200D). Source: gliner2 2.1.0,
// WhitespaceTokenSplitter. Throws Error(kInvalidText) for invalid UTF-8.
std::vector<Offset> split_text_words(std::string_view text);

// Returns Python's str.lower() of valid UTF-8: a capital sigma at the end of a word becomes the final sigma.
std::string lower_case_text(std::string_view text);

}  // namespace bert
