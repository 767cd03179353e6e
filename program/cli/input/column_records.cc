#include "program/cli/input/column_records.h"

#include <algorithm>
#include <utility>

#include "program/cli/common.h"
#include "program/cli/output/console.h"

namespace bert::cli {
bool RecordEnds::add(char c) {
  if (place_ == Place::kQuoted) {
    if (c == '"') place_ = Place::kAfterQuote;
  } else if (c == '\n') {
    place_ = Place::kBegin;
    return true;
  } else if (c == separator_) {
    place_ = Place::kBegin;
  } else if (c == '"' && place_ != Place::kPlain) {  // begins a field, or is the second of two in quotes
    place_ = Place::kQuoted;
  } else {
    place_ = Place::kPlain;
  }
  return false;
}

char separator_of(std::string_view first_line, std::string_view text_column) {
  char of_most = ',';
  size_t most = 1;
  for (const char separator : {',', ';', '\t', '|'}) {
    size_t names = 0;
    for (size_t begin = 0; begin <= first_line.size(); ++names) {
      const size_t end = std::min(first_line.find(separator, begin), first_line.size());
      std::string_view name = first_line.substr(begin, end - begin);
      if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
      if (name == text_column) return separator;
      begin = end + 1;
    }
    if (names > most) of_most = separator;
    most = std::max(most, names);
  }
  return of_most;
}

ColumnRecords::ColumnRecords(char separator, RecordMembers members, std::string file)
    : separator_(separator), members_(std::move(members)), file_(std::move(file)) {}

bool ColumnRecords::add(std::string_view line) {
  if (place_ == Place::kQuoted) {
    field_ += '\n';
  } else if (line.empty()) {
    return false;  // a blank line is not a record
  } else {
    fields_.clear();
    problem_.clear();
    place_ = Place::kBegin;
  }
  if (separator_ == '\0') separator_ = separator_of(line, members_.text);
  for (const char c : line) add_character(c);
  if (is_within_quotes()) return false;
  end_field();
  if (!names_.empty()) return true;
  take_names();
  return false;
}

void ColumnRecords::add_character(char c) {
  if (place_ == Place::kQuoted) {
    if (c == '"') {
      place_ = Place::kAfterQuote;
    } else {
      field_ += c;
    }
  } else if (c == separator_) {
    end_field();
  } else if (c == '"' && place_ == Place::kBegin) {
    place_ = Place::kQuoted;
  } else if (c == '"' && place_ == Place::kAfterQuote) {
    field_ += c;
    place_ = Place::kQuoted;
  } else {
    if (place_ == Place::kAfterQuote && problem_.empty()) {
      problem_ = "text after the closing quote of field " + std::to_string(fields_.size() + 1) +
                 R"(, expected its end; a " within quotes is written "")";
    }
    field_ += c;
    place_ = Place::kPlain;
  }
}

void ColumnRecords::end_field() {
  fields_.push_back(std::exchange(field_, {}));
  place_ = Place::kBegin;
}

void ColumnRecords::take_names() {
  names_ = fields_;
  if (std::any_of(names_.begin(), names_.end(), [](const std::string& name) { return name.find('\r') != name.npos; })) {
    throw InputError(file_ +
                     R"( has lines that end with a carriage return alone, expected "\n" or "\r\n": tr '\r' '\n')" +
                     " converts it");
  }
  std::string found;
  std::set<std::string_view> known;
  for (const std::string& name : names_) {
    found += (found.empty() ? "" : ", ") + in_quotes(name);
    if (!known.insert(name).second) {
      if (members_.keep_all) throw InputError(file_ + " has two columns of one name, expected each name once");
      throw InputError(file_ + " has two columns " + shortened(in_quotes(name)) + ", expected each name once");
    }
  }
  const auto require = [&](const std::string& name, const char* what, const char* option) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) return;
    if (members_.keep_all) {  // the first line may be a record
      throw InputError(file_ + " has no column " + in_quotes(name) + " among the names in its first line; " + option +
                       " names another");
    }
    throw InputError(file_ + " has the columns " + shortened(found) + ", expected " + in_quotes(name) + what +
                     " among the names in its first line; " + option + " names another");
  };
  require(members_.text, "", "--field");
  if (members_.pair_is_named) require(members_.pair, ", the second text,", "--pair-field");
  if (!members_.label.empty()) require(members_.label, ", the label,", members_.label_option);
  for (const std::string& name : members_.keep) require(name, ", which --keep copies,", "--keep");
}

void ColumnRecords::read(Item& item, std::set<std::string>& unused) {
  item.source.separator = separator_;
  if (!problem_.empty()) item.fail(problem_);
  if (fields_.size() != names_.size()) {
    item.fail(std::to_string(fields_.size()) + (fields_.size() == 1 ? " field" : " fields") + ", expected " +
              std::to_string(names_.size()) + ", as the first line has");
  }
  if (members_.keep_all) fields_.resize(names_.size());
  for (size_t i = 0; i < std::min(fields_.size(), names_.size()); ++i) {
    const std::string& name = names_[i];
    const bool is_kept =
        members_.keep_all || std::find(members_.keep.begin(), members_.keep.end(), name) != members_.keep.end();
    if (is_kept) append_string(item.source.kept.emplace_back(KeptMember{name, {}}).json, fields_[i]);
    if (name == members_.text) {
      item.text = std::move(fields_[i]);
    } else if (name == members_.pair && !members_.keep_all) {
      if (!fields_[i].empty()) item.pair = std::move(fields_[i]);
    } else if (name == members_.label) {
      item.label = std::move(fields_[i]);
      if (item.label->empty()) item.fail(in_quotes(name) + " is empty, expected the label of the text");
    } else if (name == "id") {
      append_string(item.source.id, fields_[i]);
    } else if (!is_kept) {
      unused.insert(shortened(in_quotes(name)));
    }
  }
}

}  // namespace bert::cli
