// The clean-up of a decoded text that clean_up_tokenization_spaces of tokenizer_config.json asks for. Stateless.
#pragma once

#include <string>

namespace bert {

// Removes spaces before punctuation and in English contractions, in the whole text.
std::string clean_up_spaces(std::string text);

}  // namespace bert
