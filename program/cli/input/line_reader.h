// Reads the lines of a file, which may be compressed. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bert/text_pipeline.h"
#include "program/cli/input/decompressor.h"

namespace bert::cli {

// Thrown if the input cannot be read at all. The message names the file.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The bytes [begin, end) of the input file that a run reads; both are at the beginning of a line or record. The names
// of columns are nevertheless read from the file's beginning.
struct InputPart {
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;  // UINT64_MAX: the file's end
  size_t lines_before = 0;    // number of lines of the file before `begin`
};

// Returns the name of an --input for messages.
std::string name_of(const std::string& input);

// UTF-8's byte order mark at the beginning of a file, which is not part of its text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Reads lines of a file or of standard input ("-"), which may be compressed. "\n" ends a line; a "\r" before it and a
// byte order mark at the file's beginning are dropped.
class LineReader {
 public:
  explicit LineReader(const std::string& name, const InputPart& part = {});
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Reads a line. Returns kNotYet if no whole line arrived within `wait`; a partial line is kept.
  TextSource::State next(std::string& line, TextSource::Wait wait);
  bool is_compressed();  // reads the beginning of the file; for a regular file, before next()
  // Returns the bytes of the lines so far, including a partial line; for a compressed file, the compressed bytes read.
  uint64_t bytes_read() const { return decompressor_ == nullptr ? bytes_of_lines_ : bytes_of_file_; }
  uint64_t bytes_total() const { return bytes_total_; }  // of the file; 0: unknown

 private:
  bool is_readable(TextSource::Wait wait) const;
  std::string taken_line();
  bool fill();  // returns false at the end
  size_t read(std::span<char> to);

  std::string name_;
  int file_;
  std::vector<char> buffer_;  // text; [begin_, end_) is not in a line yet
  size_t begin_ = 0;
  size_t end_ = 0;
  std::string part_;    // the beginning of a line whose end was not read yet
  bool may_have_mark_;  // the next line is the file's first
  uint64_t bytes_of_lines_ = 0;
  uint64_t bytes_of_file_ = 0;
  uint64_t bytes_total_ = 0;
  uint64_t unread_;  // bytes of the InputPart still to read

  bool is_recognised_ = false;  // it is known whether the file is compressed
  std::string begin_of_file_;   // the file's first bytes, until is_recognised_
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<char> file_buffer_;
  std::span<const char> compressed_;  // bytes in file_buffer_ that are not decompressed yet
  bool more_decompressed_ = false;    // more text may come without more compressed bytes
};

}  // namespace bert::cli
