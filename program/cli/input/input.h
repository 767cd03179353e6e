// The texts of a command, one by one: words of the command line, lines of a file, or lines of JSON. Only the current
// line is in memory. Used by one thread at a time; Input's bytes_read() also by another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bert/text_pipeline.h"
#include "program/cli/input/decompressor.h"
#include "program/cli/options/options.h"

namespace bert::cli {

// The input cannot be read at all. The message names the file.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A member of a record that --keep copies to the result.
struct KeptMember {
  std::string name;
  std::string json;  // its value
};

// The origin of an item, for messages and for the result's "id".
struct ItemSource {
  size_t line = 0;        // of its file, from 1; 0: a word of the command line
  size_t last_line = 0;   // the same, except for a record of several lines
  size_t number = 0;      // of the item, from 1
  std::string id;         // the JSON text of "id", as written; empty: none
  std::string file;       // as --input names it; empty if there is only one
  uint64_t end = 0;       // where its last line ends, in bytes from the file's beginning; not for compressed files
  bool is_blank = false;  // of a corpus: the text is white space only
  size_t text_bytes = 0;  // of the text, without a prompt
  std::vector<KeptMember> kept = {};
};

std::string place_of(const ItemSource& source);  // in a message: "line 7", "line 7 of 'b.txt'", "text 2"

struct Item : TextItem {
  ItemSource source;
  std::optional<std::string> label;  // of a labelled text

  // Sets the error: `what` says why the item cannot be read, or not by this command. Keeps an error that is set.
  void fail(const std::string& what) {
    if (!error) error.emplace(ErrorCode::kInvalidText, what);
  }
};

// The bytes [begin, end) of the input file that a run reads. A line, or a record, begins at each of the two. The names
// of columns are read from the file's beginning even so.
struct InputPart {
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;  // UINT64_MAX: the file's end
  size_t lines_before = 0;    // lines of the file before `begin`
};

class Input {
 public:
  using State = TextSource::State;
  using Wait = TextSource::Wait;

  virtual ~Input() = default;
  // Like TextSource::next.
  virtual State next(Item& item, Wait wait) = 0;

  // For the progress bar; 0 if unknown.
  virtual uint64_t bytes_read() const { return 0; }
  virtual uint64_t bytes_total() const { return 0; }
  // A note on the input, once at the end; "" for none.
  virtual std::string remark() const { return {}; }
};

// The items of another input, modified, with its progress and remarks.
class InputOver : public Input {
 public:
  explicit InputOver(Input& input) : input_(input) {}

  uint64_t bytes_read() const override { return input_.bytes_read(); }
  uint64_t bytes_total() const override { return input_.bytes_total(); }
  std::string remark() const override { return input_.remark(); }

 protected:
  Input& input_;
};

// The options with the second TEXT as the first one's --pair. With --input: the options unchanged; without: there must
// be two TEXTs, and further ones are dropped.
Options with_second_text_as_pair(const Options& options);

// Throws UsageError if the options give no texts, texts both as TEXT and --input, or options that do not fit them;
// InputError if a file cannot be opened or read.
std::unique_ptr<Input> open_input(const Options& options, const InputPart& part = {});

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
