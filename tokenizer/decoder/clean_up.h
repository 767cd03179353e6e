// The clean-up of decoded text: no spaces before punctuation and in English contractions. Stateless.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bert {

// The library whose rules are applied. transformers cleans the whole text (clean_up_tokenization_spaces). tokenizers'
// WordPiece decoder cleans each token, and also shortens "do not".
enum class CleanUp : uint8_t { kTransformers, kTokenizers };

std::string clean_up_spaces(std::string text, CleanUp rules);

// Replaces each `from`, left to right; an empty `from` matches nothing.
void replace_all(std::string& text, std::string_view from, std::string_view to);

}  // namespace bert
