#include "tokenizer/family.h"

#include <algorithm>

namespace bert {

const TokenizerFamily* TokenizerFamilies::find(const std::function<bool(const NamedTokenizer&)>& matches) const {
  const auto found = std::find_if(families_.begin(), families_.end(), matches);
  return found == families_.end() ? nullptr : found->family;
}

const TokenizerFamily* TokenizerFamilies::of_class(std::string_view tokenizer_class) const {
  if (tokenizer_class.ends_with("Fast")) tokenizer_class.remove_suffix(4);
  constexpr std::string_view kEnding = "Tokenizer";
  if (!tokenizer_class.ends_with(kEnding)) return nullptr;
  const std::string_view prefix = tokenizer_class.substr(0, tokenizer_class.size() - kEnding.size());
  return find([&](const NamedTokenizer& named) {
    const auto& same = named.family->same_classes;
    return named.class_prefix == prefix || std::find(same.begin(), same.end(), prefix) != same.end();
  });
}

const TokenizerFamily* TokenizerFamilies::of_model(std::string_view model_type) const {
  return find([&](const NamedTokenizer& named) { return named.model_type == model_type; });
}

const TokenizerFamily* TokenizerFamilies::usual(TokenizerFiles files) const {
  return find([&](const NamedTokenizer& named) { return named.family->usual && named.family->files == files; });
}

const TokenizerFamily* TokenizerFamilies::of_processing(std::string_view component) const {
  if (component.empty()) return nullptr;
  return find([&](const NamedTokenizer& named) { return named.family->processing == component; });
}

bool TokenizerFamilies::is_unsupported_class(std::string_view tokenizer_class) const {
  return std::any_of(unsupported_classes_.begin(), unsupported_classes_.end(),
                     [&](std::string_view beginning) { return tokenizer_class.starts_with(beginning); });
}

}  // namespace bert
