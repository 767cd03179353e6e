#include "program/server/http/body.h"

#include <algorithm>
#include <charconv>

namespace bert::server {
namespace {

constexpr size_t kMaxLine = 1024;  // of a chunk's size and extensions
constexpr size_t kMaxTrailer = 16 * 1024;

bool is_token_character(char c) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || kSigns.find(c) != kSigns.npos;
}

// Each function removes what it is named after from the beginning of the text; returns false if it is not there.
void take_spaces(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); }
bool take_character(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}
bool take_token(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_token_character);
  const auto size = static_cast<size_t>(end - text.begin());
  text.remove_prefix(size);
  return size > 0;
}
bool take_quoted(std::string_view& text) {
  if (!take_character(text, '"')) return false;
  while (!text.empty() && text.front() != '"') text.remove_prefix(text.front() == '\\' && text.size() > 1 ? 2 : 1);
  return take_character(text, '"');
}

// *( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )
bool are_extensions(std::string_view text) {
  while (!text.empty()) {
    take_spaces(text);
    if (!take_character(text, ';')) return false;
    take_spaces(text);
    if (!take_token(text)) return false;
    std::string_view value = text;
    take_spaces(value);
    if (!take_character(value, '=')) continue;
    take_spaces(value);
    if (!(value.starts_with('"') ? take_quoted(value) : take_token(value))) return false;
    text = value;
  }
  return true;
}

}  // namespace

BodyReader::BodyReader(const BodyFraming& framing, size_t max_bytes)
    : state_(framing.is_chunked ? State::kChunkLine : State::kLength), left_(framing.length), max_bytes_(max_bytes) {
  if (framing.is_chunked) return;
  if (left_ == 0) state_ = State::kDone;
  if (left_ > max_bytes_) {
    throw HttpFault(413, "the request's body is larger than " + std::to_string(max_bytes_) + " bytes");
  }
}

size_t BodyReader::take(std::string_view bytes) {
  size_t taken = 0;
  while (taken < bytes.size() && state_ != State::kDone) {
    if (state_ == State::kLength || state_ == State::kChunkData) {
      taken += take_data(bytes.substr(taken));
    } else {
      take_line_byte(bytes[taken++]);
    }
  }
  return taken;
}

size_t BodyReader::take_data(std::string_view bytes) {
  const size_t size = std::min(left_, bytes.size());
  body_.append(bytes.substr(0, size));
  left_ -= size;
  if (left_ == 0) state_ = state_ == State::kLength ? State::kDone : State::kChunkEnd;
  return size;
}

void BodyReader::take_line_byte(char c) {
  const bool after_return = line_.ends_with('\r');
  if (after_return != (c == '\n')) throw_not_http("a line of its chunks ends otherwise than by CR LF");
  if (c != '\n') {
    if (state_ == State::kChunkEnd && c != '\r') throw_not_http("a chunk is longer than its size");
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r') || c == '\x7F')
      throw_not_http("a control character");
    line_ += c;
    if (line_.size() > (state_ == State::kTrailer ? kMaxTrailer : kMaxLine))
      throw_not_http("a line of its chunks is too long");
    return;
  }
  line_.pop_back();
  if (state_ == State::kChunkLine) {
    end_chunk_line();
  } else if (state_ == State::kTrailer) {
    end_trailer_line();
  } else {
    state_ = State::kChunkLine;
  }
  line_.clear();
}

void BodyReader::end_chunk_line() {
  size_t size = 0;
  const char* end = line_.data() + line_.size();
  const auto [rest, error] = std::from_chars(line_.data(), end, size, 16);
  if (error == std::errc::invalid_argument) throw_not_http("a chunk's size is no number");
  if (!are_extensions({rest, static_cast<size_t>(end - rest)}))
    throw_not_http("a chunk's size is followed by something else");
  if (error != std::errc() || size > max_bytes_ - body_.size()) {
    throw HttpFault(413, "the request's body is larger than " + std::to_string(max_bytes_) + " bytes");
  }
  left_ = size;
  state_ = size == 0 ? State::kTrailer : State::kChunkData;
}

void BodyReader::end_trailer_line() {
  if (line_.empty()) {
    state_ = State::kDone;
    return;
  }
  trailer_bytes_ += line_.size();
  std::string_view field = line_;
  if (trailer_bytes_ > kMaxTrailer) throw_not_http("its trailer is too long");
  if (!take_token(field) || !take_character(field, ':')) throw_not_http("its trailer has a line that is no field");
}

}  // namespace bert::server
