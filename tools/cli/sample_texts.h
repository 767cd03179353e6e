// The program's own texts, for comparing models without texts of the user's.
#pragma once

#include <span>
#include <string_view>

namespace bert::cli {

// A hundred English sentences, ten on each of ten subjects.
std::span<const std::string_view> sample_texts();

}  // namespace bert::cli
