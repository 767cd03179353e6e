// Asks a running server whether it accepts requests, as a container's health check does. Stateless; safe to call from
// many threads.
#pragma once

#include <chrono>
#include <string>

namespace bert::server {

// Returns the status of the answer to GET; each step may take `wait`. address: "HOST:PORT", "http://HOST:PORT[/PATH]"
// or "unix:PATH"; the default of PATH is /ready. Throws Error: kInvalidArgument for any other address; kIo if the
// server cannot be reached, or does not answer.
int status_of(const std::string& address, std::chrono::milliseconds wait = std::chrono::seconds(5));

}  // namespace bert::server
