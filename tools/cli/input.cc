#include "tools/cli/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <map>
#include <utility>

#include "tools/cli/console.h"
#include "tools/cli/json_record.h"
#include "tools/cli/open_uninterrupted.h"

namespace bert::cli {
namespace {

constexpr size_t kInputBytes = 256 * 1024;

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
  LineInput(const std::string& name, bool jsonl, const InputPart& part)
      : lines_(name, part), jsonl_(jsonl), begin_(part.begin), number_(part.lines_before) {}

  State next(Item& item, Wait wait) override {
    const State state = lines_.next(line_, wait);
    if (state != State::kItem) return state;
    item = {};
    item.source.line = item.source.number = ++number_;
    item.source.end = begin_ + lines_.bytes_read();
    if (jsonl_) {
      read_json_record(line_, item, unused_);
    } else {
      item.text = line_;
    }
    return state;
  }

  uint64_t bytes_read() const override { return lines_.bytes_read(); }
  uint64_t bytes_total() const override { return lines_.bytes_total(); }

  std::string remark() const override {
    std::string names;
    for (const std::string& name : unused_) names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? "" : "members of the input's objects that are not used: " + names;
  }

 private:
  LineReader lines_;
  bool jsonl_;
  uint64_t begin_;
  size_t number_;
  std::string line_;
  std::set<std::string> unused_;
};

}  // namespace

std::string place_of(const ItemSource& source) {
  return source.line > 0 ? "line " + std::to_string(source.line) : "text " + std::to_string(source.number);
}

Options with_second_text_as_pair(const Options& options) {
  Options as_pair = options;
  if (options.input.empty()) {
    as_pair.pairs = {options.texts.at(1)};
    as_pair.texts = {options.texts.at(0)};
  }
  return as_pair;
}

std::unique_ptr<Input> open_input(const Options& options, const InputPart& part) {
  if (options.input.empty()) {
    if (options.texts.empty()) {
      throw UsageError(
          "no text: expected a TEXT, --input FILE, or lines on standard input (usage: bert-infer [COMMAND] [OPTIONS] "
          "TEXT…; bert-infer help)");
    }
    if (options.jsonl) throw UsageError("--jsonl says how --input's lines are read; there is no --input");
    if (!options.pairs.empty() && options.pairs.size() != options.texts.size()) {
      throw UsageError("--pair is given once for each TEXT: " + std::to_string(options.texts.size()) + " TEXT, " +
                       std::to_string(options.pairs.size()) + " --pair");
    }
    return std::make_unique<WordInput>(options.texts, options.pairs);
  }
  if (!options.texts.empty())
    throw UsageError("both --input and a TEXT " + in_quotes(options.texts.front()) + "; give one");
  if (!options.pairs.empty()) throw UsageError("--pair goes with a TEXT; in --input --jsonl a line has its \"pair\"");
  return std::make_unique<LineInput>(options.input, options.jsonl, part);
}

LineReader::LineReader(const std::string& name, const InputPart& part)
    : name_(name == "-" ? "standard input" : in_quotes(name)), unread_(part.end - part.begin) {
  file_ = name == "-" ? STDIN_FILENO : open_uninterrupted(name, O_RDONLY);
  if (file_ < 0) throw InputError("cannot open " + name_ + ": " + std::strerror(errno));
  buffer_.resize(kInputBytes);
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
    const auto* newline = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const size_t count = newline == nullptr ? end_ - begin_ : static_cast<size_t>(newline - start);
    part_.append(start, count);
    bytes_read_ += count;
    begin_ += count;
    if (newline != nullptr) {
      ++begin_;
      ++bytes_read_;
      if (!part_.empty() && part_.back() == '\r') part_.pop_back();
      line = std::exchange(part_, {});
      return TextSource::State::kItem;
    }
    if (!is_readable(wait)) return TextSource::State::kNotYet;
    if (fill()) continue;
    line = std::exchange(part_, {});
    return line.empty() ? TextSource::State::kEnd : TextSource::State::kItem;
  }
}

// The end of the input and errors are readable too: read() reports them.
bool LineReader::is_readable(TextSource::Wait wait) const {
  if (wait == TextSource::kForever) return true;
  struct pollfd file = {file_, POLLIN, 0};
  return ::poll(&file, 1, static_cast<int>(std::min<long long>(wait.count(), INT_MAX))) > 0;
}

bool LineReader::fill() {
  begin_ = end_ = 0;
  ssize_t count;
  do {
    count = ::read(file_, buffer_.data(), std::min<uint64_t>(buffer_.size(), unread_));
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw InputError("cannot read " + name_ + ": " + std::strerror(errno));
  end_ = static_cast<size_t>(count);
  unread_ -= end_;
  return end_ > 0;
}

}  // namespace bert::cli
