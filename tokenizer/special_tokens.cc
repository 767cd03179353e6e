#include "tokenizer/special_tokens.h"

#include <algorithm>
#include <array>
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

// A string, or an object with "content". takes_space: the lstrip of a string.
AddedToken read_special(const JsonObject& owner, const std::string& key, Json value, bool takes_space = false) {
  if (value.is_string()) return raw_special(std::string(value.string()), takes_space);
  if (!value.is_object()) owner.refuse(key, "a string or an object with content");
  // The reference marks its objects in tokenizer_config.json by __type; there `special` is false by default.
  const JsonObject object(value, owner.source(), owner.name(key));
  return read_added_token(object, !object.has("__type"));
}

// A token with a key is always special, and by default not normalized.
AddedToken read_named(const JsonObject& owner, const std::string& key, Json value, bool takes_space = false) {
  AddedToken token = read_special(owner, key, value, takes_space);
  token.special = true;
  if (value.is_object() && !JsonObject(value, owner.source(), owner.name(key)).has("normalized")) {
    token.normalized = false;
  }
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

void SpecialTokens::read(const JsonObject& object, File file) {
  const auto take = [&](const std::string& key, AddedToken& token, bool takes_space = false) {
    const auto value = object.nullable(key);
    if (!value) return;
    token = read_named(object, key, *value, takes_space);
    if (file == File::kMap || value->is_string()) names_.push_back(token.content);
  };
  take("bos_token", beginning);
  take("eos_token", end);
  take("unk_token", unknown);
  take("sep_token", separator);
  take("pad_token", padding);
  take("cls_token", classifier);
  take("mask_token", mask, mask_takes_space);
  const auto take_other = [&](const std::string& key, const JsonObject& owner, Json value) {
    AddedToken token = read_named(owner, key, value);
    const auto known =
        std::find_if(others.begin(), others.end(), [&](const auto& other) { return other.first == key; });
    if (known != others.end()) {
      known->second = std::move(token);
    } else {
      others.emplace_back(key, std::move(token));
    }
  };
  constexpr std::array<std::string_view, 7> kKeys = {"bos_token", "eos_token", "unk_token", "sep_token",
                                                     "pad_token", "cls_token", "mask_token"};
  for (const auto& [key, value] : object.json().members()) {
    if (!key.ends_with("_token") || !value.is_string()) continue;
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) take_other(std::string(key), object, value);
  }
  const auto extra = object.nullable("extra_special_tokens");
  if (extra && extra->is_object()) {
    const JsonObject named = object.required_object("extra_special_tokens");
    for (const auto& [key, value] : extra->members()) take_other(std::string(key), named, value);
    if (file == File::kMap) additional.clear();
  } else if (extra) {
    read_additional(object, "extra_special_tokens", file);
  }
  if (object.nullable("additional_special_tokens") && !additional_given_) {
    read_additional(object, "additional_special_tokens", file);
  }
  // Even an empty list in tokenizer_config.json overrides additional_special_tokens of special_tokens_map.json.
  additional_given_ |= object.nullable("additional_special_tokens") || (extra && extra->is_array());
}

void SpecialTokens::read_additional(const JsonObject& object, const std::string& key, File file) {
  const bool is_extra = key == "extra_special_tokens";
  if (!additional_given_) additional.clear();
  for (const Json value : object.required_array(key)) {
    AddedToken token = read_special(object, key, value);
    if ((file == File::kConfig && value.is_string()) || (file == File::kMap && is_extra)) {
      names_.push_back(token.content);
    }
    additional.push_back(std::move(token));
    additional_given_ = true;
  }
}

bool SpecialTokens::names(std::string_view content) const {
  return std::find(names_.begin(), names_.end(), content) != names_.end();
}

bool SpecialTokens::has_key(std::string_view content) const {
  const auto all = in_order();
  return std::any_of(all.begin(), all.end() - static_cast<ptrdiff_t>(additional.size()),
                     [&](const AddedToken& token) { return token.content == content; });
}

std::vector<AddedToken> SpecialTokens::in_order() const {
  std::vector<AddedToken> all = {beginning, end, unknown, separator, padding, classifier, mask};
  for (const auto& [key, token] : others) all.push_back(token);
  all.insert(all.end(), additional.begin(), additional.end());
  return all;
}

std::vector<AddedToken> SpecialTokens::missing_in(const std::vector<AddedToken>& known) const {
  std::vector<AddedToken> missing = in_order();
  std::erase_if(missing, [&](const AddedToken& token) {
    return token.content.empty() || std::any_of(known.begin(), known.end(), [&](const AddedToken& other) {
             return other.content == token.content;
           });
  });
  return missing;
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
