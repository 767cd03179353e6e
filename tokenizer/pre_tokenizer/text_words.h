// Splits a text into words for models that label words; a web address, a mail address, or a name after @ is one word. A
// scanner for a regular expression of Python, in time linear in the text. Source: gliner2 2.1.0,
// WhitespaceTokenSplitter. Stateless; safe to call from many threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {

// Splits at the matches of
//   https?://\S+|www\.\S+  |  [a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}  |  @[a-z0-9_]+  |  W+(?:[-_]W+)*  |  \S
// in upper or lower case, where W is \w, a mark, or a joiner (U+200C, U+200D). Letters, numbers and marks are those of
// Unicode 16. Throws Error(kInvalidText) for invalid UTF-8.
std::vector<Offset> split_text_words(std::string_view text);

// Returns Python's str.lower() of valid UTF-8: a capital sigma at the end of a word becomes the final sigma.
std::string lower_case_text(std::string_view text);

}  // namespace bert
