// Text in HTML and SVG. Stateless.
#pragma once

#include <string>
#include <string_view>

namespace bert::common {

// The text with &, <, > and double quotes escaped.
std::string escaped(std::string_view text);

}  // namespace bert::common
