#include "tests/program/server/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace bert::test {
namespace {

// Returns 0, or the error number if the connection fails. After a signal, calling connect again continues the attempt.
int connect_to(int socket, const sockaddr_storage& name, socklen_t size) {
  while (::connect(socket, reinterpret_cast<const sockaddr*>(&name), size) != 0) {
    if (errno == EISCONN) return 0;
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

RawClient::RawClient(const std::string& address) {
  sockaddr_storage name = {};
  socklen_t size = 0;
  if (address.starts_with("unix:")) {
    auto* path = reinterpret_cast<sockaddr_un*>(&name);
    path->sun_family = AF_UNIX;
    std::strncpy(path->sun_path, address.c_str() + 5, sizeof(path->sun_path) - 1);
    size = sizeof(*path);
  } else {
    auto* host = reinterpret_cast<sockaddr_in*>(&name);
    const size_t colon = address.rfind(':');
    host->sin_family = AF_INET;
    host->sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(colon + 1))));
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &host->sin_addr);
    size = sizeof(*host);
  }
  socket_ = ::socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval minute = {.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof(minute));
  if (const int error = connect_to(socket_, name, size); error != 0) {
    ::close(socket_);
    throw std::runtime_error("cannot connect to " + address + ": " + std::strerror(error));
  }
}

RawClient::~RawClient() {
  if (socket_ >= 0) ::close(socket_);
}

void RawClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // the server has closed; a later read shows that
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void RawClient::close_sending() const { ::shutdown(socket_, SHUT_WR); }

void RawClient::reset() {
  const linger now = {.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  ::close(socket_);
  socket_ = -1;
}

bool RawClient::receive() {
  char bytes[4096];
  ssize_t got = 0;
  do got = ::recv(socket_, bytes, sizeof(bytes), 0);
  while (got < 0 && errno == EINTR);
  if (got > 0) received_.append(bytes, static_cast<size_t>(got));
  return got > 0;
}

std::string RawClient::read_answer() {
  while (true) {
    const size_t header = received_.find("\r\n\r\n");
    if (header != received_.npos) {
      const size_t field = received_.find("Content-Length: ");
      const size_t length = field < header ? std::stoul(received_.substr(field + 16)) : 0;
      const size_t whole = header + 4 + length;
      if (received_.size() >= whole) {
        std::string answer = received_.substr(0, whole);
        received_.erase(0, whole);
        return answer;
      }
    }
    if (!receive()) return "";
  }
}

std::string RawClient::read_all() {
  while (receive()) {
  }
  return std::exchange(received_, "");
}

}  // namespace bert::test
