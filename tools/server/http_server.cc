// Boost.Beast parses requests, Boost.Asio waits for sockets. All sessions run on the thread of run(), so nothing here
// is locked; respond(), drain() and stop() post to that thread.
//
// An idle connection has no parser and no buffer: it waits until its socket is readable. Deadlines are looked at twice
// a second for all sessions together, so a session needs no timer.
#include "tools/server/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <ctime>
#include <unordered_set>
#include <utility>
#include <vector>

namespace bert::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using ErrorCode = boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;
using Listener = asio::posix::basic_stream_descriptor<Executor>;

constexpr size_t kReadAhead = 64 * 1024;         // of a body
constexpr size_t kDiscardedBody = 64 * 1024;     // of a refused request: above it, the connection is closed
constexpr size_t kDiscardedAtEnd = 1024 * 1024;  // after an answer with Connection: close
constexpr auto kTick = std::chrono::milliseconds(500);
constexpr auto kLingerTime = std::chrono::seconds(2);

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[64];
  const size_t size = std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, size};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

template <class Message>
HttpRequest head_of(const Message& message) {
  HttpRequest head;
  head.method = std::string(message.method_string());
  const std::string_view target(message.target().data(), message.target().size());
  const size_t query = target.find('?');
  head.path = std::string(target.substr(0, query));
  if (query != target.npos) head.query = std::string(target.substr(query + 1));
  for (const auto& field : message) {
    const auto name = field.name_string();
    const auto value = field.value();
    head.fields.emplace_back(lower({name.data(), name.size()}), std::string(value.data(), value.size()));
  }
  return head;
}

}  // namespace

class HttpServer::State : public std::enable_shared_from_this<State> {
 public:
  State(HttpHandler& handler, const HttpLimits& limits)
      : handler_(handler), limits_(limits), guard_(context_.get_executor()), ticker_(context_) {}

  void add_listener(int socket) { doors_.push_back({Listener(context_.get_executor(), socket)}); }
  void run();
  void post_drain();
  void post_stop();
  void run_remaining();

 private:
  class Session;
  struct Door {
    Listener socket;
    bool is_watched = false;
  };

  void watch_doors();
  void accept_waiting(Door& door);
  bool is_full() const { return sessions_.size() >= limits_.connections || lacks_files_; }
  void tick();
  void drain();
  void close_doors();
  void remove(Session* session);
  void finish_if_drained();

  HttpHandler& handler_;
  const HttpLimits limits_;
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> guard_;
  asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor> ticker_;
  std::vector<Door> doors_;
  std::unordered_set<Session*> sessions_;
  bool lacks_files_ = false;  // the process may open no more files; asked again at the next tick
  std::string date_ = http_date();
  bool is_draining_ = false;
};

class HttpServer::State::Session : public HttpExchange, public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<State> server, int socket, int family)
      : server_(std::move(server)),
        socket_(server_->context_.get_executor(), asio::generic::stream_protocol(family, 0), socket),
        buffer_(server_->limits_.header_bytes + kReadAhead) {
    server_->sessions_.insert(this);
  }

  void start() { wait_for_request(); }
  const HttpRequest& request() const override { return request_; }
  void respond(HttpResponse response) override {
    asio::post(server_->context_, [self = shared_from_this(), given = std::move(response)]() mutable {
      if (self->phase_ == Phase::kAnswering) self->write(std::move(given));
    });
  }
  void on_abandoned(std::function<void()> abandoned) override { abandoned_ = std::move(abandoned); }

  void close();
  void check_deadline(Clock::time_point now);
  void drain();

 private:
  enum class Phase { kIdle, kHead, kBody, kAnswering, kWriting, kLingering, kClosed };
  using Parser = http::request_parser<http::string_body>;

  void begin(Phase phase, HttpLimits::Time time) {
    phase_ = phase;
    deadline_ = Clock::now() + time;
  }
  void wait_for_request();
  void read_head();
  void got_head(const ErrorCode& error);
  void read_body();
  void got_body(const ErrorCode& error);
  void fail(const ErrorCode& error);
  void watch_for_close();
  // Whether the client has closed its side. Does not take what it may have sent.
  bool has_left();
  void write(HttpResponse response);
  void written(const ErrorCode& error);
  void linger();

  const std::shared_ptr<State> server_;
  Socket socket_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  HttpRequest request_;
  std::function<void()> abandoned_;
  std::string head_, body_;              // of the answer
  std::optional<HttpResponse> refusal_;  // sent when the body has been read
  std::array<char, 512> discarded_ = {};
  size_t discarded_bytes_ = 0;
  Phase phase_ = Phase::kIdle;
  Clock::time_point deadline_;
  bool timed_out_ = false;
  bool keep_alive_ = false;
};

void HttpServer::State::Session::close() {
  if (phase_ == Phase::kClosed) return;
  const std::shared_ptr<Session> self = shared_from_this();  // the request may hold the last reference
  phase_ = Phase::kClosed;
  ErrorCode ignored;
  socket_.close(ignored);
  if (abandoned_) std::exchange(abandoned_, nullptr)();
  server_->remove(this);
}

void HttpServer::State::Session::check_deadline(Clock::time_point now) {
  if (phase_ == Phase::kAnswering || now < deadline_) return;
  if (phase_ == Phase::kHead || phase_ == Phase::kBody) {
    timed_out_ = true;
    ErrorCode ignored;
    socket_.cancel(ignored);  // the pending read ends, and answers 408
  } else {
    close();
  }
}

void HttpServer::State::Session::drain() {
  if (phase_ != Phase::kIdle) return;
  char byte = 0;
  if (::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) close();
}

void HttpServer::State::Session::wait_for_request() {
  parser_.reset();
  request_ = {};
  if (buffer_.size() > 0) return read_head();
  if (server_->is_draining_) return close();
  buffer_.shrink_to_fit();
  std::string().swap(body_);
  begin(Phase::kIdle, server_->limits_.idle_time);
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const ErrorCode& error) {
    if (self->phase_ != Phase::kIdle) return;
    if (error) return self->close();
    self->read_head();
  });
}

void HttpServer::State::Session::read_head() {
  begin(Phase::kHead, server_->limits_.header_time);
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(server_->limits_.header_bytes));
  parser_->body_limit(server_->limits_.body_bytes);
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const ErrorCode& error, size_t) { self->got_head(error); });
}

void HttpServer::State::Session::got_head(const ErrorCode& error) {
  if (phase_ == Phase::kClosed) return;
  if (parser_->is_header_done()) request_ = head_of(parser_->get());
  if (error) return fail(error);
  keep_alive_ = parser_->keep_alive();
  refusal_ = server_->handler_.refuse(request_);
  const bool waits = lower(request_.field("expect")) == "100-continue" && !parser_->is_done();
  if (refusal_ && !parser_->is_done() &&
      (waits || parser_->chunked() || parser_->content_length_remaining().value_or(0) > kDiscardedBody)) {
    keep_alive_ = false;
    return write(*std::exchange(refusal_, std::nullopt));
  }
  begin(Phase::kBody, server_->limits_.body_time);
  if (!waits) return read_body();
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    [self = shared_from_this()](const ErrorCode& failure, size_t) {
                      if (failure) return self->close();
                      if (self->phase_ == Phase::kBody) self->read_body();
                    });
}

void HttpServer::State::Session::read_body() {
  if (parser_->is_done()) return got_body({});
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](const ErrorCode& error, size_t) { self->got_body(error); });
}

void HttpServer::State::Session::got_body(const ErrorCode& error) {
  if (phase_ == Phase::kClosed) return;
  if (error) return fail(error);
  if (refusal_) return write(*std::exchange(refusal_, std::nullopt));
  request_.body = std::move(parser_->get().body());
  phase_ = Phase::kAnswering;
  watch_for_close();
  server_->handler_.handle(shared_from_this());
}

void HttpServer::State::Session::fail(const ErrorCode& error) {
  keep_alive_ = false;
  const bool nothing_came = phase_ == Phase::kHead && !parser_->got_some();
  const auto answer = [&](int status, const std::string& message) {
    write(server_->handler_.fault(status, request_, message));
  };
  if (timed_out_ && nothing_came) return close();
  if (timed_out_) return answer(408, "the request did not arrive in time");
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return answer(431,
                  "the request's header is larger than " + std::to_string(server_->limits_.header_bytes) + " bytes");
  }
  if (error == http::error::body_limit) {
    return answer(413, "the request's body is larger than " + std::to_string(server_->limits_.body_bytes) + " bytes");
  }
  if (error.category() == make_error_code(http::error::bad_method).category() && error != http::error::end_of_stream &&
      error != http::error::partial_message) {
    return answer(400, "not an HTTP request: " + error.message());
  }
  close();  // the client has left
}

bool HttpServer::State::Session::has_left() {
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

// Bytes of a following request end the watch: whether the client leaves after them is seen when they are read.
void HttpServer::State::Session::watch_for_close() {
  if (buffer_.size() > 0) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const ErrorCode& error) {
    if (self->phase_ == Phase::kAnswering && !error && self->has_left()) self->close();
  });
}

void HttpServer::State::Session::write(HttpResponse response) {
  ErrorCode ignored;
  if (phase_ == Phase::kAnswering) socket_.cancel(ignored);  // the watch
  abandoned_ = nullptr;
  const bool is_http_1_0 = parser_ && parser_->is_header_done() && parser_->get().version() < 11;
  if (server_->is_draining_) keep_alive_ = false;
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status)));
  head_ = is_http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  head_ += std::to_string(response.status) + " " + std::string(reason.data(), reason.size()) + "\r\n";
  head_ += "Date: " + server_->date_ + "\r\n";
  if (!response.body.empty()) head_ += "Content-Type: " + response.content_type + "\r\n";
  if (response.status != 204) head_ += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  for (const auto& [name, value] : response.fields) head_ += name + ": " + value + "\r\n";
  if (!keep_alive_) head_ += "Connection: close\r\n";
  if (keep_alive_ && is_http_1_0) head_ += "Connection: keep-alive\r\n";
  head_ += "\r\n";
  body_ = request_.method == "HEAD" ? std::string() : std::move(response.body);
  parser_.reset();
  begin(Phase::kWriting, server_->limits_.write_time);
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head_), asio::buffer(body_)};
  asio::async_write(socket_, buffers,
                    [self = shared_from_this()](const ErrorCode& error, size_t) { self->written(error); });
}

void HttpServer::State::Session::written(const ErrorCode& error) {
  if (phase_ == Phase::kClosed) return;
  if (error) return close();
  if (keep_alive_) return wait_for_request();
  ErrorCode failure;
  socket_.shutdown(Socket::shutdown_send, failure);
  if (failure) return close();
  begin(Phase::kLingering, kLingerTime);
  linger();
}

// Until the client closes too: closing a socket with unread bytes would reset the connection, and the client might lose
// the answer.
void HttpServer::State::Session::linger() {
  socket_.async_read_some(asio::buffer(discarded_), [self = shared_from_this()](const ErrorCode& error, size_t bytes) {
    self->discarded_bytes_ += bytes;
    if (error || self->discarded_bytes_ > kDiscardedAtEnd) return self->close();
    if (self->phase_ == Phase::kLingering) self->linger();
  });
}

void HttpServer::State::watch_doors() {
  for (Door& door : doors_) {
    if (door.is_watched || is_full() || !door.socket.is_open()) continue;
    door.is_watched = true;
    door.socket.async_wait(Listener::wait_read, [self = shared_from_this(), &door](const ErrorCode& error) {
      door.is_watched = false;
      if (error) return;
      self->accept_waiting(door);
      self->watch_doors();
    });
  }
}

void HttpServer::State::accept_waiting(Door& door) {
  while (!is_full()) {
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    const int socket = ::accept4(door.socket.native_handle(), reinterpret_cast<sockaddr*>(&address), &size,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (socket < 0) {
      lacks_files_ = errno != EAGAIN;
      return;
    }
    if (address.ss_family != AF_UNIX) {
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    std::make_shared<Session>(shared_from_this(), socket, address.ss_family)->start();
    handler_.connections_changed(sessions_.size());
  }
}

void HttpServer::State::tick() {
  date_ = http_date();
  const Clock::time_point now = Clock::now();
  const std::vector<Session*> sessions(sessions_.begin(), sessions_.end());
  for (Session* session : sessions) {
    if (sessions_.contains(session)) session->check_deadline(now);
  }
  if (is_draining_ && sessions_.empty()) return;
  lacks_files_ = false;
  watch_doors();
  ticker_.expires_after(kTick);
  ticker_.async_wait([self = shared_from_this()](const ErrorCode& error) {
    if (error) return;
    self->tick();
  });
}

void HttpServer::State::remove(Session* session) {
  sessions_.erase(session);
  handler_.connections_changed(sessions_.size());
  watch_doors();
  finish_if_drained();
}

void HttpServer::State::drain() {
  if (is_draining_) return;
  for (Door& door : doors_) accept_waiting(door);
  close_doors();
  const std::vector<Session*> sessions(sessions_.begin(), sessions_.end());
  for (Session* session : sessions) session->drain();
  finish_if_drained();
}

void HttpServer::State::close_doors() {
  is_draining_ = true;
  ErrorCode ignored;
  for (Door& door : doors_) door.socket.close(ignored);
}

void HttpServer::State::finish_if_drained() {
  if (!is_draining_ || !sessions_.empty()) return;
  ticker_.cancel();
  guard_.reset();
}

void HttpServer::State::run() {
  tick();
  context_.run();
  // After stop(): every connection is closed, and the operations that this ends drop what they own.
  close_doors();
  const std::vector<Session*> sessions(sessions_.begin(), sessions_.end());
  for (Session* session : sessions) session->close();
  finish_if_drained();
  run_remaining();
}

// What was posted after the end, such as a late answer.
void HttpServer::State::run_remaining() {
  context_.restart();
  context_.poll();
}

void HttpServer::State::post_drain() {
  asio::post(context_, [self = shared_from_this()] { self->drain(); });
}

void HttpServer::State::post_stop() { context_.stop(); }

HttpServer::HttpServer(HttpHandler& handler, const HttpLimits& limits)
    : state_(std::make_shared<State>(handler, limits)) {}
HttpServer::~HttpServer() { state_->run_remaining(); }
void HttpServer::listen(int listening_socket) { state_->add_listener(listening_socket); }
void HttpServer::run() { state_->run(); }
void HttpServer::drain() { state_->post_drain(); }
void HttpServer::stop() { state_->post_stop(); }

}  // namespace bert::server
