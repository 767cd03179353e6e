// Accepts connections, closes idle ones if room is needed, and checks their sessions twice a second. Runs on one
// thread; drain() and stop() post to it.
#include "program/server/http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <ctime>
#include <deque>
#include <exception>
#include <unordered_set>

#include "program/server/http/session.h"

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

bool is_loopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    return (ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
  }
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

Door kind_of(int listening_socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  if (::getsockname(listening_socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return Door::kOther;
  if (address.ss_family == AF_UNIX) return Door::kUnixSocket;
  return is_loopback(address) ? Door::kLoopback : Door::kOther;
}

// Returns the host without the port.
std::string host_of(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "unix";
  if (address.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof(text));
  } else if (address.ss_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text, sizeof(text));
  }
  return text;
}

}  // namespace

class HttpServer::State : public HttpSessionOwner, public std::enable_shared_from_this<State> {
 public:
  State(HttpHandler& given, const HttpLimits& given_limits)
      : HttpSessionOwner(given, given_limits), guard_(context.get_executor()) {}

  void add_listener(int socket) { doors_.emplace_back(context.get_executor(), socket); }
  void run();
  void post_drain() noexcept;
  void post_stop();
  void run_remaining() noexcept;

 private:
  struct Entrance {
    Entrance(const Executor& executor, int listening) : socket(executor, listening), kind(kind_of(listening)) {}
    Listener socket;
    Door kind;
    bool is_watched = false;
  };

  void run_until(Clock::time_point end) noexcept;
  void watch_doors() noexcept;
  void accept_waiting(Entrance& door) noexcept;
  void begin_session(int socket, const sockaddr_storage& address, Door door) noexcept;
  static bool has_waiting(Entrance& door);
  bool close_an_idle_session();
  void became_idle() noexcept override { watch_doors(); }
  bool is_full() const { return sessions_.size() >= limits.connections || lacks_files_; }
  void tick() noexcept;
  void drain() noexcept;
  void close_doors();
  void remove(HttpSession* session) noexcept override;
  void finish_if_drained();

  asio::executor_work_guard<Executor> guard_;
  std::deque<Entrance> doors_;  // constructed in place, because Boost 1.74 cannot move a Listener
  std::unordered_set<HttpSession*> sessions_;
  std::atomic<bool> drain_asked_{false};
  bool lacks_files_ = false;  // the process cannot open more files; tried again at the next tick
};

void HttpServer::State::watch_doors() noexcept {
  if (is_full() && idle.empty() && half_sent.empty()) return;
  for (Entrance& door : doors_) {
    if (door.is_watched || !door.socket.is_open()) continue;
    try {
      door.socket.async_wait(Listener::wait_read, [self = shared_from_this(), &door](const NetworkError& error) {
        door.is_watched = false;
        if (error) return;
        self->accept_waiting(door);
        self->watch_doors();
      });
      door.is_watched = true;
    } catch (const std::exception&) {
      return;  // tried again at the next tick
    }
  }
}

bool HttpServer::State::has_waiting(Entrance& door) {
  pollfd watched = {.fd = door.socket.native_handle(), .events = POLLIN, .revents = 0};
  return ::poll(&watched, 1, 0) > 0;
}

// Makes room by closing the connection that has been idle longest, else the one whose head has been incomplete longest.
// Connections whose request is just arriving are spared.
bool HttpServer::State::close_an_idle_session() {
  for (const std::list<HttpSession*>* list : {&idle, &half_sent}) {
    size_t tries = 16;
    for (auto next = list->begin(); next != list->end() && tries > 0; --tries) {
      HttpSession* const session = *next++;
      if (!session->close_if_idle()) continue;
      lacks_files_ = false;
      return true;
    }
  }
  return false;
}

void HttpServer::State::accept_waiting(Entrance& door) noexcept {
  while (has_waiting(door) && (!is_full() || close_an_idle_session())) {
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    const int socket = ::accept4(door.socket.native_handle(), reinterpret_cast<sockaddr*>(&address), &size,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (socket < 0 && errno == EAGAIN) return;
    if (socket < 0) {
      lacks_files_ = true;
      continue;
    }
    if (address.ss_family != AF_UNIX) {
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    begin_session(socket, address, door.kind);
  }
}

void HttpServer::State::begin_session(int socket, const sockaddr_storage& address, Door door) noexcept {
  std::shared_ptr<HttpSession> session;
  try {
    session = std::make_shared<HttpSession>(shared_from_this(), HttpPeer{address.ss_family, host_of(address), door});
    sessions_.insert(session.get());
  } catch (const std::exception&) {
    ::close(socket);
    return;
  }
  session->start(socket);
  handler.connections_changed(sessions_.size());
}

void HttpServer::State::tick() noexcept {
  try {
    date = http_date();
  } catch (const std::exception&) {  // the previous date stays
  }
  if (drain_asked_) drain();
  const Clock::time_point now = Clock::now();
  for (auto next = sessions_.begin(); next != sessions_.end();) {
    HttpSession* const session = *next++;
    session->check_deadline(now);  // may remove this session but no other
  }
  lacks_files_ = false;
  watch_doors();
}

void HttpServer::State::remove(HttpSession* session) noexcept {
  sessions_.erase(session);
  handler.connections_changed(sessions_.size());
  watch_doors();
  finish_if_drained();
}

void HttpServer::State::drain() noexcept {
  if (is_draining) return;
  for (Entrance& door : doors_) accept_waiting(door);
  close_doors();
  for (auto next = idle.begin(); next != idle.end();) {
    HttpSession* const session = *next++;
    session->close_if_idle();
  }
  finish_if_drained();
}

void HttpServer::State::close_doors() {
  is_draining = true;
  NetworkError ignored;
  for (Entrance& door : doors_) door.socket.close(ignored);
}

void HttpServer::State::finish_if_drained() {
  if (is_draining && sessions_.empty()) guard_.reset();
}

void HttpServer::State::run() {
  while (!context.stopped()) {
    tick();
    run_until(Clock::now() + kTick);
  }
  // After stop(): closes every connection; operations that end by this free what they own.
  close_doors();
  while (!sessions_.empty()) (*sessions_.begin())->close();
  finish_if_drained();
  run_remaining();
}

// Memory may also be missing in Asio's own steps between those of a session: the operation is then dropped with its
// session, and the tick comes early.
void HttpServer::State::run_until(Clock::time_point end) noexcept {
  try {
    while (Clock::now() < end && !context.stopped()) {
      context.poll();
      handler.caught_up();
      context.run_one_until(end);
    }
  } catch (const std::exception&) {
  }
}

// Runs what was posted after the end, such as a late answer.
void HttpServer::State::run_remaining() noexcept {
  context.restart();
  try {
    context.poll();
  } catch (const std::exception&) {
  }
}

void HttpServer::State::post_drain() noexcept {
  drain_asked_ = true;
  try {
    asio::post(context, [self = shared_from_this()] { self->drain(); });
  } catch (const std::exception&) {  // the next tick repeats it
  }
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
