// Suggests which word was meant by a mistyped one. Stateless.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bert::cli {

// Returns the candidate with the fewest edits (a letter inserted, removed or replaced, or two neighbours swapped): at
// most one edit for words of three letters or more, two for six or more. nullopt if no candidate is that near, or if
// the word is a candidate.
std::optional<std::string> suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace bert::cli
