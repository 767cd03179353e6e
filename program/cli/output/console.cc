#include "program/cli/output/console.h"

#include <unistd.h>

#include <cstdlib>

#include "program/common/system_files.h"
#include "program/common/terminal.h"

namespace bert::cli {

void write_stderr(std::string_view text) {
  // If standard error itself fails, that cannot be reported.
  (void)common::write_all(STDERR_FILENO, text);
}

bool wants_color(int file_descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return common::is_terminal(file_descriptor) && (term == nullptr || std::string_view(term) != "dumb");
}

Console::Console() : terminal_(common::is_terminal(STDERR_FILENO)), color_(wants_color(STDERR_FILENO)) {}

void Console::error(std::string_view message) { say("error", "\x1b[1;31m", message); }

void Console::note(std::string_view message) {
  if (!quiet_) say("note", "\x1b[1;36m", message);
}

void Console::say(std::string_view kind, std::string_view color, std::string_view message) {
  const std::string status = status_;
  clear_status();
  std::string line;
  if (format_) {
    line = format_(kind, one_line(message));
  } else {
    line = "bert-infer: ";
    if (color_) line += color;
    line += kind;
    line += ':';
    if (color_) line += "\x1b[0m";
    line += ' ';
    line += one_line(message);
  }
  if (writer_) return writer_(line);
  line += '\n';
  write_stderr(line);
  show_status(status);
}

void Console::show_status(const std::string& line) {
  if (!terminal_ || quiet_ || line.empty()) return;
  write_stderr("\r" + line + "\x1b[K");
  status_ = line;
}

void Console::clear_status() {
  if (status_.empty()) return;
  write_stderr("\r\x1b[K");
  status_.clear();
}

}  // namespace bert::cli
