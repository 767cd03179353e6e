// What the program says on standard error: one line a message, and a status line (the progress bar) that messages do
// not tear. Data never goes through here. Used by one thread.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace bert::cli {

// The exit codes of the program.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;      // on the data, a file, or because the model does not have what was asked for
inline constexpr int kWrongUsage = 2;  // of the command line: it would be wrong for every model and every text

// The command line alone asks for what cannot be: exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// True where colours are welcome: a terminal, and no NO_COLOR.
bool wants_color(int file_descriptor);

// The text with control characters and bytes that are not UTF-8 as \xHH, so that it stays on one line of a terminal.
std::string one_line(std::string_view text);

// one_line in single quotes.
std::string in_quotes(std::string_view text);

// The text without its middle where it is longer than a message should be: what was found, and what was expected
// behind.
std::string shortened(const std::string& text);

// Columns that the text takes on a terminal: 2 for a wide character, 0 for a combining one.
size_t display_width(std::string_view text);

class Console {
 public:
  Console();
  ~Console() { clear_status(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void error(std::string_view message);
  void note(std::string_view message);

  bool is_terminal() const { return terminal_; }
  // Shows `line` in the last row of the terminal, in place of the one shown before. Nothing when not a terminal.
  void show_status(const std::string& line);
  void clear_status();

 private:
  void say(std::string_view kind, std::string_view color, std::string_view message);

  bool terminal_;
  bool color_;
  std::string status_;
};

}  // namespace bert::cli
