// Words that other programs have for what this one does, or that people try. Stateless.
#pragma once

#include <string>
#include <string_view>

namespace bert::cli {

// Of an option: -m and other names that people use are as in the help; every other is itself.
std::string full_name(std::string_view option);

// What to write in place of such a word, or that this program does not do it; "" for any other word.
std::string instead_of(std::string_view word);

// The same for an option that a command had under another name.
std::string instead_of_option(std::string_view command, std::string_view option);

}  // namespace bert::cli
