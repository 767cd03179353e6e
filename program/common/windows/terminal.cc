#include "program/common/terminal.h"

#include <fcntl.h>
#include <io.h>

#include <clocale>
#include <cstdlib>

#include "engine/base/utf8.h"
#include "engine/base/windows/system.h"

namespace bert::common {
namespace {

// The console's code pages before the program, which stay in its window.
UINT input_page = 0, output_page = 0;

void restore_console() {
  SetConsoleCP(input_page);
  SetConsoleOutputCP(output_page);
}

struct Range {
  char32_t first, last;
};

// Characters of two columns. Source: Unicode 15, EastAsianWidth.txt, W and F, rounded to blocks.
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97C},
                           {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
                           {0xFFE0, 0xFFE6},   {0x17000, 0x18CFF}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                           {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
// Characters of none: marks that combine with the one before, and joiners.
constexpr Range kNarrow[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},
                             {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF},
                             {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};

template <size_t n>
bool is_in(const Range (&ranges)[n], char32_t c) {
  for (const Range& range : ranges) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

}  // namespace

// The program's manifest makes UTF-8 its code page: arguments, variables and the names of files are then UTF-8 in every
// function of the C and C++ libraries.
const char* prepare_standard_streams() {
  if (GetACP() != CP_UTF8) return "this Windows is too old, expected Windows 10 version 1903 or later";
  _set_fmode(_O_BINARY);
  for (const int file : {0, 1, 2}) _setmode(file, _O_BINARY);
  std::setlocale(LC_CTYPE, ".UTF8");
  input_page = GetConsoleCP();
  output_page = GetConsoleOutputCP();
  if (input_page != 0 && output_page != 0) {
    SetConsoleCP(CP_UTF8);
    SetConsoleOutputCP(CP_UTF8);
    std::atexit(restore_console);
  }
  for (const int file : {1, 2}) {
    DWORD mode = 0;  // with escape sequences, which colours and the progress bar are
    if (GetConsoleMode(handle_of(file), &mode) != 0) {
      SetConsoleMode(handle_of(file), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    }
  }
  return nullptr;
}

bool is_terminal(int file) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(file), &mode) != 0;
}

size_t terminal_columns(int file) {
  CONSOLE_SCREEN_BUFFER_INFO info = {};
  if (GetConsoleScreenBufferInfo(handle_of(file), &info) == 0) return 0;
  return static_cast<size_t>(info.srWindow.Right - info.srWindow.Left) + 1;
}

TerminalCharacter terminal_character(std::string_view text, size_t position) {
  const auto [code, bytes] = decode_utf8(text, position);
  if (bytes == 0) return {0, 0, 1};
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
  return {bytes, code, is_control ? -1 : is_in(kNarrow, code) ? 0 : is_in(kWide, code) ? 2 : 1};
}

}  // namespace bert::common
