// Words of other programs for what this program does, words that people try, and mistyped ones. Stateless.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bert::cli {

// Returns an option's name in the help for -m and other common names; other options are returned unchanged.
std::string full_name(std::string_view option);

// Returns what to write instead of such a word, or that this program cannot do it; "" for any other word.
std::string instead_of(std::string_view word);

// Returns what to write instead of an option that a command had under another name; "" for any other option.
std::string instead_of_option(std::string_view command, std::string_view option);

// Suggests which word was meant by a mistyped one: returns the candidate with the fewest edits (a letter inserted,
// removed or replaced, or two neighbours swapped): at most one edit for words of three letters or more, two for six or
// more. nullopt if no candidate is that near, or if the word is a candidate.
std::optional<std::string> suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace bert::cli
