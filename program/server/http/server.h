// An asynchronous HTTP/1.1 server: one thread, any number of connections. Requests of a connection are answered one at
// a time, in their order. Only server.cc and session.* include Boost, because it compiles slowly.
//
// A client that closes its connection, or its sending half, before the answer has left: its request is abandoned.
//
// What a handler throws, and an allocation that fails, ends the one connection that it is for. The server goes on.
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

  // Accepts connections of a listening socket, which the server then owns. Before run().
  void listen(int listening_socket);
  // Serves until drain() or stop() has its effect.
  void run();
  // From any thread, and needs no memory. Accepts no more connections, closes idle ones, answers the requests that have
  // begun; then run() returns.
  void drain();
  // From any thread. Closes every connection; then run() returns.
  void stop();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace bert::server
