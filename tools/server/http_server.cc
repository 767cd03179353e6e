// Accepts connections, and looks after their sessions twice a second. Runs on one thread; drain() and stop() post to
// it.
#include "tools/server/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <ctime>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tools/server/http_session.h"

namespace bert::server {
namespace {

namespace asio = boost::asio;
using Clock = HttpSession::Clock;
using Executor = asio::io_context::executor_type;
using Listener = asio::posix::basic_stream_descriptor<Executor>;

constexpr auto kTick = std::chrono::milliseconds(500);

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[64];
  const size_t size = std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, size};
}

}  // namespace

class HttpServer::State : public HttpSessionOwner, public std::enable_shared_from_this<State> {
 public:
  State(HttpHandler& given, const HttpLimits& given_limits)
      : HttpSessionOwner(given, given_limits), guard_(context.get_executor()), ticker_(context) {}

  void add_listener(int socket) { doors_.push_back({Listener(context.get_executor(), socket)}); }
  void run();
  void post_drain();
  void post_stop();
  void run_remaining();

 private:
  struct Door {
    Listener socket;
    bool is_watched = false;
  };

  void watch_doors();
  void accept_waiting(Door& door);
  bool is_full() const { return sessions_.size() >= limits.connections || lacks_files_; }
  void tick();
  void drain();
  void close_doors();
  void remove(HttpSession* session) override;
  void finish_if_drained();

  asio::executor_work_guard<Executor> guard_;
  asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor> ticker_;
  std::vector<Door> doors_;
  std::unordered_set<HttpSession*> sessions_;
  bool lacks_files_ = false;  // the process may open no more files; asked again at the next tick
};

void HttpServer::State::watch_doors() {
  for (Door& door : doors_) {
    if (door.is_watched || is_full() || !door.socket.is_open()) continue;
    door.is_watched = true;
    door.socket.async_wait(Listener::wait_read, [self = shared_from_this(), &door](const NetworkError& error) {
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
    const auto session = std::make_shared<HttpSession>(shared_from_this(), socket, address.ss_family);
    sessions_.insert(session.get());
    session->start();
    handler.connections_changed(sessions_.size());
  }
}

void HttpServer::State::tick() {
  date = http_date();
  const Clock::time_point now = Clock::now();
  const std::vector<HttpSession*> sessions(sessions_.begin(), sessions_.end());
  for (HttpSession* session : sessions) {
    if (sessions_.contains(session)) session->check_deadline(now);
  }
  if (is_draining && sessions_.empty()) return;
  lacks_files_ = false;
  watch_doors();
  ticker_.expires_after(kTick);
  ticker_.async_wait([self = shared_from_this()](const NetworkError& error) {
    if (error) return;
    self->tick();
  });
}

void HttpServer::State::remove(HttpSession* session) {
  sessions_.erase(session);
  handler.connections_changed(sessions_.size());
  watch_doors();
  finish_if_drained();
}

void HttpServer::State::drain() {
  if (is_draining) return;
  for (Door& door : doors_) accept_waiting(door);
  close_doors();
  const std::vector<HttpSession*> sessions(sessions_.begin(), sessions_.end());
  for (HttpSession* session : sessions) session->drain();
  finish_if_drained();
}

void HttpServer::State::close_doors() {
  is_draining = true;
  NetworkError ignored;
  for (Door& door : doors_) door.socket.close(ignored);
}

void HttpServer::State::finish_if_drained() {
  if (!is_draining || !sessions_.empty()) return;
  ticker_.cancel();
  guard_.reset();
}

void HttpServer::State::run() {
  tick();
  context.run();
  // After stop(): every connection is closed, and the operations that this ends drop what they own.
  close_doors();
  const std::vector<HttpSession*> sessions(sessions_.begin(), sessions_.end());
  for (HttpSession* session : sessions) session->close();
  finish_if_drained();
  run_remaining();
}

// What was posted after the end, such as a late answer.
void HttpServer::State::run_remaining() {
  context.restart();
  context.poll();
}

void HttpServer::State::post_drain() {
  asio::post(context, [self = shared_from_this()] { self->drain(); });
}

void HttpServer::State::post_stop() { context.stop(); }

HttpServer::HttpServer(HttpHandler& handler, const HttpLimits& limits)
    : state_(std::make_shared<State>(handler, limits)) {}
HttpServer::~HttpServer() { state_->run_remaining(); }
void HttpServer::listen(int listening_socket) { state_->add_listener(listening_socket); }
void HttpServer::run() { state_->run(); }
void HttpServer::drain() { state_->post_drain(); }
void HttpServer::stop() { state_->post_stop(); }

}  // namespace bert::server
