#include "program/cli/input/corpus.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bert/quantize.h"
#include "program/cli/output/console.h"

namespace bert::cli {

namespace fs = std::filesystem;

Corpus::FileState Corpus::state_of(const std::string& path) {
  if (path == "-") return {};
  std::error_code error;
  FileState state{.is_regular = fs::is_regular_file(path, error)};
  if (state.is_regular) state.bytes = fs::file_size(path, error);
  if (state.is_regular && !error) state.modified = fs::last_write_time(path, error);
  return error ? FileState{} : state;
}

// Marks blank items, and keeps each item if `kept` is not null.
class Corpus::Lines : public InputOver {
 public:
  Lines(Input& input, std::vector<Item>* kept) : InputOver(input), kept_(kept) {}

  State next(Item& item, Wait wait) override {
    const State state = input_.next(item, wait);
    if (state != State::kItem) return state;
    item.source.is_blank = !item.error && item.text.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
    if (kept_ != nullptr) kept_->push_back(item);
    return state;
  }

 private:
  std::vector<Item>* kept_;
};

Corpus::Corpus(const Options& options) : options_(options) {
  for (const std::string& name : options.inputs) files_.push_back(state_of(name));
  are_files_ = std::ranges::all_of(files_, &FileState::is_regular);
  input_ = open_input(options_);
  lines_ = std::make_unique<Lines>(*input_, are_files_ ? nullptr : &kept_);
}

std::string Corpus::digest() const {
  std::string digest;
  for (size_t i = 0; i < files_.size(); ++i) {
    const std::string& name = options_.inputs[i];
    if (!files_[i].is_regular) throw InputError("--index needs an --input that is a file; found " + in_quotes(name));
    digest += (i > 0 ? " " : "") + file_sha256(name);
  }
  check_is_unchanged();
  std::string reading = options_.jsonl ? " jsonl" : options_.csv ? " csv" : options_.tsv ? " tsv" : "";
  if (options_.encoding != TextEncoding::kUtf8)
    reading += " encoding " + std::to_string(static_cast<int>(options_.encoding));
  if (options_.invalid != InvalidBytes::kFail)
    reading += " invalid " + std::to_string(static_cast<int>(options_.invalid));
  if (!options_.field.empty()) reading += ' ' + options_.field;
  return digest + reading;
}

std::map<size_t, Item> Corpus::lines(const std::set<size_t>& numbers) const {
  std::map<size_t, Item> lines;
  if (!are_files_) {
    for (const size_t number : numbers) lines[number] = kept_.at(number);
    return lines;
  }
  if (!numbers.empty()) {
    const std::unique_ptr<Input> input = open_input(options_);
    size_t number = 0;
    for (Item item; number <= *numbers.rbegin(); ++number) {
      if (input->next(item, TextSource::kForever) != Input::State::kItem) break;
      if (numbers.contains(number)) lines[number] = std::move(item);
    }
  }
  check_is_unchanged();
  return lines;
}

void Corpus::check_is_unchanged() const {
  for (size_t i = 0; i < files_.size(); ++i) {
    if (state_of(options_.inputs[i]) == files_[i]) continue;
    throw InputError(in_quotes(options_.inputs[i]) + " was written while it was read");
  }
}

}  // namespace bert::cli
