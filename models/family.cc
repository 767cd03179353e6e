#include "models/family.h"

#include <algorithm>
#include <array>

namespace bert {
namespace {

// Families that are refused by their tokenizer's class: it has a vocab.txt as BERT's, and cuts words or puts a template
// around them in another way.
constexpr std::array<std::string_view, 7> kOtherClasses = {"BertJapanese", "RoFormer", "Funnel", "Splinter",
                                                           "ProphetNet",   "Tapas",    "RemBert"};

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

bool is_other_tokenizer(std::string_view tokenizer_class) {
  return std::any_of(kOtherClasses.begin(), kOtherClasses.end(),
                     [&](std::string_view other) { return tokenizer_class.starts_with(other); });
}

const TokenizerFamily* tokenizer_of_processing(std::string_view component) {
  if (component.empty()) return nullptr;
  return tokenizer_of(find([&](const Family& family) { return family.tokenizer.processing == component; }));
}

}  // namespace bert
