// The fields of a body that its route does not read. Stateless; safe to call from many threads.
#pragma once

#include <string>

#include "program/server/routes/routes.h"

namespace bert::server {

// Their names, as a header may have them: at most 16, and "?" for what is not ASCII. Throws ApiError for one that is in
// the published schema of the route's API, or of a server with the same route, and that would change the answer.
std::string ignored_fields(const Route& route, const Json& body);

}  // namespace bert::server
