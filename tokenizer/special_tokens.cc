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
AddedToken read_special(const JsonObject& owner, const std::string& key, const Json& value, bool takes_space = false) {
  if (value.is_string()) return raw_special(value.get<std::string>(), takes_space);
  if (!value.is_object()) owner.refuse(key, "a string or an object with content");
  AddedToken token = read_added_token({value, owner.source, owner.name(key)}, true);
  token.special = true;
  return token;
}

}  // namespace

AddedToken read_added_token(const JsonObject& object, bool special_by_default) {
  object.check();
  AddedToken token;
  token.content = object.required_string("content");
  token.single_word = object.bool_or("single_word", false);
  token.lstrip = object.bool_or("lstrip", false);
  token.rstrip = object.bool_or("rstrip", false);
  token.special = object.bool_or("special", special_by_default);
  token.normalized = object.bool_or("normalized", !token.special);
  return token;
}

std::vector<ListedToken> read_added_tokens_decoder(const JsonObject& config) {
  std::vector<ListedToken> tokens;
  if (!config.has("added_tokens_decoder") || config.json["added_tokens_decoder"].is_null()) return tokens;
  const JsonObject decoder = config.required_object("added_tokens_decoder");
  for (const auto& [key, value] : decoder.json.items()) {
    uint64_t id = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error != std::errc() || end != key.data() + key.size()) decoder.refuse(key, "a decimal id as the key");
    tokens.push_back({read_added_token({value, decoder.source, decoder.name(key)}, false), id});
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
  object.check();
  const auto take = [&](const std::string& key, AddedToken& token, bool takes_space = false) {
    const auto found = object.json.find(key);
    if (found != object.json.end() && !found->is_null()) token = read_special(object, key, *found, takes_space);
  };
  take("unk_token", unknown);
  take("sep_token", separator);
  take("pad_token", padding);
  take("cls_token", classifier);
  take("mask_token", mask, mask_takes_space);
  const std::string key = "additional_special_tokens";
  const auto found = object.json.find(key);
  if (found == object.json.end() || found->is_null()) return;
  if (!found->is_array()) object.refuse(key, "an array");
  additional.clear();
  for (const Json& value : *found) additional.push_back(read_special(object, key, value));
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
  file.check();
  std::vector<ListedToken> tokens;
  for (const auto& [content, id] : file.json.items()) {
    if (!id.is_number_unsigned()) file.refuse(content, "an id");
    AddedToken token;
    token.content = content;
    token.special = special.names(content);
    token.normalized = !token.special;
    tokens.push_back({token, id.get<uint64_t>()});
  }
  sort_by_id(tokens);
  return tokens;
}

}  // namespace bert
