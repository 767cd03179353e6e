// What a mistyped word was probably meant to be. Stateless.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bert::cli {

// The candidate that is the fewest edits away (a letter more, less, another, or two neighbours swapped): one edit from
// three letters on, two from six on. nullopt if none is so near, or the word is a candidate itself.
std::optional<std::string> suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace bert::cli
