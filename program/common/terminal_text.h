// Text as a terminal shows it: its columns, and control characters escaped. Needs a UTF-8 locale (setlocale).
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bert::common {

// The text with control characters, those of the text's direction among them, and bytes that are not UTF-8 as \xHH, so
// that it stays on one terminal line and reads as it is.
std::string one_line(std::string_view text);

// one_line in single quotes.
std::string in_quotes(std::string_view text);

// The text without its middle if it is too long for a message: the found part comes first, the expected part last.
std::string shortened(const std::string& text);

// Columns that the text takes on a terminal: 2 for a wide character, 0 for a combining one.
size_t display_width(std::string_view text);

}  // namespace bert::common
