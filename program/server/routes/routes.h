// The table of routes: the only place that names a path. Finding a request's handler, the answers 404 and 405, and the
// OpenAPI document all come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "program/server/routes/api.h"

namespace bert::server {

// kCompute: by its handler. kLookup: the same, without computing, and small. The others are the server's own.
enum class RouteKind { kCompute, kLookup, kStart, kHealth, kReady, kMetrics, kOpenApi, kDocs };

struct Route {
  const char* method;  // HEAD is GET without a body
  const char* path;    // a last "*" stands for the rest
  RouteKind kind;
  ApiStyle style;  // of its errors
  HandlerResult (*handler)(const Call& call);
  const char* group;  // whose API it is
  const char* summary;
  BodyForm request;           // of a POST's body
  const FieldType* response;  // null: no JSON
  const char* example;        // a body; "" for none
  bool needs_key() const { return kind == RouteKind::kCompute || kind == RouteKind::kLookup; }
};

std::span<const Route> routes();

struct RouteMatch {
  const Route* route = nullptr;        // null: none for this path and method
  std::string allowed;                 // methods of the path, "GET, POST"; empty: no such path
  std::string model;                   // of /models/NAME/…
  std::string parameter;               // in place of "*"
  ApiStyle style = ApiStyle::kOpenAi;  // for an error
};
RouteMatch match_route(std::string_view method, std::string_view path);

// The OpenAPI 3.1 document of the table.
std::string openapi_document();

}  // namespace bert::server
