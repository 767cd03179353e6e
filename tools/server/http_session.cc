#include "tools/server/http_session.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <cerrno>
#include <utility>

namespace bert::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr size_t kReadAhead = 64 * 1024;         // of a body
constexpr size_t kDiscardedBody = 64 * 1024;     // of a refused request: above it, the connection is closed
constexpr size_t kDiscardedAtEnd = 1024 * 1024;  // after an answer with Connection: close
constexpr auto kLingerTime = std::chrono::seconds(2);

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// What follows the host in "http://host/path?query" (RFC 9112, 3.2.2); another target as it is.
std::string_view without_host(std::string_view target) {
  if (target.starts_with('/')) return target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (lower(target.substr(0, scheme.size())) != scheme) continue;
    return target.substr(std::min(target.find_first_of("/?", scheme.size()), target.size()));
  }
  return target;
}

template <class Message>
HttpRequest head_of(const Message& message) {
  HttpRequest head;
  head.method = std::string(message.method_string());
  const std::string_view whole(message.target().data(), message.target().size());
  const std::string_view target = without_host(whole);
  const size_t query = target.find('?');
  head.path = std::string(target.substr(0, query));
  if (head.path.empty() && target.size() < whole.size()) head.path = "/";
  if (query != target.npos) head.query = std::string(target.substr(query + 1));
  for (const auto& field : message) {
    const auto name = field.name_string();
    const auto value = field.value();
    head.fields.emplace_back(lower({name.data(), name.size()}), std::string(value.data(), value.size()));
  }
  return head;
}

}  // namespace

HttpSession::HttpSession(std::shared_ptr<HttpSessionOwner> owner, int socket, int family)
    : owner_(std::move(owner)),
      socket_(owner_->context.get_executor(), asio::generic::stream_protocol(family, 0), socket),
      buffer_(owner_->limits.header_bytes + kReadAhead) {}

void HttpSession::respond(HttpResponse response) {
  asio::post(owner_->context, [self = shared_from_this(), given = std::move(response)]() mutable {
    if (self->phase_ == Phase::kAnswering) self->write(std::move(given));
  });
}

void HttpSession::close() {
  if (phase_ == Phase::kClosed) return;
  const std::shared_ptr<HttpSession> self = shared_from_this();  // the request may hold the last reference
  phase_ = Phase::kClosed;
  NetworkError ignored;
  socket_.close(ignored);
  if (abandoned_) std::exchange(abandoned_, nullptr)();
  owner_->remove(this);
}

void HttpSession::check_deadline(Clock::time_point now) {
  if (phase_ == Phase::kAnswering || now < deadline_) return;
  if (phase_ == Phase::kHead || phase_ == Phase::kBody) {
    timed_out_ = true;
    NetworkError ignored;
    socket_.cancel(ignored);  // the pending read ends, and answers 408
  } else {
    close();
  }
}

void HttpSession::drain() {
  if (phase_ != Phase::kIdle) return;
  char byte = 0;
  if (::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) close();
}

void HttpSession::wait_for_request() {
  parser_.reset();
  request_ = {};
  if (buffer_.size() > 0) return read_head();
  if (owner_->is_draining) return close();
  buffer_.shrink_to_fit();
  std::string().swap(body_);
  begin(Phase::kIdle, owner_->limits.idle_time);
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const NetworkError& error) {
    if (self->phase_ != Phase::kIdle) return;
    if (error) return self->close();
    self->read_head();
  });
}

void HttpSession::read_head() {
  begin(Phase::kHead, owner_->limits.header_time);
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(owner_->limits.header_bytes));
  parser_->body_limit(owner_->limits.body_bytes);
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const NetworkError& error, size_t) { self->got_head(error); });
}

void HttpSession::got_head(const NetworkError& error) {
  if (phase_ == Phase::kClosed) return;
  if (parser_->is_header_done()) request_ = head_of(parser_->get());
  if (error) return fail(error);
  if (!request_.path.starts_with('/') && request_.path != "*") {
    return end_with_fault(
        400, "not an HTTP request: its target is " + request_.path.substr(0, 200) + ", neither a path nor an address");
  }
  keep_alive_ = parser_->keep_alive();
  refusal_ = owner_->handler.refuse(request_);
  const bool waits = lower(request_.field("expect")) == "100-continue" && !parser_->is_done();
  if (refusal_ && !parser_->is_done() &&
      (waits || parser_->chunked() || parser_->content_length_remaining().value_or(0) > kDiscardedBody)) {
    keep_alive_ = false;
    return write(*std::exchange(refusal_, std::nullopt));
  }
  begin(Phase::kBody, owner_->limits.body_time);
  if (!waits) return read_body();
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    [self = shared_from_this()](const NetworkError& failure, size_t) {
                      if (failure) return self->close();
                      if (self->phase_ == Phase::kBody) self->read_body();
                    });
}

void HttpSession::read_body() {
  if (parser_->is_done()) return got_body({});
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](const NetworkError& error, size_t) { self->got_body(error); });
}

void HttpSession::got_body(const NetworkError& error) {
  if (phase_ == Phase::kClosed) return;
  if (error) return fail(error);
  if (refusal_) return write(*std::exchange(refusal_, std::nullopt));
  request_.body = std::move(parser_->get().body());
  phase_ = Phase::kAnswering;
  watch_for_close();
  owner_->handler.handle(shared_from_this());
}

void HttpSession::end_with_fault(int status, const std::string& message) {
  keep_alive_ = false;
  write(owner_->handler.fault(status, request_, message));
}

void HttpSession::fail(const NetworkError& error) {
  const bool nothing_came = phase_ == Phase::kHead && !parser_->got_some();
  if (timed_out_ && nothing_came) return close();
  if (timed_out_) return end_with_fault(408, "the request did not arrive in time");
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return end_with_fault(
        431, "the request's header is larger than " + std::to_string(owner_->limits.header_bytes) + " bytes");
  }
  if (error == http::error::body_limit) {
    return end_with_fault(413,
                          "the request's body is larger than " + std::to_string(owner_->limits.body_bytes) + " bytes");
  }
  if (error.category() == make_error_code(http::error::bad_method).category() && error != http::error::end_of_stream &&
      error != http::error::partial_message) {
    return end_with_fault(400, "not an HTTP request: " + error.message());
  }
  close();  // the client has left
}

bool HttpSession::has_left() {
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

// Bytes of a following request end the watch: whether the client leaves after them is seen when they are read.
void HttpSession::watch_for_close() {
  if (buffer_.size() > 0) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const NetworkError& error) {
    if (self->phase_ == Phase::kAnswering && !error && self->has_left()) self->close();
  });
}

void HttpSession::write(HttpResponse response) {
  NetworkError ignored;
  if (phase_ == Phase::kAnswering) socket_.cancel(ignored);  // the watch
  abandoned_ = nullptr;
  const bool is_http_1_0 = parser_ && parser_->is_header_done() && parser_->get().version() < 11;
  if (owner_->is_draining) keep_alive_ = false;
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status)));
  head_ = is_http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  head_ += std::to_string(response.status) + " " + std::string(reason.data(), reason.size()) + "\r\n";
  head_ += "Date: " + owner_->date + "\r\n";
  if (!response.body.empty()) head_ += "Content-Type: " + response.content_type + "\r\n";
  if (response.status != 204) head_ += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  for (const auto& [name, value] : response.fields) head_ += name + ": " + value + "\r\n";
  if (!keep_alive_) head_ += "Connection: close\r\n";
  if (keep_alive_ && is_http_1_0) head_ += "Connection: keep-alive\r\n";
  head_ += "\r\n";
  body_ = request_.method == "HEAD" ? std::string() : std::move(response.body);
  parser_.reset();
  begin(Phase::kWriting, owner_->limits.write_time);
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head_), asio::buffer(body_)};
  asio::async_write(socket_, buffers,
                    [self = shared_from_this()](const NetworkError& error, size_t) { self->written(error); });
}

void HttpSession::written(const NetworkError& error) {
  if (phase_ == Phase::kClosed) return;
  if (error) return close();
  if (keep_alive_) return wait_for_request();
  NetworkError failure;
  socket_.shutdown(Socket::shutdown_send, failure);
  if (failure) return close();
  begin(Phase::kLingering, kLingerTime);
  linger();
}

// Until the client closes too: closing a socket with unread bytes would reset the connection, and the client might lose
// the answer.
void HttpSession::linger() {
  socket_.async_read_some(asio::buffer(discarded_),
                          [self = shared_from_this()](const NetworkError& error, size_t bytes) {
                            self->discarded_bytes_ += bytes;
                            if (error || self->discarded_bytes_ > kDiscardedAtEnd) return self->close();
                            if (self->phase_ == Phase::kLingering) self->linger();
                          });
}

}  // namespace bert::server
