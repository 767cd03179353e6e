#include "tokenizer/clean_up.h"

#include <array>
#include <string_view>
#include <utility>

namespace bert {
namespace {

// In the reference's order (clean_up_tokenization), each applied to the result of the previous one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kCleanUp = {{{" .", "."},
                                                                                     {" ?", "?"},
                                                                                     {" !", "!"},
                                                                                     {" ,", ","},
                                                                                     {" ' ", "'"},
                                                                                     {" n't", "n't"},
                                                                                     {" 'm", "'m"},
                                                                                     {" 's", "'s"},
                                                                                     {" 've", "'ve"},
                                                                                     {" 're", "'re"}}};

}  // namespace

std::string clean_up_spaces(std::string text) {
  for (const auto& [from, to] : kCleanUp) {
    std::string cleaned;
    size_t done = 0;
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, done)) {
      cleaned.append(text, done, at - done).append(to);
      done = at + from.size();
    }
    text = cleaned.append(text, done);
  }
  return text;
}

}  // namespace bert
