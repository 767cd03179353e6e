#include "models/family.h"

namespace bert {
namespace {

template <typename Is>
const Family* find(const Is& is) {
  for (const Family* family : families()) {
    if (is(*family)) return family;
  }
  return nullptr;
}

const TokenizerFamily* tokenizer_of(const Family* family) { return family == nullptr ? nullptr : &family->tokenizer; }

}  // namespace

std::span<const Family* const> families() {
#define BERT_FAMILY(name) &name##_family(),
  static const Family* const all[] = {
#include "families.inc"
  };
#undef BERT_FAMILY
  return all;
}

const Family* find_family(std::string_view model_type) {
  return find([&](const Family& family) { return family.model_type == model_type; });
}

std::span<const TokenizerFamily* const> tokenizer_families() {
  static const std::vector<const TokenizerFamily*> all = [] {
    std::vector<const TokenizerFamily*> result;
    for (const Family* family : families()) result.push_back(&family->tokenizer);
    return result;
  }();
  return all;
}

const TokenizerFamily* tokenizer_of_class(std::string_view tokenizer_class) {
  return tokenizer_of(find([&](const Family& family) {
    const std::string slow = std::string(family.class_prefix) + "Tokenizer";
    return tokenizer_class == slow || tokenizer_class == slow + "Fast";
  }));
}

const TokenizerFamily* tokenizer_of_model(std::string_view model_type) { return tokenizer_of(find_family(model_type)); }

const TokenizerFamily* usual_tokenizer(TokenizerFiles files) {
  return tokenizer_of(
      find([&](const Family& family) { return family.tokenizer.usual && family.tokenizer.files == files; }));
}

const TokenizerFamily* tokenizer_of_processing(std::string_view component) {
  if (component.empty()) return nullptr;
  return tokenizer_of(find([&](const Family& family) { return family.tokenizer.processing == component; }));
}

}  // namespace bert
