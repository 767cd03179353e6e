// An asynchronous HTTP/1.1 server: one thread, any number of connections. The requests of a connection are answered one
// at a time, in order. Only server.cc and session.* include Boost, because it compiles slowly.
//
// If a client closes its connection, or its sending half, before the answer, its request is abandoned.
//
// An exception of a handler, or a failed allocation, ends only its own connection. The server continues.
#pragma once

#include <memory>

#include "program/server/http/handler.h"

namespace bert::server {

class HttpServer {
 public:
  HttpServer(HttpHandler& handler, const HttpLimits& limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Accepts connections of a listening socket, which the server then owns. Call it before run().
  void listen(int listening_socket);
  // Serves until drain() or stop() takes effect.
  void run();
  // May be called from any thread, and needs no memory. The server accepts no more connections, closes idle ones, and
  // answers the requests that have begun; then run() returns.
  void drain();
  // May be called from any thread. Closes every connection; then run() returns.
  void stop();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace bert::server
