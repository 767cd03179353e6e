#include "program/server/routes/pages.h"

#include <initializer_list>
#include <string>

#include "program/common/markup.h"

namespace bert::server {
namespace {

using common::escaped;

constexpr std::string_view kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "table{border-collapse:collapse}th,td{text-align:left;padding:.2rem 1.5rem .2rem 0}"
    "pre{overflow-x:auto;padding:.5rem;border:1px solid #8888}h3{margin-bottom:0}";

// Returns a page; the title is also its heading.
HttpResponse html_page(const std::string& title, const std::string& body) {
  HttpResponse response{.content_type = "text/html; charset=utf-8"};
  response.body.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
      .append(title)
      .append(
          "</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n")
      .append("<style>")
      .append(kStyle)
      .append("</style>\n</head>\n<body>\n<h1>")
      .append(title)
      .append("</h1>\n")
      .append(body)
      .append("</body>\n</html>\n");
  response.fields = {{"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:"},
                     {"X-Content-Type-Options", "nosniff"}};
  return response;
}

std::string row(std::string_view tag, std::initializer_list<std::string> cells) {
  std::string text = "<tr>";
  for (const std::string& cell : cells) text.append("<").append(tag).append(">").append(escaped(cell));
  return text + "\n";
}

// Quotes text for a shell, in single quotes.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// Returns the path with NAME for the part that a request chooses.
std::string path_of(const Route& route) {
  const std::string path = route.path;
  return path.ends_with('*') ? path.substr(0, path.size() - 1) + "NAME" : path;
}

std::string command(const Route& route, std::string_view host) {
  std::string line = "curl http://" + std::string(host) + path_of(route);
  if (*route.example == '\0') return line;
  return line + " \\\n  -H 'content-type: application/json' -d " + quoted(route.example);
}

}  // namespace

bool accepts_html(const HttpRequest& request) { return request.field("accept").find("text/html") != std::string::npos; }

HttpResponse start_page(std::span<const ServedModelPtr> models, bool are_shown) {
  std::string body;
  if (are_shown) {
    body += "<table>\n" + row("th", {"model", "kind", "precision", "dimensions", "tokens at most"});
    for (const ServedModelPtr& served : models) {
      body += row("td", {served->source.name, std::string(name(served->kind)), served->precision,
                         served->kind == ModelKind::kEmbedder ? std::to_string(served->model.embedding_size()) : "",
                         std::to_string(served->model.max_length())});
    }
    body += "</table>\n";
  } else {
    body += "<p>The models are at <code>/v1/models</code>, for who has a key.</p>\n";
  }
  body +=
      "<ul>\n<li><a href=\"docs\">The routes, with an example of each</a>\n"
      "<li><a href=\"api-doc/openapi.json\">The same as an OpenAPI document</a>\n"
      "<li><a href=\"metrics\">Metrics for Prometheus</a>\n<li><a href=\"ready\">Whether requests are welcome</a>\n"
      "</ul>\n";
  return html_page("bert-infer " + std::string(version()), body);
}

HttpResponse routes_page(std::span<const Route> routes, std::string_view host) {
  std::string body =
      "<p>A request names a model by its field <code>model</code> or by its path, "
      "<code>/models/NAME/embed</code>; else the first model of the kind that the route needs answers.</p>\n";
  std::string_view group;
  for (const Route& route : routes) {
    if (group != route.group) body.append("<h2>").append(group = route.group).append("</h2>\n");
    body += "<h3>" + std::string(route.method) + " " + escaped(path_of(route)) + "</h3>\n" + escaped(route.summary) +
            "<pre>" + escaped(command(route, host)) + "</pre>\n";
  }
  return html_page("Routes of bert-infer", body);
}

}  // namespace bert::server
