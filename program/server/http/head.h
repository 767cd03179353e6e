// Parses the head of a request strictly by RFC 9112: where it ends, and what is rejected although a parser could make
// sense of it, because a proxy before this server might read it in another way. Safe to use from many threads.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "program/server/http/message.h"

namespace bert::server {

// Thrown if the server itself rejects a request, before its handler sees it.
class HttpFault : public std::runtime_error {
 public:
  HttpFault(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// Throws an HttpFault with the status 400.
[[noreturn]] void throw_not_http(const std::string& reason);

// Finds the end of a head in the bytes that have arrived so far.
class HeadScanner {
 public:
  explicit HeadScanner(size_t max_bytes) : max_bytes_(max_bytes) {}

  // bytes: from the head's first byte on. Returns the head's size including its empty line; 0 while it is incomplete.
  // Throws HttpFault for control characters, line ends other than CR LF, folded lines (RFC 9112, 5.2) and more than
  // max_bytes.
  size_t scan(std::string_view bytes);
  // Call before the next head.
  void reset() { *this = HeadScanner(max_bytes_); }

 private:
  size_t max_bytes_;
  size_t seen_ = 0;        // bytes seen so far
  size_t line_begin_ = 0;  // beginning of the line that is being scanned
};

// How a body is delimited.
struct BodyFraming {
  bool is_chunked = false;
  size_t length = 0;  // if the body is not chunked
};
// Throws HttpFault for lengths that contradict each other or are not numbers (RFC 9112, 6.3), and for transfer codings
// other than chunked. is_http_1_0: the request's version, which has no transfer codings.
BodyFraming body_framing(const HttpRequest& head, bool is_http_1_0);

// Returns the host of the request, "name:port" in lower case: from its target if that has one, else from its field
// Host; "" if an HTTP/1.0 request has neither. Throws HttpFault if the field is missing, duplicated or malformed (RFC
// 9112, 3.2).
std::string requested_host(const HttpRequest& head, std::string_view target, bool is_http_1_0);

// Reads the path and query of a target: "/path?query" or "http://host/path?query"; "*" stays. Throws HttpFault for
// other forms, and for characters that a target must not have (RFC 3986).
void read_target(std::string_view target, HttpRequest& head);

}  // namespace bert::server
