// The texts a command works on, one by one: words of the command line, lines of a file, or lines of JSON. Only the
// line at hand is in memory. Used by one thread at a time; bytes_read() by another too.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bert/text_pipeline.h"
#include "tools/cli/options.h"

namespace bert::cli {

// The input as a whole cannot be read. The message names the file.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where an item stands, for messages and for the result's "id".
struct ItemSource {
  size_t line = 0;    // of the input, from 1; 0: a word of the command line
  size_t number = 0;  // of the item, from 1
  std::string id;     // the JSON text of "id", as it was written; empty: none
};

struct Item {
  ItemSource source;
  std::string text;
  std::optional<std::string> pair;
  std::optional<std::vector<int32_t>> ids;  // given in place of a text
  std::vector<int32_t> type_ids;
  std::string error;  // not empty: this item cannot be read, and why
};

class Input {
 public:
  using State = TextSource::State;
  using Wait = TextSource::Wait;

  virtual ~Input() = default;
  // As TextSource::next.
  virtual State next(Item& item, Wait wait) = 0;

  // For the progress bar; 0 where it is not known.
  virtual uint64_t bytes_read() const { return 0; }
  virtual uint64_t bytes_total() const { return 0; }
  // A note on what was read, once at the end; "" for none.
  virtual std::string remark() const { return {}; }
};

// The items of another input, changed: progress and remarks are its own.
class InputOver : public Input {
 public:
  explicit InputOver(Input& input) : input_(input) {}

  uint64_t bytes_read() const override { return input_.bytes_read(); }
  uint64_t bytes_total() const override { return input_.bytes_total(); }
  std::string remark() const override { return input_.remark(); }

 protected:
  Input& input_;
};

// Two TEXTs of the command line as one with its --pair; an --input stays as it is.
Options with_second_text_as_pair(const Options& options);

// Throws UsageError when the options name no texts, or two kinds of them; InputError.
std::unique_ptr<Input> open_input(const Options& options);

// Lines of a file or of standard input ("-"): "\n" ends one, a "\r" before it is dropped.
class LineReader {
 public:
  explicit LineReader(const std::string& name);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // kNotYet where no whole line came within `wait`; what came of it is kept.
  TextSource::State next(std::string& line, TextSource::Wait wait);
  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t bytes_total() const { return bytes_total_; }

 private:
  bool is_readable(TextSource::Wait wait) const;
  bool fill();

  std::string name_;
  int file_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  std::string part_;                      // of a line whose end has not come
  std::atomic<uint64_t> bytes_read_ = 0;  // of the lines given out
  uint64_t bytes_total_ = 0;              // 0: not known
};

}  // namespace bert::cli
