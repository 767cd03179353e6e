// The fields of a body that its route ignores. Stateless; safe to call from many threads.
#pragma once

#include <string>

#include "program/server/routes/routes.h"

namespace bert::server {

// Returns their names for a header: at most 16, with "?" for names that are not ASCII. Throws ApiError for a field of
// the published schema of the route's API, or of another server with the same route, that would change the answer.
std::string ignored_fields(const Route& route, const Json& body);

}  // namespace bert::server
