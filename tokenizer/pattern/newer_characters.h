// Oniguruma's version determines its Unicode version, which is 14 in Debian 12; the reference has Unicode 16. An
// expression is rewritten so that it treats newer characters as the reference does. Stateless; safe to call from many
// threads.
#pragma once

#include <string>
#include <string_view>

namespace bert {

// Adds the characters that Unicode 15 and 16 added to each general category (\p{L}, \P{Lowercase_Letter}, \p{^Nd}), to
// \w, \d, \b and POSIX brackets. Throws Error(kUnsupported), which names `place`, for a property whose newer characters
// are unknown, such as a script.
std::string with_newer_characters(std::string_view expression, std::string_view place);

}  // namespace bert
