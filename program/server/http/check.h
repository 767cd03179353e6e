// Asks a running server whether it takes requests, as a container's health check does. Stateless; safe to call from
// many threads.
#pragma once

#include <chrono>
#include <string>

namespace bert::server {

// The status of the answer to GET, within `wait` for each step. address: "HOST:PORT", "http://HOST:PORT[/PATH]" or
// "unix:PATH"; without a path of HTTP /ready is asked for. Throws Error: kInvalidArgument for any other address; kIo if
// the server cannot be reached, or does not answer.
int status_of(const std::string& address, std::chrono::milliseconds wait = std::chrono::seconds(5));

}  // namespace bert::server
