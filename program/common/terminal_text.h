// Text on a terminal: its width in columns, and control characters escaped. Needs a UTF-8 locale (setlocale).
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bert::common {

// Returns the text with control characters, also those of text direction, and invalid UTF-8 as \xHH, so that it stays
// on one terminal line and is displayed as it is.
std::string one_line(std::string_view text);

// Returns one_line(text) in single quotes.
std::string in_quotes(std::string_view text);

// Removes the middle of a text that is too long for a message: the found part comes first, the expected part last.
std::string shortened(const std::string& text);

// Returns the columns of the text on a terminal: 2 for a wide character, 0 for a combining one.
size_t display_width(std::string_view text);

}  // namespace bert::common
