// The program's standard error: one line per message, and a status line (the progress bar) that messages do not break.
// Results never go through it. Used by one thread.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "program/cli/common.h"

namespace bert::cli {

// The exit codes of the program.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;      // bad data or a bad file, or the model lacks something that the command needs
inline constexpr int kWrongUsage = 2;  // a command line that is wrong for every model and every text

// Thrown if the command line itself is invalid: exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Writes the whole text, unless standard error itself fails, which cannot be reported. Safe in a signal handler.
void write_stderr(std::string_view text);

// Returns whether to use colours: for a terminal, unless NO_COLOR is set.
bool wants_color(int file_descriptor);

class Console {
 public:
  Console();
  ~Console() { clear_status(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void error(std::string_view message);
  void note(std::string_view message);
  void be_quiet() { quiet_ = true; }  // only errors are printed from now on
  // From now on, `format` makes each line from "error" or "note" and the message.
  void format_by(std::function<std::string(std::string_view kind, std::string_view message)> format) {
    format_ = std::move(format);
  }
  // From now on, `writer` receives the lines, without line ends; null: standard error, as at the start.
  void write_by(std::function<void(std::string_view line)> writer) { writer_ = std::move(writer); }

  bool is_terminal() const { return terminal_; }
  // Shows `line` in the terminal's last row, replacing the previous one. Does nothing without a terminal.
  void show_status(const std::string& line);
  void clear_status();

 private:
  void say(std::string_view kind, std::string_view color, std::string_view message);

  std::function<std::string(std::string_view, std::string_view)> format_;
  std::function<void(std::string_view)> writer_;
  bool terminal_;
  bool color_;
  bool quiet_ = false;
  std::string status_;
};

}  // namespace bert::cli
