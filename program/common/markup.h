// Escapes text for HTML and SVG. Stateless.
#pragma once

#include <string>
#include <string_view>

namespace bert::common {

// Returns the text with &, <, > and double quotes escaped.
std::string escaped(std::string_view text);

}  // namespace bert::common
