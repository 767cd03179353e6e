#include "program/cli/input/line_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <utility>

#include "program/cli/common.h"
#include "program/common/system_files.h"

namespace bert::cli {
namespace {

constexpr size_t kInputBytes = 256 * 1024;

// Returns the encoding's name if the beginning is Latin letters without a byte order mark; else nullptr.
const char* utf16_without_mark(std::string_view beginning) {
  const std::string_view first = beginning.substr(0, 8);
  if (first.size() < 4) return nullptr;
  bool is_zero[2] = {true, true};
  for (size_t i = 0; i < first.size() / 2 * 2; ++i) {
    if ((first[i] == '\0') != (i % 2 == 1)) is_zero[1] = false;
    if ((first[i] == '\0') != (i % 2 == 0)) is_zero[0] = false;
  }
  return is_zero[1] ? "UTF-16LE" : is_zero[0] ? "UTF-16BE" : nullptr;
}

}  // namespace

std::string name_of(const std::string& input) { return input == "-" ? "standard input" : in_quotes(input); }

LineReader::LineReader(const std::string& name, const InputPart& part)
    : name_(name_of(name)), may_have_mark_(part.begin == 0), unread_(part.end - part.begin) {
  file_ = name == "-" ? STDIN_FILENO : common::open_file(name, common::OpenMode::kRead);
  if (file_ < 0) throw InputError("cannot open " + name_ + ": " + std::strerror(errno));
  const auto facts = common::facts_of(file_);
  if (!facts || !facts->is_regular()) return;
  const off_t position = ::lseek(file_, static_cast<off_t>(part.begin), SEEK_CUR);
  if (position < 0 || facts->bytes <= static_cast<uint64_t>(position)) return;
  bytes_total_ = std::min(facts->bytes - static_cast<uint64_t>(position), unread_);
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

// The end of the input and errors also count as readable: read() reports them.
bool LineReader::is_readable(TextSource::Wait wait) const {
  if (wait == TextSource::kForever || !compressed_.empty() || more_decompressed_) return true;
  return common::wait_for_input(file_, static_cast<int>(std::min<long long>(wait.count(), INT_MAX)));
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
    if (!compression && count > 0) {  // more bytes are needed to decide
      begin_of_file_ = beginning;
      end_ = 0;
      return true;
    }
    is_recognised_ = true;
    begin_of_file_.clear();
    if (beginning.starts_with("\xFF\xFE") || beginning.starts_with("\xFE\xFF")) {
      throw InputError(name_ + " begins with the mark of UTF-16, expected UTF-8: iconv -f UTF-16 -t UTF-8 converts it");
    }
    if (const char* const encoding = utf16_without_mark(beginning)) {
      throw InputError(name_ + " has a zero in each second byte, expected UTF-8: iconv -f " + encoding +
                       " -t UTF-8 converts it");
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
