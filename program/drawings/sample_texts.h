// The program's own texts, for comparing and describing models without texts of the user's.
#pragma once

#include <span>
#include <string_view>

namespace bert::drawings {

// A hundred English sentences, ten on each of ten subjects.
std::span<const std::string_view> sample_texts();

// Two sentences, for what needs a pair.
inline constexpr const char* kSamplePair[] = {"The dog saw a fox.", "It barked at the fox."};

}  // namespace bert::drawings
