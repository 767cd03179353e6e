// The routes that need no key, for a separate address. Called by the thread of its HttpServer.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "program/server/service.h"

namespace bert::server {

// Serves only /health, /ready and /metrics of a service, for a separate address.
class MonitorService : public HttpHandler {
 public:
  explicit MonitorService(Service& service) : service_(service) {}
  std::optional<HttpResponse> refuse(const HttpRequest& head) override;
  void handle(std::shared_ptr<HttpExchange> exchange) override;
  HttpResponse fault(int status, const HttpRequest& head, const std::string& message) override {
    return service_.fault(status, head, message);
  }
  void connections_changed(size_t) override {}

 private:
  Service& service_;
};

}  // namespace bert::server
