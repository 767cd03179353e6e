// Where a command's data goes: standard output or --output's file. Every write and the final close are checked.
//
// A file gets its name only at the end of the run, when it is on the disk: until then it is NAME.partial in the same
// folder (or NAME.partial.2, … if that exists), which a person can watch grow. It is locked (flock) while it is
// written: if there are a hundred, one that is not is replaced. If --output is a device or a pipe, it is written to
// directly. Formats that must seek (npy, npz) request kSeekable: output that cannot seek is then collected in a
// temporary file first. What a run that ends early leaves of kStream ends with a whole line. A run that can be resumed
// writes to NAME.unfinished, which stays where it is until commit(). Used by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "program/cli/common.h"
#include "program/cli/run/signals.h"

namespace bert::cli {

// The data could not be written. The message names the file and the system's reason.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nobody reads the pipe any more.
class ClosedPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

bool is_standard_output(const std::string& name);  // "" and "-"

// True if both names refer to the same file, device or pipe.
bool is_same_target(const std::string& one, const std::string& other);

class Output {
 public:
  enum class Access { kStream, kSeekable };

  // `name`: a path, or "" or "-" for standard output. Throws OutputError.
  Output(const std::string& name, Access access);
  // Goes on after the first `kept_bytes` of NAME.unfinished, and drops the others. `name` is a path.
  Output(const std::string& name, Access access, uint64_t kept_bytes);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // kStream: until the end whole lines reach the file, unless one is longer than the buffer.
  void write(std::string_view bytes);
  // Passes written data to the system, so that a reader at the other end of a pipe sees it.
  void flush();
  // The same, and waits until it is on the disk.
  void sync();
  // kSeekable only. Positions count from the start of this output.
  void seek(uint64_t position);
  uint64_t position() const { return position_; }

  // Whether the data goes to a file that gets its name at the end.
  bool has_partial() const { return !final_path_.empty(); }
  // Passes written data to the unfinished file, which then stays where the run ends, whatever its format.
  void keep_partial();

  // Completes the output: flushes, copies collected data, closes, renames the file.
  // Without it, the destructor keeps NAME.partial if it is useful to a person, else removes it.
  void commit();

  // True if the data goes to a terminal.
  bool is_terminal() const { return terminal_; }
  // The terminal's colours, if its user wants them, and its width; none of both for what is no terminal.
  TextStyle style() const;

 private:
  void open_file(const std::string& name, bool seekable);
  void open_partial();
  void flush_lines();
  void open_kept();
  void open_spool();
  void write_all(int file, std::string_view bytes, const std::string& what);
  void copy_spool();
  [[noreturn]] void fail(const std::string& what) const;

  Access access_;
  int target_ = -1;  // the final destination
  int spool_ = -1;   // the temporary file before it; -1: none
  std::optional<UnfinishedFile> unfinished_;
  std::string target_name_;  // for messages
  std::string final_path_;   // empty: no renaming
  std::string partial_path_;
  std::optional<uint64_t> kept_bytes_;
  std::string buffer_;
  uint64_t position_ = 0;  // of the next byte
  bool terminal_ = false;
  bool committed_ = false;
};

}  // namespace bert::cli
