#include "program/server/http/session.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <cerrno>
#include <exception>
#include <limits>
#include <utility>

#include "program/common/words.h"

namespace bert::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr size_t kReadHead = 4096;
constexpr size_t kReadAhead = 64 * 1024;         // bytes of a body
constexpr size_t kDiscardedBody = 64 * 1024;     // limit for a rejected request's body; above it the connection is
                                                 // closed
constexpr size_t kDiscardedAtEnd = 1024 * 1024;  // limit after an answer with Connection: close
constexpr auto kLingerTime = std::chrono::seconds(2);

}  // namespace

HttpSession::HttpSession(std::shared_ptr<HttpSessionOwner> owner, HttpPeer peer)
    : owner_(std::move(owner)),
      family_(peer.family),
      socket_(owner_->context.get_executor()),
      client_(std::move(peer.client)),
      door_(peer.door),
      buffer_(owner_->limits.header_bytes + kReadAhead),
      scanner_(owner_->limits.header_bytes),
      body_share_(owner_->bodies),
      own_place_{this},
      place_(own_place_.begin()) {}

template <class Step>
void HttpSession::attempt(const Step& step) noexcept {
  const std::shared_ptr<HttpSession> self = shared_from_this();
  try {
    step();
  } catch (const std::exception&) {
    close();
  }
}

void HttpSession::start(int socket) noexcept {
  attempt([&] {
    NetworkError error;
    try {
      socket_.assign(asio::generic::stream_protocol(family_, 0), socket, error);
    } catch (const std::bad_alloc&) {
      error = asio::error::no_memory;
    }
    if (error) {
      ::close(socket);
      return close();
    }
    wait_for_request();
  });
}

void HttpSession::set_phase(Phase phase) noexcept {
  if (list_ != nullptr) own_place_.splice(own_place_.end(), *list_, place_);
  list_ = phase == Phase::kIdle ? &owner_->idle : phase == Phase::kHead ? &owner_->half_sent : nullptr;
  phase_ = phase;
  if (list_ == nullptr) return;
  list_->splice(list_->end(), own_place_);
  owner_->became_idle();
}

void HttpSession::respond(HttpResponse response) noexcept {
  answer_ = std::move(response);
  asio::post(owner_->context, AnswerIsReady{shared_from_this()});
}

void HttpSession::drop() noexcept {
  answer_.reset();
  asio::post(owner_->context, AnswerIsReady{shared_from_this()});
}

void HttpSession::answer() noexcept {
  if (phase_ != Phase::kAnswering) return;
  if (!answer_) return close();
  attempt([&] { write(*std::exchange(answer_, std::nullopt)); });
}

void HttpSession::release_body() noexcept {
  std::string().swap(request_.body);
  body_share_.release();
}

void HttpSession::close() noexcept {
  const std::shared_ptr<HttpSession> self = shared_from_this();  // the request may hold the last reference
  end();
}

void HttpSession::end() noexcept {
  if (phase_ == Phase::kClosed) return;
  set_phase(Phase::kClosed);
  NetworkError ignored;
  socket_.close(ignored);
  if (abandoned_) std::exchange(abandoned_, nullptr)();
  owner_->remove(this);
}

void HttpSession::check_deadline(Clock::time_point now) noexcept {
  if (phase_ == Phase::kAnswering || now < deadline_) return;
  if (phase_ == Phase::kHead || phase_ == Phase::kBody) {
    timed_out_ = true;
    NetworkError ignored;
    socket_.cancel(ignored);  // the pending read ends, and 408 is sent
  } else {
    close();
  }
}

bool HttpSession::close_if_idle() noexcept {
  if (phase_ != Phase::kIdle && phase_ != Phase::kHead) return false;
  char byte = 0;
  if (::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return false;
  close();
  return true;
}

std::string_view HttpSession::unread() const {
  return {static_cast<const char*>(buffer_.data().data()), buffer_.size()};
}

void HttpSession::wait_for_request() {
  reader_.reset();
  scanner_.reset();
  request_ = {};
  body_share_.release();
  request_.client = client_;
  request_.door = door_;
  skipped_line_ = false;
  if (buffer_.size() > 0) {
    begin(Phase::kHead, owner_->limits.header_time);
    return read();
  }
  if (owner_->is_draining) return close();
  buffer_.shrink_to_fit();
  begin(Phase::kIdle, owner_->limits.idle_time);
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const NetworkError& error) {
    if (self->phase_ != Phase::kIdle) return;
    if (error) return self->close();
    self->attempt([&] {
      self->begin(Phase::kHead, self->owner_->limits.header_time);
      self->read();
    });
  });
}

void HttpSession::read() {
  try {
    if (phase_ == Phase::kHead) {
      if (skip_empty_line()) return read_more();
      const size_t size = scanner_.scan(unread());
      return size > 0 ? read_head(size) : read_more();
    }
    buffer_.consume(reader_->take(unread()));
    reserve_body();
    return reader_->is_done() ? got_body() : read_more();
  } catch (const HttpFault& fault) {
    end_with_fault(fault.status(), fault.what());
  } catch (const std::bad_alloc&) {
    if (phase_ != Phase::kHead && phase_ != Phase::kBody) throw;
    end_with_fault(503, "not enough memory to read the request");
  }
}

void HttpSession::read_more() {
  socket_.async_read_some(buffer_.prepare(phase_ == Phase::kHead ? kReadHead : kReadAhead),
                          [self = shared_from_this()](const NetworkError& error, size_t bytes) {
                            self->attempt([&] { self->got_bytes(error, bytes); });
                          });
}

// Throws HttpFault if the budget of all bodies has too few bytes left for this body.
void HttpSession::reserve_body() {
  if (body_share_.grow_to(reader_->announced())) return;
  throw HttpFault(429, "the bodies that are being read have " + std::to_string(owner_->bodies.used()) +
                           " bytes and this one has " + std::to_string(reader_->announced()) + ", expected at most " +
                           std::to_string(owner_->bodies.bytes()) + " together");
}

void HttpSession::got_bytes(const NetworkError& error, size_t bytes) {
  if (phase_ == Phase::kClosed) return;
  if (!error) {
    buffer_.commit(bytes);
    return read();
  }
  if (!timed_out_ || (phase_ == Phase::kHead && buffer_.size() == 0)) return close();  // the client has left
  end_with_fault(408, "the request did not arrive in time");
}

// Ignores one empty line before a request (RFC 9112, 2.2). Returns true while the bytes may be an incomplete empty
// line.
bool HttpSession::skip_empty_line() {
  if (skipped_line_ || !unread().starts_with('\r')) return false;
  if (unread().size() == 1) return true;
  skipped_line_ = true;
  if (unread()[1] == '\n') buffer_.consume(2);
  return buffer_.size() == 0;
}

// size: of the head, which has arrived completely.
void HttpSession::read_head(size_t size) {
  http::request_parser<http::empty_body> parser;
  parser.header_limit(static_cast<uint32_t>(size) + 1);
  parser.body_limit(std::numeric_limits<uint64_t>::max());  // Boost 1.74 treats none as a limit of 0 bytes
  NetworkError error;
  parser.put(asio::buffer(buffer_.data(), size), error);
  if (error == http::error::bad_alloc) throw std::bad_alloc();
  if (error || !parser.is_header_done()) throw_not_http(error.message());
  buffer_.consume(size);
  const auto& message = parser.get();
  request_.method = std::string(message.method_string());
  for (const auto& field : message) {
    const auto name = field.name_string();
    const auto value = field.value();
    request_.fields.emplace_back(common::lower_case({name.data(), name.size()}),
                                 std::string(value.data(), value.size()));
  }
  const std::string_view target(message.target().data(), message.target().size());
  is_http_1_0_ = message.version() < 11;
  keep_alive_ = parser.keep_alive();
  read_target(target, request_);
  request_.host = requested_host(request_, target, is_http_1_0_);
  begin_body(body_framing(request_, is_http_1_0_));
}

void HttpSession::begin_body(const BodyFraming& framing) {
  const bool has_body = framing.is_chunked || framing.length > 0;
  const bool waits = has_body && !is_http_1_0_ && common::lower_case(request_.field("expect")) == "100-continue";
  refusal_ = owner_->handler.refuse(request_);
  if (refusal_ && has_body && (waits || framing.is_chunked || framing.length > kDiscardedBody)) {
    keep_alive_ = false;
    return write(*std::exchange(refusal_, std::nullopt));
  }
  reader_.emplace(framing, std::min(owner_->limits.body_bytes, owner_->bodies.largest_share()));
  reserve_body();
  reader_->body().reserve(framing.length);
  begin(Phase::kBody, owner_->limits.body_time);
  if (!has_body) return got_body();
  if (!waits) return read();
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    [self = shared_from_this()](const NetworkError& failure, size_t) {
                      if (failure) return self->close();
                      if (self->phase_ == Phase::kBody) self->attempt([&] { self->read(); });
                    });
}

void HttpSession::got_body() {
  if (refusal_) return write(*std::exchange(refusal_, std::nullopt));
  request_.body = std::move(reader_->body());
  set_phase(Phase::kAnswering);
  watch_for_close();
  owner_->handler.handle(shared_from_this());
}

void HttpSession::end_with_fault(int status, const std::string& message) {
  keep_alive_ = false;
  write(owner_->handler.fault(status, request_, message));
}

bool HttpSession::has_left() {
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

// Waits until the client leaves. Bytes of a following request end the watch; whether the client leaves later is noticed
// when they are read.
void HttpSession::watch_for_close() {
  if (buffer_.size() > 0) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const NetworkError& error) {
    if (self->phase_ == Phase::kAnswering && !error && self->has_left()) self->close();
  });
}

void HttpSession::write(HttpResponse response) {
  NetworkError ignored;
  if (phase_ == Phase::kAnswering) socket_.cancel(ignored);  // ends the watch
  abandoned_ = nullptr;
  if (owner_->is_draining) keep_alive_ = false;
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status)));
  head_ = is_http_1_0_ ? "HTTP/1.0 " : "HTTP/1.1 ";
  head_ += std::to_string(response.status) + " " + std::string(reason.data(), reason.size()) + "\r\n";
  head_ += "Date: " + owner_->date + "\r\n";
  if (!response.body.empty()) head_ += "Content-Type: " + response.content_type + "\r\n";
  if (response.status != 204) head_ += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  for (const auto& [name, value] : response.fields) head_ += name + ": " + value + "\r\n";
  if (!keep_alive_) head_ += "Connection: close\r\n";
  if (keep_alive_ && is_http_1_0_) head_ += "Connection: keep-alive\r\n";
  head_ += "\r\n";
  body_ = request_.method == "HEAD" ? std::string() : std::move(response.body);
  kept_ = std::move(response.kept);
  reader_.reset();
  begin(Phase::kWriting, owner_->limits.write_time);
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head_), asio::buffer(body_)};
  asio::async_write(socket_, buffers, [self = shared_from_this()](const NetworkError& error, size_t) {
    self->attempt([&] { self->written(error); });
  });
}

void HttpSession::written(const NetworkError& error) {
  if (phase_ == Phase::kClosed) return;
  std::string().swap(body_);
  kept_.reset();
  if (error) return close();
  if (keep_alive_) return wait_for_request();
  NetworkError failure;
  socket_.shutdown(Socket::shutdown_send, failure);
  if (failure) return close();
  begin(Phase::kLingering, kLingerTime);
  linger();
}

// Waits until the client also closes, because closing a socket with unread bytes would reset the connection, and the
// client could lose the answer.
void HttpSession::linger() {
  socket_.async_read_some(asio::buffer(discarded_),
                          [self = shared_from_this()](const NetworkError& error, size_t bytes) {
                            self->discarded_bytes_ += bytes;
                            if (error || self->discarded_bytes_ > kDiscardedAtEnd) return self->close();
                            if (self->phase_ == Phase::kLingering) self->attempt([&] { self->linger(); });
                          });
}

}  // namespace bert::server
