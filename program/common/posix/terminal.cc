#include "program/common/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cwchar>

namespace bert::common {

// Opens closed standard streams. Otherwise the next opened file would get such a stream's number, and receive our data
// or messages. They are opened in the wrong direction, so that using them fails, as it should.
const char* prepare_standard_streams() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(file, F_GETFD) >= 0) continue;
    if (::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) break;
  }
  std::setlocale(LC_CTYPE, "C.UTF-8");  // for the widths of characters; numbers stay as in C
  return nullptr;
}

bool is_terminal(int file) { return ::isatty(file) == 1; }

size_t terminal_columns(int file) {
  winsize size{};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

TerminalCharacter terminal_character(std::string_view text, size_t position) {
  wchar_t wide = 0;
  std::mbstate_t state{};
  const size_t bytes = std::mbrtowc(&wide, text.data() + position, text.size() - position, &state);
  if (bytes > text.size()) return {0, 0, 1};
  return {bytes, static_cast<char32_t>(wide), wcwidth(wide)};
}

}  // namespace bert::common
