// User data in messages: quoted, on one line, control characters and broken UTF-8 escaped, cut when long.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bert {

// 'text' in single quotes, at most max_bytes of it.
std::string quote(std::string_view text, size_t max_bytes = 200);

// The same for a path, which is only useful whole.
inline std::string quote_path(std::string_view path) { return quote(path, 4096); }

// The text with control characters and bytes that are not UTF-8 as \xHH, so that it fits on one line of a terminal.
std::string one_line(std::string_view text);

// one_line(text), cut after max_bytes of the original at a character's border, with "…" where something was cut.
std::string excerpt(std::string_view text, size_t max_bytes);

}  // namespace bert
