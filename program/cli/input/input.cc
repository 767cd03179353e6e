#include "program/cli/input/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "program/cli/common.h"
#include "program/cli/input/column_records.h"
#include "program/cli/input/json_record.h"
#include "program/cli/output/console.h"
#include "program/cli/run/open_uninterrupted.h"

namespace bert::cli {
namespace {

constexpr size_t kInputBytes = 256 * 1024;

// The name of an --input, for messages.
std::string name_of(const std::string& input) { return input == "-" ? "standard input" : in_quotes(input); }

class WordInput : public Input {
 public:
  WordInput(std::vector<std::string> texts, std::vector<std::string> pairs)
      : texts_(std::move(texts)), pairs_(std::move(pairs)) {}

  State next(Item& item, Wait) override {
    if (next_ == texts_.size()) return State::kEnd;
    item = {};
    item.text = texts_[next_];
    if (!pairs_.empty()) item.pair = pairs_[next_];
    item.source.number = ++next_;
    return State::kItem;
  }

 private:
  std::vector<std::string> texts_;
  std::vector<std::string> pairs_;
  size_t next_ = 0;
};

class LineInput : public Input {
 public:
  LineInput(const Options& options, const InputPart& part)
      : names_(options.inputs),
        jsonl_(options.jsonl),
        separator_(options.csv   ? ','
                   : options.tsv ? '\t'
                                 : '\0'),
        members_{.text = options.field.empty() ? "text" : options.field,
                 .pair = options.pair_field.empty() ? "pair" : options.pair_field,
                 .pair_is_named = !options.pair_field.empty(),
                 .label = options.label,
                 .spans = options.spans,
                 .words = options.words,
                 .keep = options.keep,
                 .keep_all = options.keep_all},
        decoder_(options.encoding, options.invalid),
        begin_(part.begin),
        line_number_(part.lines_before) {
    for (const std::string& name : options.inputs) files_.push_back(std::make_unique<LineReader>(name, part));
    number_ = line_number_;
    if (separator_ != '\0' && begin_ > 0) read_names();
    for (const auto& file : files_) {
      if (file->bytes_total() == 0) is_total_known_ = false;
      bytes_total_ += file->bytes_total();
    }
  }

  State next(Item& item, Wait wait) override {
    const State state = separator_ == '\0' ? next_line(wait) : next_record(wait);
    if (state != State::kItem) return state;
    item = {};
    item.source.line = separator_ == '\0' ? line_number_ : first_line_;
    item.source.last_line = line_number_;
    if (problem_) item.fail(*std::exchange(problem_, std::nullopt));
    item.source.number = ++number_;
    if (files_.size() > 1) item.source.file = names_[current_];
    item.source.end = begin_ + files_[current_]->bytes_read();
    if (columns_) {
      columns_->read(item, unused_);
    } else if (jsonl_) {
      read_json_record(line_, members_, item, unused_);
    } else {
      item.text = line_;
    }
    return state;
  }

  uint64_t bytes_read() const override { return bytes_read_; }
  uint64_t bytes_total() const override { return is_total_known_ ? bytes_total_ : 0; }

  std::string remark() const override {
    const std::string names = joined(unused_, ", ");
    std::string text;
    if (!names.empty()) {
      text = (jsonl_ ? "members of the input's objects" : "columns of the input") + (" that are not used: " + names);
    }
    if (const size_t lines = decoder_.changed_lines(); lines > 0) {
      text += (text.empty() ? "" : "; ") + with_commas(lines) + (lines == 1 ? " line has" : " lines have") +
              " bytes that are no character of the encoding (--invalid)";
    }
    return text;
  }

 private:
  // Into line_.
  State next_line(Wait wait) {
    State state;
    while ((state = files_[current_]->next(line_, wait)) == State::kEnd) {
      if (columns_ && columns_->is_within_quotes()) {
        throw InputError(name_of(names_[current_]) +
                         ": the file ends within the quotes of a field in the record of line " +
                         std::to_string(first_line_));
      }
      if (current_ + 1 == files_.size()) break;
      bytes_before_ += files_[current_]->bytes_read();
      ++current_;
      line_number_ = 0;
      columns_.reset();
    }
    bytes_read_ = bytes_before_ + files_[current_]->bytes_read();
    if (state != State::kItem) return state;
    ++line_number_;
    std::optional<std::string> problem = decoder_.decode(line_);
    if (problem && !problem_) problem_ = std::move(problem);
    return state;
  }

  // Into columns_: the names, where the part begins after them.
  void read_names() {
    LineReader beginning(names_.front());
    columns_.emplace(separator_, members_, name_of(names_.front()));
    for (std::string line; !columns_->has_names();) {
      if (beginning.next(line, TextSource::kForever) != State::kItem) return columns_.reset();
      decoder_.decode(line);
      columns_->add(line);
    }
  }

  // Into columns_: one line, or several where a quoted field has line breaks.
  State next_record(Wait wait) {
    while (true) {
      const State state = next_line(wait);
      if (state != State::kItem) return state;
      if (!columns_) columns_.emplace(separator_, members_, name_of(names_[current_]));
      if (!columns_->is_within_quotes()) first_line_ = line_number_;
      if (columns_->add(line_)) return state;
    }
  }

  std::vector<std::string> names_;
  std::vector<std::unique_ptr<LineReader>> files_;
  bool jsonl_;
  char separator_;  // of columns; \0: there are none
  RecordMembers members_;
  TextDecoder decoder_;
  std::optional<std::string> problem_;  // of the item's lines
  uint64_t begin_;
  size_t current_ = 0;         // of files_
  size_t line_number_;         // in the current file
  size_t number_;              // of the item
  uint64_t bytes_before_ = 0;  // the current file
  std::atomic<uint64_t> bytes_read_ = 0;
  uint64_t bytes_total_ = 0;
  bool is_total_known_ = true;
  std::string line_;
  std::optional<ColumnRecords> columns_;  // of the current file
  size_t first_line_ = 0;                 // of the record
  std::set<std::string> unused_;
};

using FieldOption = std::pair<std::string, std::string>;

std::array<FieldOption, 2> field_options(const Options& options) {
  return {{{"--field", options.field}, {"--pair-field", options.pair_field}}};
}

void check_field(const Options& options, const std::string& option, const std::string& name) {
  if (name.empty()) return;
  if (!options.has_records()) {
    throw UsageError(option + ' ' + in_quotes(name) +
                     " names a part of records; none of --jsonl, --csv and --tsv is given");
  }
  for (const char* other : {"id", "ids", "type_ids", "attention_mask", option == "--field" ? "pair" : "text"}) {
    if (name == other) {
      throw UsageError(option + ' ' + in_quotes(name) + ": this name has a meaning of its own, expected the text's");
    }
  }
}

void check_keep(const Options& options) {
  if (!options.keep.empty() && !options.has_records()) {
    throw UsageError("--keep " + in_quotes(options.keep.front()) +
                     " names a part of records; none of --jsonl, --csv and --tsv is given");
  }
  for (const std::string& name : options.keep) {
    const std::vector<std::string>& own = options.result_members;
    if (std::find(own.begin(), own.end(), name) == own.end()) continue;
    throw UsageError("--keep " + in_quotes(name) + ": the results have a member of this name");
  }
}

}  // namespace

std::string place_of(const ItemSource& source) {
  if (source.line == 0) return "text " + std::to_string(source.number);
  return "line " + std::to_string(source.line) + (source.file.empty() ? "" : " of " + name_of(source.file));
}

Options with_second_text_as_pair(const Options& options) {
  Options as_pair = options;
  if (options.inputs.empty()) {
    as_pair.pairs = {options.texts.at(1)};
    as_pair.texts = {options.texts.at(0)};
  }
  return as_pair;
}

std::unique_ptr<Input> open_input(const Options& options, const InputPart& part) {
  if (options.inputs.empty()) {
    if (options.texts.empty()) {
      throw UsageError(
          "no text: expected a TEXT, --input FILE, or lines on standard input (usage: bert-infer [COMMAND] [OPTIONS] "
          "TEXT…; bert-infer help)");
    }
    if (options.has_records()) {
      throw UsageError("--jsonl, --csv and --tsv say how --input's lines are read; there is no --input");
    }
    for (const auto& [option, value] : field_options(options)) {
      if (!value.empty()) throw UsageError(option + " names a part of --input's lines; there is no --input");
    }
    if (!options.keep.empty()) throw UsageError("--keep copies parts of --input's records; there is no --input");
    if (!options.pairs.empty() && options.pairs.size() != options.texts.size()) {
      throw UsageError("--pair is given once for each TEXT: " + std::to_string(options.texts.size()) + " TEXT, " +
                       std::to_string(options.pairs.size()) + " --pair");
    }
    return std::make_unique<WordInput>(options.texts, options.pairs);
  }
  if (!options.texts.empty())
    throw UsageError("both --input and a TEXT " + in_quotes(options.texts.front()) + "; give one");
  if (!options.pairs.empty()) throw UsageError("--pair goes with a TEXT; a record of --input has its \"pair\"");
  if (std::count(options.inputs.begin(), options.inputs.end(), "-") > 1) {
    throw UsageError("--input - is given twice: standard input can be read once");
  }
  for (const auto& [option, value] : field_options(options)) check_field(options, option, value);
  check_keep(options);
  if (!options.field.empty() && options.field == options.pair_field) {
    throw UsageError("--field and --pair-field are both " + in_quotes(options.field) + ", expected two names");
  }
  if (!options.label.empty() && (options.label == options.field || options.label == options.pair_field)) {
    throw UsageError("--label-field and the field of a text are both " + in_quotes(options.label) +
                     ", expected two names");
  }
  return std::make_unique<LineInput>(options, part);
}

LineReader::LineReader(const std::string& name, const InputPart& part)
    : name_(name_of(name)), may_have_mark_(part.begin == 0), unread_(part.end - part.begin) {
  file_ = name == "-" ? STDIN_FILENO : open_uninterrupted(name, O_RDONLY);
  if (file_ < 0) throw InputError("cannot open " + name_ + ": " + std::strerror(errno));
  struct stat status {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const off_t position = ::lseek(file_, static_cast<off_t>(part.begin), SEEK_CUR);
  if (position < 0 || status.st_size <= position) return;
  bytes_total_ = std::min(static_cast<uint64_t>(status.st_size - position), unread_);
}

LineReader::~LineReader() {
  if (file_ > STDIN_FILENO) ::close(file_);
}

TextSource::State LineReader::next(std::string& line, TextSource::Wait wait) {
  while (true) {
    const char* const start = buffer_.data() + begin_;
    const auto* newline = begin_ == end_ ? nullptr : static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const size_t count = newline == nullptr ? end_ - begin_ : static_cast<size_t>(newline - start);
    part_.append(start, count);
    bytes_of_lines_ += count;
    begin_ += count;
    if (newline != nullptr) {
      ++begin_;
      ++bytes_of_lines_;
      if (!part_.empty() && part_.back() == '\r') part_.pop_back();
      line = taken_line();
      return TextSource::State::kItem;
    }
    if (!is_readable(wait)) return TextSource::State::kNotYet;
    if (fill()) continue;
    line = taken_line();
    return line.empty() ? TextSource::State::kEnd : TextSource::State::kItem;
  }
}

std::string LineReader::taken_line() {
  if (std::exchange(may_have_mark_, false) && part_.starts_with(kByteOrderMark)) part_.erase(0, kByteOrderMark.size());
  return std::exchange(part_, {});
}

// The end of the input and errors are readable too: read() reports them.
bool LineReader::is_readable(TextSource::Wait wait) const {
  if (wait == TextSource::kForever || !compressed_.empty() || more_decompressed_) return true;
  struct pollfd file = {file_, POLLIN, 0};
  return ::poll(&file, 1, static_cast<int>(std::min<long long>(wait.count(), INT_MAX))) > 0;
}

bool LineReader::is_compressed() {
  while (!is_recognised_ && end_ == 0 && fill()) continue;
  return decompressor_ != nullptr;
}

bool LineReader::fill() {
  begin_ = end_ = 0;
  buffer_.resize(kInputBytes);
  if (decompressor_ == nullptr) {
    end_ = begin_of_file_.size();
    std::copy(begin_of_file_.begin(), begin_of_file_.end(), buffer_.begin());
    const size_t count = read(std::span(buffer_).subspan(end_));
    end_ += count;
    if (is_recognised_) return count > 0;
    const std::string_view beginning(buffer_.data(), end_);
    const std::optional<Compression> compression = compression_of(beginning);
    if (!compression && count > 0) {  // more bytes are needed to tell
      begin_of_file_ = beginning;
      end_ = 0;
      return true;
    }
    is_recognised_ = true;
    begin_of_file_.clear();
    if (beginning.starts_with("\xFF\xFE") || beginning.starts_with("\xFE\xFF")) {
      throw InputError(name_ + " begins with the mark of UTF-16, expected UTF-8: iconv -f UTF-16 -t UTF-8 converts it");
    }
    if (compression.value_or(Compression::kNone) == Compression::kNone) return end_ > 0;
    decompressor_ = Decompressor::of(*compression);
    file_buffer_ = std::exchange(buffer_, std::vector<char>(kInputBytes));
    compressed_ = std::span<const char>(file_buffer_).first(end_);
  } else if (compressed_.empty() && !more_decompressed_) {
    const size_t count = read(file_buffer_);
    compressed_ = std::span<const char>(file_buffer_).first(count);
    if (count == 0) {
      end_ = 0;
      if (decompressor_->is_at_end()) return false;
      throw InputError(name_ + ": ends in the middle of its compressed data, after " + std::to_string(bytes_of_file_) +
                       " bytes");
    }
  }
  try {
    end_ = decompressor_->decompress(compressed_, buffer_);
  } catch (const CompressionError& error) {
    throw InputError(name_ + ": " + error.what() + ", before byte " + std::to_string(bytes_of_file_));
  }
  more_decompressed_ = end_ == buffer_.size();
  return true;
}

size_t LineReader::read(std::span<char> to) {
  ssize_t count;
  do {
    count = ::read(file_, to.data(), std::min<uint64_t>(to.size(), unread_));
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw InputError("cannot read " + name_ + ": " + std::strerror(errno));
  unread_ -= static_cast<uint64_t>(count);
  bytes_of_file_ += static_cast<uint64_t>(count);
  return static_cast<size_t>(count);
}

}  // namespace bert::cli
