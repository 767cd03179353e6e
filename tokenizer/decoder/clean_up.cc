#include "tokenizer/decoder/clean_up.h"

#include <array>

namespace bert {
namespace {

struct Rule {
  std::string_view from, to;
  bool tokenizers_only = false;
};

// In the order of both libraries; each rule is applied to the result of the previous one.
constexpr std::array<Rule, 11> kRules = {{{" .", "."},
                                          {" ?", "?"},
                                          {" !", "!"},
                                          {" ,", ","},
                                          {" ' ", "'"},
                                          {" n't", "n't"},
                                          {" 'm", "'m"},
                                          {" do not", " don't", true},
                                          {" 's", "'s"},
                                          {" 've", "'ve"},
                                          {" 're", "'re"}}};

}  // namespace

std::string clean_up_spaces(std::string text, CleanUp rules) {
  for (const Rule& rule : kRules) {
    if (!rule.tokenizers_only || rules == CleanUp::kTokenizers) replace_all(text, rule.from, rule.to);
  }
  return text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t at = from.empty() ? std::string::npos : text.find(from);
  if (at == std::string::npos) return;
  std::string result;
  size_t copied = 0;
  for (; at != std::string::npos; at = text.find(from, copied)) {
    result.append(text, copied, at - copied).append(to);
    copied = at + from.size();
  }
  text = result.append(text, copied);
}

}  // namespace bert
