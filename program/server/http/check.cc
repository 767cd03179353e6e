#include "program/server/http/check.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "bert/error.h"
#include "program/server/http/listener.h"

namespace bert::server {
namespace {

constexpr const char* kHttpScheme = "http://";
constexpr const char* kUnixScheme = "unix:";

[[noreturn]] void fail(ErrorCode code, const std::string& address, const std::string& what) {
  throw Error(code, "'" + address + "': " + what);
}

struct Place {
  std::string host, port;       // or, for a socket's file:
  std::string file;             // the file's path
  std::string path = "/ready";  // for HTTP
};

Place place_of(const std::string& address) {
  Place place;
  if (address.starts_with(kUnixScheme)) {
    place.file = address.substr(std::strlen(kUnixScheme));
    if (place.file.empty() || place.file.size() >= sizeof(sockaddr_un::sun_path)) {
      fail(ErrorCode::kInvalidArgument, address, "expected unix: and the path of a socket");
    }
    return place;
  }
  std::string rest = address.starts_with(kHttpScheme) ? address.substr(std::strlen(kHttpScheme)) : address;
  if (const size_t slash = rest.find('/'); slash != rest.npos) {
    if (slash + 1 < rest.size()) place.path = rest.substr(slash);
    rest.resize(slash);
  }
  const size_t colon = rest.rfind(':');
  const bool has_port = colon != rest.npos && colon > 0 && is_port(std::string_view(rest).substr(colon + 1));
  if (!has_port) {
    fail(ErrorCode::kInvalidArgument, address, "expected HOST:PORT, http://HOST:PORT/PATH or unix:PATH");
  }
  place.host = rest.substr(0, colon);
  place.port = rest.substr(colon + 1);
  if (place.host.starts_with('[') && place.host.ends_with(']'))
    place.host = place.host.substr(1, place.host.size() - 2);
  return place;
}

// A socket that is closed automatically.
class Connection {
 public:
  Connection(int family, std::chrono::milliseconds wait) : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    timeval time = {};
    time.tv_sec = seconds.count();
    time.tv_usec = static_cast<suseconds_t>(std::chrono::microseconds(wait - seconds).count());
    for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) ::setsockopt(socket_, SOL_SOCKET, option, &time, sizeof time);
  }
  ~Connection() {
    if (socket_ >= 0) ::close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  int socket() const { return socket_; }

 private:
  int socket_;
};

bool connects(const Connection& connection, const sockaddr* to, socklen_t bytes) {
  return connection.socket() >= 0 && ::connect(connection.socket(), to, bytes) == 0;
}

std::string reason() { return errno == EAGAIN || errno == EINPROGRESS ? "no answer in time" : std::strerror(errno); }

std::unique_ptr<Connection> connect_to(const std::string& address, const Place& place, std::chrono::milliseconds wait) {
  if (!place.file.empty()) {
    auto connection = std::make_unique<Connection>(AF_UNIX, wait);
    sockaddr_un to = {};
    to.sun_family = AF_UNIX;
    std::copy(place.file.begin(), place.file.end(), to.sun_path);
    if (connects(*connection, reinterpret_cast<const sockaddr*>(&to), sizeof to)) return connection;
    fail(ErrorCode::kIo, address, reason());
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &found); error != 0) {
    fail(ErrorCode::kIo, address, ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    auto connection = std::make_unique<Connection>(one->ai_family, wait);
    if (connects(*connection, one->ai_addr, one->ai_addrlen)) return connection;
  }
  fail(ErrorCode::kIo, address, reason());
}

}  // namespace

int status_of(const std::string& address, std::chrono::milliseconds wait) {
  const Place place = place_of(address);
  const std::unique_ptr<Connection> connection = connect_to(address, place, wait);
  const std::string request = "GET " + place.path + " HTTP/1.1\r\nHost: " +
                              (place.file.empty() ? place.host + ":" + place.port : std::string("localhost")) +
                              "\r\nConnection: close\r\n\r\n";
  if (::send(connection->socket(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    fail(ErrorCode::kIo, address, reason());
  }
  // "HTTP/1.1 200": the place of the status.
  constexpr size_t kStatus = 9, kEnd = kStatus + 3;
  std::string answer;
  while (answer.size() < kEnd) {
    std::array<char, 64> bytes = {};
    const ssize_t read = ::recv(connection->socket(), bytes.data(), bytes.size(), 0);
    if (read < 0) fail(ErrorCode::kIo, address, reason());
    if (read == 0) break;
    answer.append(bytes.data(), static_cast<size_t>(read));
  }
  int status = 0;
  if (answer.size() >= kEnd && answer.starts_with("HTTP/1.")) {
    std::from_chars(answer.data() + kStatus, answer.data() + kEnd, status);
  }
  if (status < 100) fail(ErrorCode::kIo, address, "the answer is not one of HTTP");
  return status;
}

}  // namespace bert::server
