// Reads a request's body as its bytes arrive: with an announced length, or in chunks (RFC 9112, 7.1). Trailer fields
// and extensions of chunks are checked and dropped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "program/server/http/head.h"

namespace bert::server {

class BodyReader {
 public:
  BodyReader(const BodyFraming& framing, size_t max_bytes);

  // Takes the bytes that belong to the body, and returns their number. Throws HttpFault: 413 for more than max_bytes,
  // 400 for an invalid chunk.
  size_t take(std::string_view bytes);
  // Returns the bytes of the body that are known: those that have arrived and those that are announced.
  size_t announced() const { return body_.size() + left_; }
  bool is_done() const { return state_ == State::kDone; }
  std::string& body() { return body_; }

 private:
  enum class State { kLength, kChunkLine, kChunkData, kChunkEnd, kTrailer, kDone };

  size_t take_data(std::string_view bytes);
  void take_line_byte(char c);
  void end_chunk_line();
  void end_trailer_line();

  State state_;
  size_t left_ = 0;  // remaining bytes of the body or of the chunk
  size_t max_bytes_;
  std::string line_;  // a line, including its CR
  size_t trailer_bytes_ = 0;
  std::string body_;
};

}  // namespace bert::server
