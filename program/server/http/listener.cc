#include "program/server/http/listener.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "bert/error.h"

namespace bert::server {
namespace {

constexpr int kBacklog = 4096;
constexpr std::string_view kUnix = "unix:";
constexpr int kFirstPassed = 3;  // the first of systemd's sockets

[[noreturn]] void fail(const std::string& address, const std::string& reason) {
  throw Error(ErrorCode::kIo, "cannot listen at '" + address + "': " + reason);
}

int listen_at_path(const std::string& address) {
  const std::string path = address.substr(kUnix.size());
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(name.sun_path)) {
    fail(address, "the path has " + std::to_string(path.size()) + " bytes, expected 1 to " +
                      std::to_string(sizeof(name.sun_path) - 1));
  }
  std::memcpy(name.sun_path, path.data(), path.size());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) fail(address, std::strerror(errno));
  const auto* where = reinterpret_cast<const sockaddr*>(&name);
  struct stat status = {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) {
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool answers = probe >= 0 && ::connect(probe, where, sizeof(name)) == 0;
    if (probe >= 0) ::close(probe);
    if (answers) {
      ::close(socket);
      fail(address, "another server listens there");
    }
    ::unlink(path.c_str());
  }
  if (::bind(socket, where, sizeof(name)) != 0 || ::listen(socket, kBacklog) != 0) {
    const int error = errno;
    ::close(socket);
    fail(address, std::strerror(error));
  }
  return socket;
}

int number_of(const char* variable) {
  const char* text = std::getenv(variable);
  int value = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), value);
  return value;
}

}  // namespace

bool is_port(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size();
}

int listen_at(const std::string& address) {
  if (address.starts_with(kUnix)) return listen_at_path(address);
  const size_t colon = address.rfind(':');
  if (colon == address.npos || colon == 0) fail(address, "expected HOST:PORT or unix:PATH");
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (!is_port(address.substr(colon + 1))) fail(address, "expected a port from 0 to 65535");
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found); error != 0) {
    fail(address, ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  int error = 0;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const int socket = ::socket(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket < 0) {
      error = errno;
      continue;
    }
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (::bind(socket, one->ai_addr, one->ai_addrlen) == 0 && ::listen(socket, kBacklog) == 0) return socket;
    error = errno;
    ::close(socket);
  }
  fail(address, std::strerror(error));
}

std::vector<int> systemd_sockets() {
  std::vector<int> sockets;
  if (number_of("LISTEN_PID") != ::getpid()) return sockets;
  for (int i = 0; i < number_of("LISTEN_FDS"); ++i) {
    const int socket = kFirstPassed + i;
    int listens = 0, type = 0;
    socklen_t size = sizeof(listens);
    const bool is_socket = ::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 &&
                           ::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
    if (!is_socket || listens == 0 || type != SOCK_STREAM) {
      throw Error(ErrorCode::kIo, "descriptor " + std::to_string(socket) + " of LISTEN_FDS: " +
                                      (!is_socket ? std::strerror(errno) : "another kind of socket") +
                                      ", expected a listening stream socket");
    }
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
    sockets.push_back(socket);
  }
  return sockets;
}

std::string address_of(int socket) {
  sockaddr_storage name = {};
  socklen_t size = sizeof(name);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return "?";
  if (name.ss_family == AF_UNIX) {
    sockaddr_un path = {};
    std::memcpy(&path, &name, std::min<size_t>(size, sizeof(path)));
    return std::string(kUnix) + std::string(path.sun_path, ::strnlen(path.sun_path, sizeof(path.sun_path)));
  }
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&name), size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  const std::string shown = host;
  return (shown.find(':') == shown.npos ? shown : "[" + shown + "]") + ":" + port;
}

void SocketFiles::add(const std::string& address) {
  if (!address.starts_with(kUnix)) return;
  File file = {.path = address.substr(kUnix.size())};
  struct stat status = {};
  if (::lstat(file.path.c_str(), &status) != 0) return;
  file.device = status.st_dev;
  file.inode = status.st_ino;
  file.made = status.st_mtim;
  const std::lock_guard<std::mutex> lock(mutex_);
  files_.push_back(std::move(file));
}

void SocketFiles::remove() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const File& file : files_) {
    struct stat status = {};
    if (::lstat(file.path.c_str(), &status) != 0 || status.st_dev != file.device || status.st_ino != file.inode)
      continue;
    if (status.st_mtim.tv_sec != file.made.tv_sec || status.st_mtim.tv_nsec != file.made.tv_nsec) continue;
    ::unlink(file.path.c_str());
  }
  files_.clear();
}

}  // namespace bert::server
