// The table of routes, the only place that names a path. A request's handler, the answers 404 and 405, and the OpenAPI
// document come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "program/server/routes/api.h"

namespace bert::server {

// kCompute: a handler that computes. kLookup: a handler with a small answer without computing. The others are the
// server's own.
enum class RouteKind { kCompute, kLookup, kStart, kHealth, kReady, kMetrics, kOpenApi, kDocs };

struct Route {
  const char* method;  // HEAD is treated as GET without a body
  const char* path;    // a final "*" stands for the rest
  RouteKind kind;
  ApiStyle style;  // of its errors
  HandlerResult (*handler)(const Call& call);
  const char* group;  // the API that it belongs to
  const char* summary;
  BodyForm request;           // of a POST's body
  const FieldType* response;  // null: not JSON
  const char* example;        // a body; "": none
  bool needs_key() const { return kind == RouteKind::kCompute || kind == RouteKind::kLookup; }
};

std::span<const Route> routes();

struct RouteMatch {
  const Route* route = nullptr;        // null: no route for this path and method
  std::string allowed;                 // methods of the path, "GET, POST"; empty: no such path
  std::string model;                   // of /models/NAME/…
  std::string parameter;               // the part for "*"
  ApiStyle style = ApiStyle::kOpenAi;  // for errors
};
RouteMatch match_route(std::string_view method, std::string_view path);

// Returns the OpenAPI 3.1 document of the table.
std::string openapi_document();

}  // namespace bert::server
