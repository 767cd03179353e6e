// The server's pages for a browser: no script, nothing from the network. Stateless.
#pragma once

#include <span>
#include <string_view>

#include "program/server/http/message.h"
#include "program/server/queue/model_set.h"
#include "program/server/routes/routes.h"

namespace bert::server {

// A browser does; what asks whether the server works does not.
bool accepts_html(const HttpRequest& request);

// What the server has, with links to the rest. are_shown: the models are, which a server with keys tells only who has
// one.
HttpResponse start_page(std::span<const ServedModelPtr> models, bool are_shown);

// Each route with a command that asks it. host: as the request names the server.
HttpResponse routes_page(std::span<const Route> routes, std::string_view host);

}  // namespace bert::server
