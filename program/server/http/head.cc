#include "program/server/http/head.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "program/common/words.h"

namespace bert::server {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr int kMaxPort = 65535;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// Returns the part after "http://" or "https://"; nullopt for another target.
std::optional<std::string_view> after_scheme(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (common::lower_case(target.substr(0, scheme.size())) == scheme) return target.substr(scheme.size());
  }
  return std::nullopt;
}

size_t end_of_authority(std::string_view text) { return std::min(text.find_first_of("/?"), text.size()); }

// Returns whether this is a non-empty host, perhaps with a port (RFC 3986, 3.2.2).
bool is_host(std::string_view text) {
  const size_t colon = text.ends_with(']') ? kNone : text.rfind(':');
  const std::string_view port = colon == kNone ? std::string_view() : text.substr(colon + 1);
  const std::string_view host = text.substr(0, colon);
  int number = 0;
  std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.size() > 5 || !std::all_of(port.begin(), port.end(), is_digit) || number > kMaxPort) return false;
  if (host.starts_with('[')) {
    constexpr std::string_view kSigns = "0123456789abcdefABCDEF:.";
    return host.size() > 3 && host.ends_with(']') && host.find_first_not_of(kSigns, 1) == host.size() - 1;
  }
  constexpr std::string_view kSigns = "-._~%!$&'()*+,;=";
  return !host.empty() && std::all_of(host.begin(), host.end(),
                                      [&](char c) { return is_letter(c) || is_digit(c) || kSigns.find(c) != kNone; });
}

}  // namespace

void throw_not_http(const std::string& reason) { throw HttpFault(400, "not an HTTP request: " + reason); }

size_t HeadScanner::scan(std::string_view bytes) {
  const size_t end = std::min(bytes.size(), max_bytes_);
  for (; seen_ < end; ++seen_) {
    const char c = bytes[seen_];
    const bool after_return = seen_ > line_begin_ && bytes[seen_ - 1] == '\r';
    if (after_return != (c == '\n')) throw_not_http("a line ends otherwise than by CR LF");
    if (c == '\n') {
      if (seen_ - line_begin_ == 1) return seen_ + 1;
      line_begin_ = seen_ + 1;
    } else if (seen_ == line_begin_ && (c == ' ' || c == '\t')) {
      throw_not_http("a line begins with white space");
    } else if ((static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r') || c == '\x7F') {
      throw_not_http("a control character");
    }
  }
  if (bytes.size() >= max_bytes_) {
    throw HttpFault(431, "the request's header is larger than " + std::to_string(max_bytes_) + " bytes");
  }
  return 0;
}

BodyFraming body_framing(const HttpRequest& head, bool is_http_1_0) {
  BodyFraming framing;
  size_t codings = 0, lengths = 0;
  bool is_known = true;
  for (const auto& [name, value] : head.fields) {
    if (name == "transfer-encoding") {
      ++codings;
      is_known = is_known && common::lower_case(value) == "chunked";
    } else if (name == "content-length") {
      ++lengths;
      const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), framing.length);
      if (value.empty() || error != std::errc() || rest != value.data() + value.size()) {
        throw_not_http("its Content-Length is no length");
      }
    }
  }
  if (lengths > 1) throw_not_http("it has " + std::to_string(lengths) + " fields Content-Length, expected at most 1");
  if (codings == 0) return framing;
  if (lengths > 0) throw_not_http("it has both Content-Length and Transfer-Encoding");
  if (is_http_1_0) throw_not_http("HTTP/1.0 has no Transfer-Encoding");
  if (codings > 1 || !is_known) {
    throw HttpFault(501, "the transfer coding is not supported, expected exactly 'Transfer-Encoding: chunked'");
  }
  framing.is_chunked = true;
  return framing;
}

std::string requested_host(const HttpRequest& head, std::string_view target, bool is_http_1_0) {
  size_t fields = 0;
  std::string_view host;
  for (const auto& [name, value] : head.fields) {
    if (name != "host") continue;
    ++fields;
    host = value;
  }
  if (fields > 1) throw_not_http("it has " + std::to_string(fields) + " fields Host, expected 1");
  if (fields == 0 && !is_http_1_0) throw_not_http("it has no field Host");
  if (fields == 1 && !is_host(host)) throw_not_http("its field Host is not HOST or HOST:PORT");
  const auto rest = after_scheme(target);
  if (!rest) return common::lower_case(host);
  host = rest->substr(0, end_of_authority(*rest));
  if (!is_host(host)) throw_not_http("its target's host is not HOST or HOST:PORT");
  return common::lower_case(host);
}

void read_target(std::string_view target, HttpRequest& head) {
  constexpr std::string_view kOther = "\"<>\\^`{|}#";
  if (std::any_of(target.begin(), target.end(),
                  [&](char c) { return c <= ' ' || c >= '\x7F' || kOther.find(c) != kNone; })) {
    throw_not_http("its target has characters that an address does not have");
  }
  const auto rest = after_scheme(target);
  const std::string_view origin = rest ? rest->substr(end_of_authority(*rest)) : target;
  const size_t query = origin.find('?');
  head.path = std::string(origin.substr(0, query));
  if (rest && head.path.empty()) head.path = "/";
  if (query != kNone) head.query = std::string(origin.substr(query + 1));
  if (!head.path.starts_with('/') && head.path != "*") {
    throw_not_http("its target is " + std::string(target.substr(0, 200)) + ", neither a path nor an address");
  }
}

}  // namespace bert::server
