// Listening sockets: of a host and a port, of a path, or from systemd. Stateless.
#pragma once

#include <string>
#include <vector>

namespace bert::server {

// Opens what `address` names, and returns its file descriptor: "HOST:PORT" ("[::1]:8080" for IPv6, port 0: any free
// one), "unix:PATH" (the socket of a server that has ended is replaced). Throws Error.
int listen_at(const std::string& address);

// The sockets that systemd passes (LISTEN_FDS, LISTEN_PID); empty if it passes none to this process.
std::vector<int> systemd_sockets();

// The socket's own address: "127.0.0.1:8080", "unix:PATH".
std::string address_of(int socket);

}  // namespace bert::server
