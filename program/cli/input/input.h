// Reads the texts of a command, one by one: words of the command line, lines of a file, or lines of JSON. Only the
// current line is in memory. Used by one thread at a time; Input's bytes_read() may be called by another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bert/text_pipeline.h"
#include "program/cli/input/line_reader.h"
#include "program/cli/options/options.h"

namespace bert::cli {

// A member of a record that --keep copies to the result.
struct KeptMember {
  std::string name;
  std::string json;  // its value
};

// The origin of an item, for messages and for the result's "id".
struct ItemSource {
  size_t line = 0;        // in its file, from 1; 0: a word of the command line
  size_t last_line = 0;   // equals line, except for a record of several lines
  size_t number = 0;      // the item's, from 1
  std::string id;         // the JSON text of "id", as written; empty: none
  std::string file;       // as --input names it; empty if there is only one file
  uint64_t end = 0;       // offset of the end of its last line in the file, in bytes; not for compressed files
  bool is_blank = false;  // for a corpus: the text is only white space
  size_t text_bytes = 0;  // without a prompt
  std::vector<KeptMember> kept = {};
  char separator = '\0';  // what separates the columns of its record; \0: it has none
};

std::string place_of(const ItemSource& source);  // for messages: "line 7", "line 7 of 'b.txt'", "text 2"

struct Item : TextItem {
  ItemSource source;
  std::optional<std::string> label;  // for a labelled text

  // Sets the error, unless one is already set. what: why the item cannot be read, or cannot be read by this command.
  void fail(const std::string& what) {
    if (!error) error.emplace(ErrorCode::kInvalidText, what);
  }
};

class Input {
 public:
  using State = TextSource::State;
  using Wait = TextSource::Wait;

  virtual ~Input() = default;
  // As TextSource::next.
  virtual State next(Item& item, Wait wait) = 0;

  // For the progress bar; 0: unknown.
  virtual uint64_t bytes_read() const { return 0; }
  virtual uint64_t bytes_total() const { return 0; }
  // Returns a note on the input, after the last item; "": none.
  virtual std::string remark() const { return {}; }
};

// Modifies the items of another input; progress and remarks are that input's.
class InputOver : public Input {
 public:
  explicit InputOver(Input& input) : input_(input) {}

  uint64_t bytes_read() const override { return input_.bytes_read(); }
  uint64_t bytes_total() const override { return input_.bytes_total(); }
  std::string remark() const override { return input_.remark(); }

 protected:
  Input& input_;
};

// Returns the options with the second TEXT as the first one's --pair. With --input the options are unchanged. Otherwise
// there must be two TEXTs; further ones are dropped.
Options with_second_text_as_pair(const Options& options);

// Opens the input. Throws UsageError if the options give no texts, texts both as TEXT and --input, or options that do
// not fit them; InputError if a file cannot be opened or read.
std::unique_ptr<Input> open_input(const Options& options, const InputPart& part = {});

// Returns the character that separates the columns of the file; \0: the file has no columns.
char separator_of(const Options& options, const std::string& file);

}  // namespace bert::cli
