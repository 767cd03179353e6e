// Identifiers of requests. Safe to call from many threads.
#pragma once

#include <string>
#include <string_view>

namespace bert::server {

// Returns a random UUID (RFC 9562, version 4). Not for secrets.
std::string random_uuid();

// Returns whether the text is a "traceparent" of W3C's Trace Context, version 00, which can be logged and returned.
bool is_traceparent(std::string_view text);

}  // namespace bert::server
