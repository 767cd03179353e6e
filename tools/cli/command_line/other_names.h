// Words that other programs have for what this one does, or that people try. Stateless.
#pragma once

#include <string>
#include <string_view>

namespace bert::cli {

// What to write in place of such a word, or that this program does not do it; "" for any other word.
std::string instead_of(std::string_view word);

}  // namespace bert::cli
