// The program's own texts, for comparing and describing models without texts of the user.
#pragma once

#include <span>
#include <string_view>

namespace bert::drawings {

// Returns a hundred English sentences, ten on each of ten subjects.
std::span<const std::string_view> sample_texts();

// Two sentences, for uses that need a pair.
inline constexpr const char* kSamplePair[] = {"The dog saw a fox.", "It barked at the fox."};

}  // namespace bert::drawings
