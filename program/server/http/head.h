// The head of a request by the letter of RFC 9112: where it ends, and what is refused although a parser could make
// sense of it, because a proxy before this server might have read it in another way. Safe to use from many threads.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "program/server/http/message.h"

namespace bert::server {

// Why a request is refused by the server itself, before its handler sees it.
class HttpFault : public std::runtime_error {
 public:
  HttpFault(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// Throws an HttpFault with the status 400.
[[noreturn]] void throw_not_http(const std::string& reason);

// Finds the end of a head in the bytes that have come so far.
class HeadScanner {
 public:
  explicit HeadScanner(size_t max_bytes) : max_bytes_(max_bytes) {}

  // bytes: from the head's first one on. Returns the head's size with its empty line, 0 while it is not whole. Throws
  // HttpFault for control characters, line ends other than CR LF, folded lines (RFC 9112, 5.2) and more than max_bytes.
  size_t scan(std::string_view bytes);
  // At the next head.
  void reset() { *this = HeadScanner(max_bytes_); }

 private:
  size_t max_bytes_;
  size_t seen_ = 0;        // bytes
  size_t line_begin_ = 0;  // of the line that is being scanned
};

// How a body is delimited.
struct BodyFraming {
  bool is_chunked = false;
  size_t length = 0;  // if it is not
};
// Throws HttpFault for lengths that contradict each other or are no numbers (RFC 9112, 6.3) and for transfer codings
// other than chunked. is_http_1_0: the request's version, which has no transfer codings.
BodyFraming body_framing(const HttpRequest& head, bool is_http_1_0);

// The host that the request is for, "name:port" in lower case: of its target if it has one, else of its field Host; ""
// if an HTTP/1.0 request has neither. Throws HttpFault if the field is missing, doubled or malformed (RFC 9112, 3.2).
std::string requested_host(const HttpRequest& head, std::string_view target, bool is_http_1_0);

// The path and query of a target: "/path?query" or "http://host/path?query"; "*" stays. Throws HttpFault for other
// forms, and characters that no target has (RFC 3986).
void read_target(std::string_view target, HttpRequest& head);

}  // namespace bert::server
