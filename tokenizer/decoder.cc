#include "tokenizer/decoder.h"

#include <array>
#include <utility>

namespace bert {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// In the reference's order, each over the outcome of those before it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kCleanup = {{{" .", "."},
                                                                                     {" ?", "?"},
                                                                                     {" !", "!"},
                                                                                     {" ,", ","},
                                                                                     {" ' ", "'"},
                                                                                     {" n't", "n't"},
                                                                                     {" 'm", "'m"},
                                                                                     {" do not", " don't"},
                                                                                     {" 's", "'s"},
                                                                                     {" 've", "'ve"},
                                                                                     {" 're", "'re"}}};

}  // namespace

void Decoder::append(std::string& text, std::string_view token, size_t index) const {
  if (!wordpiece) {
    if (index > 0) text += ' ';
    text += token;
    return;
  }
  std::string part;
  if (index == 0) {
    part = token;
  } else if (token.starts_with(prefix)) {
    part = token.substr(prefix.size());
  } else {
    part.append(1, ' ').append(token);
  }
  if (cleanup) {
    for (const auto& [from, to] : kCleanup) replace_all(part, from, to);
  }
  text += part;
}

}  // namespace bert
