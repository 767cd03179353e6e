#include "program/cli/input/json_record.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "program/cli/common.h"
#include "program/cli/output/console.h"
#include "program/common/json_reader.h"

namespace bert::cli {
namespace {

// A limit, because a file with a new name on each line could list a million.
constexpr size_t kMaxUnusedNames = 20;

// Members that `tokenize --format jsonl` writes besides the ids; ignored silently in input.
const std::set<std::string_view> kFromTokenize = {
    "tokens",           "special_tokens_mask", "word_ids", "offsets",    "code_point_offsets",
    "truncated_tokens", "unknown_tokens",      "window",   "offset_unit"};

constexpr const char* kWords = "words";
constexpr const char* kWordsExpected = "expected \"words\" as an array of strings";
constexpr const char* kSpans = "spans";
constexpr const char* kSpansExpected =
    "expected \"spans\" as an array of at least one [begin, end], in bytes of the text";

// Writes the values of some members as JSON text, from a reader's events.
class MemberCopier {
 public:
  MemberCopier(const RecordMembers& members, std::vector<KeptMember>& kept) : members_(members), kept_(kept) {}

  void member(const std::string& name) {
    const auto is_same = [&](const KeptMember& kept) { return kept.name == name; };
    const std::vector<std::string>& names = members_.keep;
    is_copied_ = (members_.keep_all || std::find(names.begin(), names.end(), name) != names.end()) &&
                 std::none_of(kept_.begin(), kept_.end(), is_same);
    if (is_copied_) kept_.push_back({name, {}});
    after_value_ = false;
  }
  void key(const std::string& name) {
    if (!is_copied_) return;
    append_string(next(), name);
    kept_.back().json += ':';
    after_value_ = false;
  }
  void value(std::string_view written) {
    if (!is_copied_) return;
    next() += written;
    after_value_ = true;
  }
  void string(const std::string& v) {
    if (!is_copied_) return;
    append_string(next(), v);
    after_value_ = true;
  }
  void open(char bracket) {
    if (!is_copied_) return;
    next() += bracket;
    after_value_ = false;
  }
  void close(char bracket) {
    if (!is_copied_) return;
    kept_.back().json += bracket;
    after_value_ = true;
  }

 private:
  std::string& next() { return after_value_ ? kept_.back().json += ',' : kept_.back().json; }

  const RecordMembers& members_;
  std::vector<KeptMember>& kept_;
  bool is_copied_ = false;
  bool after_value_ = false;
};

// Receives a line's values. Numbers keep the digits of an id, duplicate keys are found, and unused members need no
// memory.
class RecordReader : public JsonEvents {
 public:
  RecordReader(const RecordMembers& members, Item& item, std::set<std::string>& unused)
      : text_member_(members.text),
        pair_member_(members.pair),
        label_member_(members.label),
        reads_spans_(members.spans),
        reads_words_(members.words),
        keep_(members.keep),
        keeps_all_(members.keep_all),
        copier_(members, item.source.kept),
        item_(item),
        unused_(unused) {}

  void null() override {
    copier_.value("null");
    value("null");
  }
  void boolean(bool v) override {
    copier_.value(v ? "true" : "false");
    value(v ? "true" : "false");
  }
  void number(std::string_view written) override {
    copier_.value(written);
    if (depth_ == 1 && (key_ == "id" || is_label()) && !finite_number(written)) {
      problem('"' + key_ + "\" is " + std::string(written) + ", expected a finite number or a string");
    } else if (numbers_ == nullptr || depth_ != (is_spans() ? 3 : 2) || !is_whole(written)) {
      value(std::string(written));
    } else {
      integer(written);
    }
  }
  void string(std::string& v) override {
    copier_.string(v);
    if (depth_ == 1 && key_ == text_member_) {
      text_ = std::move(v);
    } else if (depth_ == 1 && key_ == pair_member_ && !keeps_all_) {
      item_.pair = std::move(v);
    } else if (is_label()) {
      item_.label = std::move(v);
    } else if (is_words() && depth_ == 2) {
      item_.words->push_back(std::move(v));
    } else {
      std::string quoted_text;
      if (depth_ == 1 && key_ == "id") append_string(quoted_text, v);
      value(quoted_text);
    }
  }

  void start_object() override {
    if (depth_ == 0) is_object_ = true;
    copier_.open('{');
    open(false);
  }
  void end_object() override {
    if (depth_ > 1) copier_.close('}');
    close();
  }
  void start_array() override {
    copier_.open('[');
    if (depth_ == 1 && !keeps_all_) {
      if (key_ == "ids") numbers_ = &item_.ids.emplace();
      if (key_ == "type_ids") numbers_ = &type_ids_.emplace();
      if (key_ == "attention_mask") numbers_ = &mask_.emplace();
      if (is_spans()) numbers_ = &spans_.emplace();
      if (is_words()) item_.words.emplace();
    }
    open(is_words() && depth_ == 1);
  }
  void end_array() override {
    copier_.close(']');
    close();
  }

  void key(std::string& name) override {
    if (depth_ != 1) return copier_.key(name);
    key_ = std::move(name);
    copier_.member(key_);
    const bool is_used = key_ == "id" || key_ == text_member_ || key_ == label_member_ || key_ == pair_member_ ||
                         keeps_all_ || holds_integers(key_) || (reads_spans_ && key_ == kSpans) ||
                         (reads_words_ && key_ == kWords) || std::find(keep_.begin(), keep_.end(), key_) != keep_.end();
    if (is_used) {
      if (!seen_.insert(key_).second) problem("duplicate key " + in_quotes(key_));
    } else if (!kFromTokenize.contains(key_) && unused_.size() < kMaxUnusedNames) {
      unused_.insert(shortened(in_quotes(key_)));
    }
  }

  void syntax_problem(const JsonProblem& found) {
    item_.source.kept.clear();  // the last value may be incomplete
    problem("not valid JSON at byte " + std::to_string(found.position) + ": " + found.what);
  }

  void finish() {
    if (!item_.error) check();
    if (text_.has_value()) item_.text = std::move(*text_);
    if (type_ids_.has_value()) item_.type_ids = std::move(*type_ids_);
    if (item_.error || !spans_) return;
    for (size_t i = 0; i + 1 < spans_->size(); i += 2) {
      item_.spans.push_back({static_cast<size_t>((*spans_)[i]), static_cast<size_t>((*spans_)[i + 1])});
    }
  }

 private:
  // Receives a value that is not a text, a pair or a number of an array: "id", a null, or a wrong type. written: as in
  // the line; "" for a string other than "id".
  void value(const std::string& written) {
    const bool is_null = written == "null";
    if (depth_ == 0) is_object_ = false;
    if (is_spans() && !(depth_ == 1 && is_null)) {
      problem(kSpansExpected);
    } else if (is_words() && !(depth_ == 1 && is_null)) {
      problem(kWordsExpected);
    } else if (numbers_ != nullptr) {
      problem("\"" + key_ + "\" holds " + (written.empty() ? "a string" : written) +
              "; it must be an array of integers");
    } else if (depth_ == 1) {
      if (key_ == "id") {
        item_.source.id = written;
      } else if (key_ == text_member_) {
        problem(text_name() + " is not a string");
      } else if (is_label()) {
        if (is_null || written == "true" || written == "false") {
          problem('"' + key_ + "\" is " + written + ", expected a string or a number");
        }
        item_.label = written;
      } else if (key_ == pair_member_ && !is_null && !keeps_all_) {
        problem(pair_name() + " is neither a string nor null");
      } else if (holds_integers(key_) && !is_null) {
        problem("\"" + key_ + "\" is not an array of integers");
      }
    }
  }

  // Returns whether the number has only digits, perhaps after a minus.
  static bool is_whole(std::string_view written) {
    return written.find_first_not_of("0123456789", written.starts_with('-') ? 1 : 0) == std::string_view::npos;
  }

  void integer(std::string_view digits) {
    int64_t v = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
    if (is_spans() && digits.starts_with('-') && v != 0) problem(kSpansExpected);
    if (error != std::errc() || v < std::numeric_limits<int32_t>::min() || v > std::numeric_limits<int32_t>::max()) {
      problem("\"" + key_ + "\" holds " + std::string(digits) + ", which is past 32 bits");
    } else {
      numbers_->push_back(static_cast<int32_t>(v));
    }
  }

  // begins_words: the array is "words".
  void open(bool begins_words) {
    const bool expected = (numbers_ != nullptr && depth_ <= (is_spans() ? 2 : 1)) || begins_words;
    if (depth_ == 1 && !expected &&
        (key_ == "id" || key_ == text_member_ || (key_ == pair_member_ && !keeps_all_) || is_label())) {
      problem("\"" + key_ + "\" is an array or an object");
    } else if (depth_ == 1 && !expected && holds_integers(key_)) {
      problem("\"" + key_ + "\" is not an array of integers");
    } else if (depth_ == 1 && !expected && is_spans()) {
      problem(kSpansExpected);
    } else if (!expected && is_words()) {
      problem(kWordsExpected);
    } else if (depth_ >= 2 && !expected && numbers_ != nullptr) {
      problem("\"" + key_ + "\" holds an array or an object; it must be an array of integers");
    }
    ++depth_;
  }

  void close() {
    --depth_;
    if (depth_ == 2 && is_spans() && ++pairs_ * 2 != spans_->size()) problem(kSpansExpected);
    if (depth_ == 1) numbers_ = nullptr;
  }

  void check() {
    if (!is_object_) {
      problem("the line is JSON, but not an object");
    } else if (text_.has_value() && item_.ids.has_value()) {
      problem("both " + text_name() + " and \"ids\"");
    } else if (item_.words.has_value() && (text_.has_value() || item_.ids.has_value() || item_.pair.has_value())) {
      problem("\"words\" beside " + (text_.has_value()       ? text_name()
                                     : item_.ids.has_value() ? std::string("\"ids\"")
                                                             : pair_name()));
    } else if (!text_.has_value() && !item_.ids.has_value() && !item_.words.has_value()) {
      problem("neither " + text_name() + " nor \"ids\"" + (reads_words_ ? " nor \"words\"" : ""));
    } else if (item_.ids.has_value() && item_.pair.has_value()) {
      problem(pair_name() + " goes with " + text_name() + "; with \"ids\" the segments are in \"type_ids\"");
    } else {
      check_beside_ids("type_ids", type_ids_);
      check_beside_ids("attention_mask", mask_);
    }
    if (reads_spans_ && (!spans_ || spans_->empty())) problem(kSpansExpected);
    if (!label_member_.empty() && !item_.label) problem("no \"" + label_member_ + "\", expected the label of the text");
    if (item_.label == "") problem('"' + label_member_ + "\" is empty, expected the label of the text");
    if (!mask_.has_value()) return;
    const auto other = std::find_if(mask_->begin(), mask_->end(), [](int32_t value) { return value != 1; });
    if (other == mask_->end()) return;
    problem("\"attention_mask\" has a " + std::to_string(*other) + ", expected 1 only: leave padding out of \"ids\"");
  }

  void check_beside_ids(const std::string& name, const std::optional<std::vector<int32_t>>& numbers) {
    if (!numbers.has_value()) return;
    if (!item_.ids.has_value()) {
      problem("\"" + name + "\" goes with \"ids\", and there are none");
    } else if (numbers->size() != item_.ids->size()) {
      problem("\"" + name + "\" has " + std::to_string(numbers->size()) + " entries, \"ids\" has " +
              std::to_string(item_.ids->size()));
    }
  }

  // Returns whether the reader is inside of "spans" or at their beginning.
  bool is_spans() const { return reads_spans_ && depth_ >= 1 && key_ == kSpans; }

  // Returns whether the reader is inside of "words" or at their beginning.
  bool is_words() const { return reads_words_ && depth_ >= 1 && key_ == kWords; }

  bool is_label() const { return depth_ == 1 && !label_member_.empty() && key_ == label_member_; }

  bool holds_integers(std::string_view name) const {
    if (keeps_all_) return false;
    return name == "ids" || name == "type_ids" || name == "attention_mask";
  }

  std::string text_name() const { return '"' + one_line(text_member_) + '"'; }
  std::string pair_name() const { return '"' + one_line(pair_member_) + '"'; }

  // Reports the first problem.
  void problem(const std::string& what) {
    item_.fail(shortened(what));  // it may quote the whole line
  }

  const std::string& text_member_;
  const std::string& pair_member_;
  const std::string& label_member_;
  const bool reads_spans_, reads_words_;
  const std::vector<std::string>& keep_;
  const bool keeps_all_;
  MemberCopier copier_;
  Item& item_;
  std::set<std::string>& unused_;
  std::optional<std::string> text_;
  std::optional<std::vector<int32_t>> type_ids_, mask_;
  std::optional<std::vector<int32_t>> spans_;  // begin and end of each span
  size_t pairs_ = 0;                           // number of spans
  std::set<std::string> seen_;
  std::string key_;
  std::vector<int32_t>* numbers_ = nullptr;  // the array being read
  size_t depth_ = 0;
  bool is_object_ = false;
};

}  // namespace

void read_json_record(std::string_view line, const RecordMembers& members, Item& item, std::set<std::string>& unused) {
  if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    item.fail("a blank line where a JSON object must be");
    return;
  }
  RecordReader reader(members, item, unused);
  if (const auto problem = read_json(line, std::numeric_limits<size_t>::max(), reader)) reader.syntax_problem(*problem);
  reader.finish();
}

}  // namespace bert::cli
