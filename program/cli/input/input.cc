#include "program/cli/input/input.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <set>
#include <utility>

#include "program/cli/common.h"
#include "program/cli/input/column_records.h"
#include "program/cli/input/json_record.h"
#include "program/cli/input/line_reader.h"
#include "program/cli/output/console.h"

namespace bert::cli {
namespace {

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
        names_files_(options.names_files),
        skips_blank_(options.skips_blank),
        files_left_out_(options.files_left_out),
        links_left_out_(options.links_left_out),
        jsonl_(options.jsonl),
        has_columns_(options.csv || options.tsv),
        separator_(options.tsv ? '\t' : options.delimiter),
        members_{.text = options.text_member(),
                 .pair = options.pair_field.empty() ? "pair" : options.pair_field,
                 .pair_is_named = !options.pair_field.empty(),
                 .label = options.label,
                 .label_option = options.label_option,
                 .spans = options.spans,
                 .words = options.words,
                 .keep = options.keep,
                 .keep_all = options.keep_all},
        decoder_(options.encoding, options.invalid),
        begin_(part.begin),
        line_number_(part.lines_before) {
    for (const std::string& name : options.inputs) files_.push_back(std::make_unique<LineReader>(name, part));
    number_ = line_number_;
    if (has_columns_ && begin_ > 0) read_names();
    for (const auto& file : files_) {
      if (file->bytes_total() == 0) is_total_known_ = false;
      bytes_total_ += file->bytes_total();
    }
  }

  State next(Item& item, Wait wait) override {
    const State state = has_columns_ ? next_record(wait) : next_line(wait);
    if (state != State::kItem) return state;
    item = {};
    item.source.line = has_columns_ ? first_line_ : line_number_;
    item.source.last_line = line_number_;
    if (problem_) item.fail(*std::exchange(problem_, std::nullopt));
    item.source.number = ++number_;
    if (names_files_) item.source.file = names_[current_];
    item.source.end = begin_ + files_[current_]->bytes_read();
    if (columns_) {
      columns_->read(item, unused_);
    } else if (jsonl_) {
      if (line_number_ == 1 && (line_ == "[" || line_.starts_with("[{"))) {
        throw InputError(name_of(names_[current_]) +
                         " begins an array, expected an object a line: `jq -c '.[]'` writes the items of an array so");
      }
      read_json_record(line_, members_, item, unused_);
    } else {
      item.text = line_;
      if (line_.empty() && !skips_blank_) ++blank_lines_;
    }
    return state;
  }

  uint64_t bytes_read() const override { return bytes_read_; }
  uint64_t bytes_total() const override { return is_total_known_ ? bytes_total_ : 0; }

  std::string remark() const override {
    std::vector<std::string> remarks;
    const auto add = [&](size_t count, const char* of_one, const char* of_many) {
      if (count > 0) remarks.push_back(with_commas(count) + (count == 1 ? of_one : of_many));
    };
    add(files_left_out_, " file of the directory has another ending and is not read",
        " files of the directory have other endings and are not read");
    add(links_left_out_, " link of the directory leads to a folder or to nothing and is not followed",
        " links of the directory lead to folders or to nothing and are not followed");
    add(blank_lines_, " empty line counts as a text", " empty lines count as texts");
    if (!unused_.empty()) {
      remarks.push_back((jsonl_ ? "members of the input's objects" : "columns of the input") +
                        (" that are not used: " + joined(unused_, ", ")));
    }
    add(decoder_.changed_lines(), " line has bytes that are no character of the encoding (--invalid)",
        " lines have bytes that are no character of the encoding (--invalid)");
    return joined(remarks, "; ");
  }

 private:
  // Reads a line into line_.
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

  // Reads the names into columns_ if the part begins after them.
  void read_names() {
    LineReader beginning(names_.front());
    columns_.emplace(separator_, members_, name_of(names_.front()));
    for (std::string line; !columns_->has_names();) {
      if (beginning.next(line, TextSource::kForever) != State::kItem) return columns_.reset();
      decoder_.decode(line);
      columns_->add(line);
    }
  }

  // Reads a record into columns_: one line, or several if a quoted field has line breaks.
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
  bool names_files_;
  bool skips_blank_;
  size_t files_left_out_, links_left_out_;
  size_t blank_lines_ = 0;
  std::vector<std::unique_ptr<LineReader>> files_;
  bool jsonl_;
  bool has_columns_;
  char separator_;  // separates columns; \0: as in the first line
  RecordMembers members_;
  TextDecoder decoder_;
  std::optional<std::string> problem_;  // an error of the item's lines
  uint64_t begin_;
  size_t current_ = 0;         // index in files_
  size_t line_number_;         // in the current file
  size_t number_;              // number of the item
  uint64_t bytes_before_ = 0;  // bytes of earlier files
  std::atomic<uint64_t> bytes_read_ = 0;
  uint64_t bytes_total_ = 0;
  bool is_total_known_ = true;
  std::string line_;
  std::optional<ColumnRecords> columns_;  // of the current file
  size_t first_line_ = 0;                 // first line of the record
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

char separator_of(const Options& options, const std::string& file) {
  if (!options.csv || options.delimiter != '\0') return options.tsv ? '\t' : options.delimiter;
  LineReader beginning(file);
  std::string line;
  while (line.empty() && beginning.next(line, TextSource::kForever) == TextSource::State::kItem) continue;
  return separator_of(line, options.text_member());
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
    if (options.delimiter != '\0') throw UsageError("--delimiter separates --input's columns; there is no --input");
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
  if (options.delimiter != '\0' && !options.csv) throw UsageError("--delimiter is for --csv");
  for (const auto& [option, value] : field_options(options)) check_field(options, option, value);
  check_keep(options);
  if (!options.field.empty() && options.field == options.pair_field) {
    throw UsageError("--field and --pair-field are both " + in_quotes(options.field) + ", expected two names");
  }
  if (!options.label.empty() && (options.label == options.field || options.label == options.pair_field)) {
    throw UsageError(options.label_option + std::string(" and the field of a text are both ") +
                     in_quotes(options.label) + ", expected two names");
  }
  return std::make_unique<LineInput>(options, part);
}

}  // namespace bert::cli
