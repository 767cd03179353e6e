#include "tools/cli/json_record.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "tools/cli/common.h"
#include "tools/cli/console.h"

namespace bert::cli {
namespace {

// A limit: with a new name on each line, a file could list a million.
constexpr size_t kMaxUnusedNames = 20;

// Written by `tokenize --format jsonl` besides the ids; ignored silently in input.
const std::set<std::string_view> kFromTokenize = {
    "tokens",           "special_tokens_mask", "word_ids", "offsets", "code_point_offsets",
    "truncated_tokens", "unknown_tokens",      "window"};

constexpr const char* kSpans = "spans";
constexpr const char* kSpansExpected =
    "expected \"spans\" as an array of at least one [begin, end], in bytes of the text";

// Receives a line's values from the parser: numbers keep the digits of an id, duplicate keys are found, and unused
// members need no memory.
class RecordReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  RecordReader(const RecordMembers& members, Item& item, std::set<std::string>& unused)
      : text_member_(members.text),
        pair_member_(members.pair),
        label_member_(members.label),
        reads_spans_(members.spans),
        item_(item),
        unused_(unused) {}

  bool null() override { return value("null"); }
  bool boolean(bool v) override { return value(v ? "true" : "false"); }
  // A number with a minus.
  bool number_integer(number_integer_t v) override { return integer(v, v == 0 ? "-0" : std::to_string(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return integer(v > kMax ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(v), std::to_string(v));
  }
  bool number_float(number_float_t, const string_t& digits) override { return value(digits); }
  bool string(string_t& v) override {
    if (depth_ == 1 && key_ == text_member_) return keep(text_, v);
    if (depth_ == 1 && key_ == pair_member_) return keep(item_.pair, v);
    if (is_label()) return keep(item_.label, v);
    std::string quoted_text;
    if (depth_ == 1 && key_ == "id") append_string(quoted_text, v);
    return value(quoted_text);
  }
  bool binary(binary_t&) override { return false; }  // JSON text has none

  bool start_object(size_t) override {
    if (depth_ == 0) is_object_ = true;
    return open();
  }
  bool end_object() override { return close(); }
  bool start_array(size_t) override {
    if (depth_ == 1) {
      if (key_ == "ids") numbers_ = &item_.ids.emplace();
      if (key_ == "type_ids") numbers_ = &type_ids_.emplace();
      if (key_ == "attention_mask") numbers_ = &mask_.emplace();
      if (is_spans()) numbers_ = &spans_.emplace();
    }
    return open();
  }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    key_ = name;
    if (!seen_.insert(name).second) problem("duplicate key " + in_quotes(name));
    if (name != "id" && name != text_member_ && name != label_member_ && name != pair_member_ &&
        !holds_integers(name) && !(reads_spans_ && name == kSpans) && !kFromTokenize.contains(name) &&
        unused_.size() < kMaxUnusedNames) {
      unused_.insert(shortened(in_quotes(name)));
    }
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 3: syntax error while …", or, of a number that no
    // double holds, "[json.exception.out_of_range.406] number overflow parsing '1E400'"
    std::string reason = error.what();
    const size_t colon = reason.find(": "), bracket = reason.find("] ");
    if (colon != std::string::npos) {
      reason.erase(0, colon + 2);
    } else if (bracket != std::string::npos) {
      reason.erase(0, bracket + 2);
    }
    problem("not valid JSON at byte " + std::to_string(position) + ": " + reason);
    return false;
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
  // A value that is not a text, pair or number of an array: "id", a null, or a wrong type. written: as in the line, ""
  // for a string other than "id".
  bool value(const std::string& written) {
    const bool is_null = written == "null";
    if (depth_ == 0) is_object_ = false;
    if (is_spans() && !(depth_ == 1 && is_null)) {
      problem(kSpansExpected);
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
      } else if (key_ == pair_member_ && !is_null) {
        problem(pair_name() + " is neither a string nor null");
      } else if (holds_integers(key_) && !is_null) {
        problem("\"" + key_ + "\" is not an array of integers");
      }
    }
    return true;
  }

  bool integer(int64_t v, const std::string& digits) {
    if (numbers_ == nullptr || depth_ != (is_spans() ? 3 : 2)) return value(digits);
    if (is_spans() && v < 0) problem(kSpansExpected);
    if (v < std::numeric_limits<int32_t>::min() || v > std::numeric_limits<int32_t>::max()) {
      problem("\"" + key_ + "\" holds " + digits + ", which is past 32 bits");
    } else {
      numbers_->push_back(static_cast<int32_t>(v));
    }
    return true;
  }

  bool keep(std::optional<std::string>& target, string_t& v) {
    target = std::move(v);
    return true;
  }

  bool open() {
    const bool expected = numbers_ != nullptr && depth_ <= (is_spans() ? 2 : 1);
    if (depth_ == 1 && !expected && (key_ == "id" || key_ == text_member_ || key_ == pair_member_ || is_label())) {
      problem("\"" + key_ + "\" is an array or an object");
    } else if (depth_ == 1 && !expected && holds_integers(key_)) {
      problem("\"" + key_ + "\" is not an array of integers");
    } else if (depth_ == 1 && !expected && is_spans()) {
      problem(kSpansExpected);
    } else if (depth_ >= 2 && !expected && numbers_ != nullptr) {
      problem("\"" + key_ + "\" holds an array or an object; it must be an array of integers");
    }
    ++depth_;
    return true;
  }

  bool close() {
    --depth_;
    if (depth_ == 2 && is_spans() && ++pairs_ * 2 != spans_->size()) problem(kSpansExpected);
    if (depth_ == 1) numbers_ = nullptr;
    return true;
  }

  void check() {
    if (!is_object_) {
      problem("the line is JSON, but not an object");
    } else if (text_.has_value() && item_.ids.has_value()) {
      problem("both " + text_name() + " and \"ids\"");
    } else if (!text_.has_value() && !item_.ids.has_value()) {
      problem("neither " + text_name() + " nor \"ids\"");
    } else if (item_.ids.has_value() && item_.pair.has_value()) {
      problem(pair_name() + " goes with " + text_name() + "; with \"ids\" the segments are in \"type_ids\"");
    } else {
      check_beside_ids("type_ids", type_ids_);
      check_beside_ids("attention_mask", mask_);
    }
    if (reads_spans_ && (!spans_ || spans_->empty())) problem(kSpansExpected);
    if (!label_member_.empty() && !item_.label) problem("no \"" + label_member_ + "\", expected the label of the text");
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

  // Inside of "spans", or at their beginning.
  bool is_spans() const { return reads_spans_ && depth_ >= 1 && key_ == kSpans; }

  bool is_label() const { return depth_ == 1 && !label_member_.empty() && key_ == label_member_; }

  static bool holds_integers(std::string_view name) {
    return name == "ids" || name == "type_ids" || name == "attention_mask";
  }

  std::string text_name() const { return '"' + one_line(text_member_) + '"'; }
  std::string pair_name() const { return '"' + one_line(pair_member_) + '"'; }

  // Report the first problem.
  void problem(const std::string& what) {
    item_.fail(shortened(what));  // it quotes the line, possibly all of it
  }

  const std::string& text_member_;
  const std::string& pair_member_;
  const std::string& label_member_;
  const bool reads_spans_;
  Item& item_;
  std::set<std::string>& unused_;
  std::optional<std::string> text_;
  std::optional<std::vector<int32_t>> type_ids_, mask_;
  std::optional<std::vector<int32_t>> spans_;  // begin and end of each
  size_t pairs_ = 0;                           // of them
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
  nlohmann::json::sax_parse(line, &reader);
  reader.finish();
}

}  // namespace bert::cli
