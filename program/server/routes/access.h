// Interprets a request's head: the client, the host of the request, and the type of its body. Prevents web pages from
// using a server that is not theirs. Stateless; safe to call from many threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/server/http/message.h"

namespace bert::server {

// Throws ApiError (421) for a host whose name is not one of the server's: those in `allowed` ("*" is any), and, at a
// loopback address, the loopback's names. If `allowed` is empty, other addresses accept any host. Unix sockets always
// do.
void check_host(const HttpRequest& head, const std::vector<std::string>& allowed);

// Returns the client's address for the log: from the field that a proxy sets (of a list the last part, which the
// nearest proxy added), else the connection's. field: its name, in upper or lower case; "": none.
std::string client_address(const HttpRequest& head, const std::string& field);

// Returns whether a Content-Type is application/json, with any parameters.
bool is_json(std::string_view content_type);

}  // namespace bert::server
