// Quotes user data for messages: on one line, with control characters and invalid UTF-8 escaped, truncated if long.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bert {

// Returns the text in single quotes, at most max_bytes of it.
std::string quote(std::string_view text, size_t max_bytes = 200);

// Returns a path in single quotes; it is never truncated.
inline std::string quote_path(std::string_view path) { return quote(path, 4096); }

// Returns the text on one line, with control characters and invalid UTF-8 as \xHH.
std::string one_line(std::string_view text);

// Returns one_line(text), truncated to max_bytes of the original at a character boundary and then marked with "…".
std::string excerpt(std::string_view text, size_t max_bytes);

}  // namespace bert
