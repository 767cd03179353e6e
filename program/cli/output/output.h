// The destination of a command's data: standard output or --output's file. Every write and the final close are checked.
//
// A file gets its name only at the end of the run, when it is on the disk. Until then it is NAME.partial in the same
// folder (or NAME.partial.2, … if that exists), which a user can watch grow. It is locked while it is written:
// if a hundred such files exist, one without a lock is replaced. If --output is a device or a pipe, it is written to
// directly. Formats that must seek (npy, npz) request kSeekable: if the output cannot seek, the data is first collected
// in a temporary file. If a run ends early, what remains of a kStream output ends with a whole line. A run that can be
// resumed writes to NAME.unfinished, which keeps its name until commit(). Used by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "program/cli/common.h"
#include "program/cli/run/signals.h"

namespace bert::cli {

// Thrown if the data could not be written. The message names the file and the system's reason.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown if the pipe's reader is gone.
class ClosedPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

bool is_standard_output(const std::string& name);  // for "" and "-"

// Returns whether both names refer to the same file, device or pipe.
bool is_same_target(const std::string& one, const std::string& other);

class Output {
 public:
  enum class Access { kStream, kSeekable };

  // name: a path, or "" or "-" for standard output. Throws OutputError.
  Output(const std::string& name, Access access);
  // Continues NAME.unfinished after its first `kept_bytes` bytes; the other bytes are dropped. name: a path.
  Output(const std::string& name, Access access, uint64_t kept_bytes);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // With kStream, only whole lines reach the file before the end, unless a line is longer than the buffer.
  void write(std::string_view bytes);
  // Passes written data to the system, so that the reader of a pipe sees it.
  void flush();
  // Flushes, and waits until the data is on the disk.
  void sync();
  // Only for kSeekable. Positions count from the start of this output.
  void seek(uint64_t position);
  uint64_t position() const { return position_; }

  // Returns whether the data goes to a file that gets its name at the end.
  bool has_partial() const { return !final_path_.empty(); }
  // Passes written data to the unfinished file, which then stays when the run ends, whatever its format.
  void keep_partial();

  // Completes the output: flushes, copies collected data, closes, renames the file. If it is not called, the destructor
  // keeps NAME.partial if it is useful to people, and else removes it.
  void commit();

  // Returns whether the data goes to a terminal.
  bool is_terminal() const { return terminal_; }
  // Returns the terminal's colours, if its user wants them, and its width; the default style if it is not a terminal.
  TextStyle style() const;

 private:
  void open_file(const std::string& name, bool seekable);
  void open_partial();
  void flush_lines();
  void open_kept();
  void open_spool();
  void write_all(int file, std::string_view bytes, const std::string& what);
  void copy_spool();
  [[noreturn]] void fail(const std::string& what, const std::string& why = {}) const;

  Access access_;
  int target_ = -1;  // the final destination
  int spool_ = -1;   // a temporary file before the destination; -1: none
  std::optional<UnfinishedFile> unfinished_;
  std::string target_name_;  // for messages
  std::string final_path_;   // empty: the file is not renamed
  std::string partial_path_;
  std::optional<uint64_t> kept_bytes_;
  std::string buffer_;
  uint64_t position_ = 0;  // position of the next byte
  bool terminal_ = false;
  bool committed_ = false;
};

}  // namespace bert::cli
