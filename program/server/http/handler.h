// The arguments of an HttpServer: the limits of its connections, and the handler of their requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "program/server/http/message.h"

namespace bert::server {

struct HttpLimits {
  using Time = std::chrono::milliseconds;
  size_t header_bytes = 16 * 1024;
  size_t body_bytes = 2'000'000;
  size_t all_bodies_bytes = 256 * 1024 * 1024;  // bodies in memory, of all connections (MemoryBudget)
  size_t connections = 16'384;                  // a further one replaces the one that is idle longest, or else waits
  Time header_time = std::chrono::seconds(10);
  Time body_time = std::chrono::seconds(30);
  Time write_time = std::chrono::seconds(60);
  Time idle_time = std::chrono::seconds(75);
};

// Called by the server's thread, so every call must be short.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Called with the head of a request; an answer rejects the request without reading its body.
  virtual std::optional<HttpResponse> refuse(const HttpRequest& head) = 0;
  // Called with the whole request; answers now or later.
  virtual void handle(std::shared_ptr<HttpExchange> exchange) = 0;
  // Returns the answer to a request that never becomes complete: 400 (not HTTP), 408 (too slow), 413 or 431 (too
  // large), 429 (too many bodies at once), 501 (an unknown transfer coding), 503 (no memory). head: without method and
  // path if they were not read.
  virtual HttpResponse fault(int status, const HttpRequest& head, const std::string& message) = 0;
  virtual void connections_changed(size_t connections) = 0;
  // Called when everything that arrived is handled, before the thread waits. Nothing is read until it returns.
  virtual void caught_up() {}
};

}  // namespace bert::server
