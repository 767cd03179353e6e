// Words of other programs for what this program does, and words that people try. Stateless.
#pragma once

#include <string>
#include <string_view>

namespace bert::cli {

// Returns an option's name in the help for -m and other common names; other options are returned unchanged.
std::string full_name(std::string_view option);

// Returns what to write instead of such a word, or that this program cannot do it; "" for any other word.
std::string instead_of(std::string_view word);

// Returns what to write instead of an option that a command had under another name; "" for any other option.
std::string instead_of_option(std::string_view command, std::string_view option);

}  // namespace bert::cli
