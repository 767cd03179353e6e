// The lines of a file, which may be compressed. Used by one thread.
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

// The input cannot be read at all. The message names the file.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The bytes [begin, end) of the input file that a run reads. A line, or a record, begins at each of the two. The names
// of columns are read from the file's beginning even so.
struct InputPart {
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;  // UINT64_MAX: the file's end
  size_t lines_before = 0;    // lines of the file before `begin`
};

// An --input in messages.
std::string name_of(const std::string& input);

// UTF-8's mark at the beginning of a file, which is no part of its text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Lines of a file or of standard input ("-"), which may be compressed: "\n" ends one, a "\r" before it is dropped, and
// so is a byte order mark at the file's beginning.
class LineReader {
 public:
  explicit LineReader(const std::string& name, const InputPart& part = {});
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // kNotYet if no whole line arrived within `wait`; a partial line is kept.
  TextSource::State next(std::string& line, TextSource::Wait wait);
  bool is_compressed();  // reads the beginning: call it before next(), for a regular file
  // The bytes of the lines so far, a partial one included; of a compressed file, the compressed bytes read.
  uint64_t bytes_read() const { return decompressor_ == nullptr ? bytes_of_lines_ : bytes_of_file_; }
  uint64_t bytes_total() const { return bytes_total_; }  // of the file; 0: unknown

 private:
  bool is_readable(TextSource::Wait wait) const;
  std::string taken_line();
  bool fill();  // false at the end
  size_t read(std::span<char> to);

  std::string name_;
  int file_;
  std::vector<char> buffer_;  // of text: [begin_, end_) is not in a line yet
  size_t begin_ = 0;
  size_t end_ = 0;
  std::string part_;    // the beginning of a line whose end is not read yet
  bool may_have_mark_;  // the next line is the file's first
  uint64_t bytes_of_lines_ = 0;
  uint64_t bytes_of_file_ = 0;
  uint64_t bytes_total_ = 0;
  uint64_t unread_;  // bytes of the InputPart that are not read yet

  bool is_recognised_ = false;  // whether it is compressed is known
  std::string begin_of_file_;   // its first bytes, while it is not known
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<char> file_buffer_;
  std::span<const char> compressed_;  // in file_buffer_, not decompressed yet
  bool more_decompressed_ = false;    // there may be more text without more compressed bytes
};

}  // namespace bert::cli
