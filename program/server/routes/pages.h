// The server's pages for a browser: they have no script and load nothing from the network. Stateless.
#pragma once

#include <span>
#include <string_view>

#include "program/server/http/message.h"
#include "program/server/queue/model_set.h"
#include "program/server/routes/routes.h"

namespace bert::server {

// Returns true for a browser; false for a program that checks whether the server works.
bool accepts_html(const HttpRequest& request);

// Returns the page that lists what the server has, with links. are_shown: list the models, which a server with keys
// does only for clients with a key.
HttpResponse start_page(std::span<const ServedModelPtr> models, bool are_shown);

// Returns the page with each route and a command for it. host: the request's name for the server.
HttpResponse routes_page(std::span<const Route> routes, std::string_view host);

}  // namespace bert::server
