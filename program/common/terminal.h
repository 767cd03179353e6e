// The terminal and the standard streams. posix/ and windows/ implement it. Safe to call from many threads, but for
// prepare_standard_streams().
#pragma once

#include <cstddef>
#include <string_view>

namespace bert::common {

// Makes the standard streams carry UTF-8 and bytes as they are. Call once, at the program's start. Returns why the
// system is too old for that; else null.
const char* prepare_standard_streams();

bool is_terminal(int file);

// Returns the width of the file's terminal; 0 if it is not a terminal or the width is unknown.
size_t terminal_columns(int file);

struct TerminalCharacter {
  size_t bytes;  // 0: not UTF-8
  char32_t code;
  int width;  // in columns; -1: a control character
};

// Returns the character at text[position], which is not ASCII's zero. On POSIX it needs a UTF-8 locale (setlocale): in
// other locales, text beyond ASCII counts as not UTF-8.
TerminalCharacter terminal_character(std::string_view text, size_t position);

}  // namespace bert::common
