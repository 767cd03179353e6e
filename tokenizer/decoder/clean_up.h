// The clean-up of decoded text: no spaces before punctuation and in English contractions. Stateless.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bert {

// The library whose rules apply. transformers cleans the whole text (clean_up_tokenization_spaces), tokenizers'
// WordPiece decoder each token, and shortens "do not" too.
enum class CleanUp : uint8_t { kTransformers, kTokenizers };

std::string clean_up_spaces(std::string text, CleanUp rules);

// Replaces each `from`, left to right; an empty one is nowhere.
void replace_all(std::string& text, std::string_view from, std::string_view to);

}  // namespace bert
