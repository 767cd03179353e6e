// Where a command's data goes: standard output or --output's file. Every write and the final close are checked.
//
// A file appears under its name only when the run is over: until then it is NAME.partial beside it (NAME.partial.2, …
// where there is one already), which a person can watch grow. A device or a pipe named by --output is written to
// directly. Formats that must go back in the file (npy, npz) ask for kSeekable: what cannot seek is then collected in a
// temporary file first. Used by one thread.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bert::cli {

// The data could not be written. The message names the file and the system's reason.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

bool is_standard_output(const std::string& name);  // "" and "-"

// True where both names lead to the same file, device or pipe.
bool is_same_target(const std::string& one, const std::string& other);

class Output {
 public:
  enum class Access { kStream, kSeekable };

  // `name`: a path, or "" or "-" for standard output. Throws OutputError.
  Output(const std::string& name, Access access);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes);
  // Hands what was written to the system, so that a reader at the other end of a pipe sees it.
  void flush();
  // kSeekable only. Positions count from the start of this output.
  void seek(uint64_t position);
  uint64_t position() const { return position_; }

  // Completes the output: flushes, copies what was collected, closes, gives the file its name.
  // An Output that goes away without it keeps what a person can use of NAME.partial, and removes it where that is
  // nothing.
  void commit();

  // True where the data goes to a terminal.
  bool is_terminal() const { return terminal_; }
  // True where that terminal's reader wants colours.
  bool shows_color() const;

 private:
  void open_file(const std::string& name, bool seekable);
  void open_partial();
  void open_spool();
  void write_all(int file, std::string_view bytes, const std::string& what);
  void copy_spool();
  [[noreturn]] void fail(const std::string& what) const;

  Access access_;
  int target_ = -1;          // where the data ends up
  int spool_ = -1;           // the temporary file before it; -1: none
  std::string target_name_;  // for messages
  std::string final_path_;   // empty: no renaming
  std::string partial_path_;
  std::string buffer_;
  uint64_t position_ = 0;  // of the next byte
  bool terminal_ = false;
  bool committed_ = false;
};

}  // namespace bert::cli
