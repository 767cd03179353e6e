#include "program/server/monitor_service.h"

#include <utility>

namespace bert::server {

std::optional<HttpResponse> MonitorService::refuse(const HttpRequest& head) {
  const RouteMatch match = match_route(head.method, head.path);
  if (match.route != nullptr && !match.route->needs_key()) return std::nullopt;
  return service_.refused(head, match.style, {Fault::kNotFound, "this address has /health, /ready and /metrics"});
}

void MonitorService::handle(std::shared_ptr<HttpExchange> exchange) { service_.handle(std::move(exchange)); }

}  // namespace bert::server
