// An asynchronous HTTP/1.1 server: one thread, any number of connections. Requests of a connection are answered one at
// a time, in their order. Only server.cc and session.* include Boost, because it compiles slowly.
//
// A client that closes its connection, or its sending half, before the answer has left: its request is abandoned.
//
// What a handler throws, and an allocation that fails, ends the one connection that it is for. The server goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "tools/server/http/message.h"

namespace bert::server {

struct HttpLimits {
  using Time = std::chrono::milliseconds;
  size_t header_bytes = 16 * 1024;
  size_t body_bytes = 2'000'000;
  size_t all_bodies_bytes = 256 * 1024 * 1024;  // of the bodies that are in memory, of all connections (MemoryBudget)
  size_t connections = 16'384;  // a further one takes the place of the one that is idle longest, or else waits
  Time header_time = std::chrono::seconds(10);
  Time body_time = std::chrono::seconds(30);
  Time write_time = std::chrono::seconds(60);
  Time idle_time = std::chrono::seconds(75);
};

// Called by the server's thread, so every call must be short.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Called with the head of a request: an answer refuses it without its body.
  virtual std::optional<HttpResponse> refuse(const HttpRequest& head) = 0;
  // Called with the whole request; answers now or later.
  virtual void handle(std::shared_ptr<HttpExchange> exchange) = 0;
  // The answer to a request that never becomes whole: 400 (not HTTP), 408 (too slow), 413 or 431 (too large), 429 (too
  // many bodies at once), 501 (an unknown transfer coding), 503 (no memory). head: without method and path if it was
  // not read.
  virtual HttpResponse fault(int status, const HttpRequest& head, const std::string& message) = 0;
  virtual void connections_changed(size_t connections) = 0;
  // Called when all that had come is handled, before the thread waits. Nothing is read until it returns.
  virtual void caught_up() {}
};

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
