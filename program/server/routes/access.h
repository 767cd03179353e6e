// What a request's head says about where it comes from: the client, the host it is for, and the type of its body. Keeps
// web pages from using a server that is not theirs. Stateless; safe to call from many threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/server/http/message.h"

namespace bert::server {

// Throws ApiError (421) for a host whose name is not one of the server's: those of `allowed` ("*" is any), and at a
// loopback address the loopback's. Without `allowed`, other addresses take any host. Unix sockets always do.
void check_host(const HttpRequest& head, const std::vector<std::string>& allowed);

// The client's address, for the log: of the field that a proxy sets (of a list its last part, which the nearest proxy
// has added), else of the connection. field: in any case; "" for none.
std::string client_address(const HttpRequest& head, const std::string& field);

// Whether a Content-Type is application/json, with any parameters.
bool is_json(std::string_view content_type);

}  // namespace bert::server
