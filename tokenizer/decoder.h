// The decoder: tokens back to text. Source: Hugging Face tokenizers 0.22.2, decoders/wordpiece.
// Plain data; any number of threads may use one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bert {

struct Decoder {
  bool wordpiece = true;  // false: tokens joined by spaces
  std::string prefix = "##";
  bool cleanup = true;  // no space before . , ? ! and English contractions, token by token

  // Appends the token; index: how many came before it.
  void append(std::string& text, std::string_view token, size_t index) const;
};

}  // namespace bert
