#include "tokenizer/special_tokens.h"

#include <algorithm>
#include <charconv>

namespace bert {
namespace {

AddedToken raw_special(std::string content, bool takes_space = false) {
  AddedToken token;
  token.content = std::move(content);
  token.lstrip = takes_space;
  token.special = true;
  return token;
}

void sort_by_id(std::vector<ListedToken>& tokens) {
  std::stable_sort(tokens.begin(), tokens.end(),
                   [](const ListedToken& a, const ListedToken& b) { return a.id.value_or(0) < b.id.value_or(0); });
}

// A string, or an object with "content". takes_space: the space before it, where a string does not say.
AddedToken read_special(const JsonObject& owner, const std::string& key, Json value, bool takes_space = false) {
  if (value.is_string()) return raw_special(std::string(value.string()), takes_space);
  if (!value.is_object()) owner.refuse(key, "a string or an object with content");
  AddedToken token = read_added_token({value, owner.source(), owner.name(key)}, true);
  token.special = true;
  return token;
}

}  // namespace

AddedToken read_added_token(const JsonObject& object, bool special_by_default) {
  AddedToken token;
  token.content = object.required_string("content");
  token.single_word = object.nullable_boolean("single_word").value_or(false);
  token.lstrip = object.nullable_boolean("lstrip").value_or(false);
  token.rstrip = object.nullable_boolean("rstrip").value_or(false);
  token.special = object.nullable_boolean("special").value_or(special_by_default);
  token.normalized = object.nullable_boolean("normalized").value_or(!token.special);
  return token;
}

std::vector<ListedToken> read_added_tokens_decoder(const JsonObject& config) {
  std::vector<ListedToken> tokens;
  const auto decoder = config.nullable_object("added_tokens_decoder");
  if (!decoder) return tokens;
  for (const auto& [key, value] : decoder->json().members()) {
    uint64_t id = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error != std::errc() || end != key.data() + key.size()) decoder->refuse(key, "a decimal id as the key");
    tokens.push_back({read_added_token({value, decoder->source(), decoder->name(key)}, false), id});
  }
  sort_by_id(tokens);
  return tokens;
}

SpecialTokens SpecialTokens::of(const TokenizerFamily& family) {
  const auto token = [](std::string_view content) { return raw_special(std::string(content)); };
  SpecialTokens result;
  result.unknown = token(family.unknown);
  result.separator = token(family.separator);
  result.padding = token(family.padding);
  result.classifier = token(family.classifier);
  result.mask = raw_special(std::string(family.mask), family.mask_takes_space);
  result.mask_takes_space = family.mask_takes_space;
  for (const std::string_view content : family.additional) result.additional.push_back(token(content));
  return result;
}

void SpecialTokens::read(const JsonObject& object) {
  const auto take = [&](const std::string& key, AddedToken& token, bool takes_space = false) {
    if (const auto value = object.nullable(key)) token = read_special(object, key, *value, takes_space);
  };
  take("unk_token", unknown);
  take("sep_token", separator);
  take("pad_token", padding);
  take("cls_token", classifier);
  take("mask_token", mask, mask_takes_space);
  const std::string key = "additional_special_tokens";
  if (!object.nullable(key)) return;
  additional.clear();
  for (const Json value : object.required_array(key)) additional.push_back(read_special(object, key, value));
}

bool SpecialTokens::names(std::string_view content) const {
  const auto all = in_order();
  return std::any_of(all.begin(), all.end(), [&](const AddedToken& token) { return token.content == content; });
}

std::vector<AddedToken> SpecialTokens::in_order() const {
  std::vector<AddedToken> all = {unknown, separator, padding, classifier, mask};
  all.insert(all.end(), additional.begin(), additional.end());
  return all;
}

std::vector<ListedToken> read_added_tokens_file(const JsonObject& file, const SpecialTokens& special) {
  std::vector<ListedToken> tokens;
  for (const auto& [content, value] : file.json().members()) {
    const auto id = value.unsigned_integer();
    if (!id) file.refuse(content, "an id");
    AddedToken token;
    token.content = content;
    token.special = special.names(content);
    token.normalized = !token.special;
    tokens.push_back({token, *id});
  }
  sort_by_id(tokens);
  return tokens;
}

}  // namespace bert
