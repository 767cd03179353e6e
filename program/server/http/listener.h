// Listening sockets: for a host and a port, for a path, or from systemd. The functions are stateless.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bert::server {

// Returns whether the text is a number from 0 to 65535; getaddrinfo accepts others modulo 65536.
bool is_port(std::string_view text);

// Opens `address` and returns its file descriptor: "HOST:PORT" ("[::1]:8080" for IPv6, port 0: any free port), or
// "unix:PATH" (the socket of a server that has ended is replaced). Throws Error.
int listen_at(const std::string& address);

// Returns the sockets that systemd passes (LISTEN_FDS, LISTEN_PID); empty if it passes none to this process. Throws
// Error for a descriptor that is not a listening stream socket.
std::vector<int> systemd_sockets();

// Returns the socket's own address: "127.0.0.1:8080", "unix:PATH".
std::string address_of(int socket);

// The files of sockets that were opened by path. Safe to use from many threads.
class SocketFiles {
 public:
  // Call after listen_at(address). An address without a path has no file.
  void add(const std::string& address);
  // Removes the files, except one that another server has replaced.
  void remove() noexcept;

 private:
  struct File {
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
    timespec made = {};  // inode numbers are reused
  };
  std::mutex mutex_;
  std::vector<File> files_;
};

}  // namespace bert::server
