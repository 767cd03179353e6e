#include "tokenizer/files/special_tokens.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

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

// Reads a string, or an object with "content". takes_space: lstrip for a string.
AddedToken read_special(const JsonObject& owner, const std::string& key, Json value, bool takes_space = false) {
  if (value.is_string()) return raw_special(std::string(value.string()), takes_space);
  if (!value.is_object()) owner.refuse(key, "a string or an object with content");
  // In tokenizer_config.json, the reference marks its token objects by __type, and `special` defaults to false.
  const JsonObject object(value, owner.source(), owner.name(key));
  return read_added_token(object, !object.has("__type"));
}

// Reads a token with a key, which is always special, and by default not normalized.
AddedToken read_named(const JsonObject& owner, const std::string& key, Json value, bool takes_space = false) {
  AddedToken token = read_special(owner, key, value, takes_space);
  token.special = true;
  if (value.is_object() && !JsonObject(value, owner.source(), owner.name(key)).has("normalized")) {
    token.normalized = false;
  }
  return token;
}

// Returns whether the reference makes an object a token: in tokenizer_config.json if it is marked by __type, in the map
// always.
bool is_marked_token(Json value, SpecialTokens::File file) {
  return value.is_object() && (file == SpecialTokens::File::kMap || value.find("__type"));
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
  if (!family.beginning.empty()) result.beginning = token(family.beginning);
  if (!family.end.empty()) result.end = token(family.end);
  result.unknown = token(family.unknown);
  result.separator = token(family.separator);
  result.padding = token(family.padding);
  result.classifier = token(family.classifier);
  result.mask = raw_special(std::string(family.mask), family.mask_takes_space);
  result.mask_takes_space = family.mask_takes_space;
  for (const std::string_view content : family.additional) result.usual_additional_.push_back({token(content)});
  return result;
}

void SpecialTokens::read(const JsonObject& object, File file) {
  const std::array<std::pair<const char*, AddedToken*>, 7> keyed = {{{"bos_token", &beginning},
                                                                     {"eos_token", &end},
                                                                     {"unk_token", &unknown},
                                                                     {"sep_token", &separator},
                                                                     {"pad_token", &padding},
                                                                     {"cls_token", &classifier},
                                                                     {"mask_token", &mask}}};
  for (const auto& [key, token] : keyed) {
    const auto value = object.find(key);
    if (!value) continue;
    named_by_key_.erase(key);
    keys_of_objects_.erase(key);
    *token = {};
    if (object.is_null(key)) continue;
    *token = read_named(object, key, *value, token == &mask && mask_takes_space);
    if (file == File::kMap || value->is_string()) named_by_key_[key] = token->content;
    if (value->is_object()) keys_of_objects_.insert(key);
  }
  const auto is_keyed = [&](std::string_view key) {
    return std::any_of(keyed.begin(), keyed.end(), [&](const auto& entry) { return entry.first == key; });
  };
  for (const auto& [key, value] : object.json().members()) {
    if (!key.ends_with("_token") || is_keyed(key)) continue;
    if (value.is_string() || is_marked_token(value, file)) take_other(std::string(key), object, value);
  }
  if (file == File::kConfig) {
    read_additional_of_config(object);
  } else {
    read_additional_of_map(object);
  }
}

void SpecialTokens::take_other(const std::string& key, const JsonObject& owner, Json value) {
  AddedToken token = read_named(owner, key, value);
  if (value.is_object()) keys_of_objects_.insert(key);
  const auto [place, is_new] = places_in_others_.emplace(key, others.size());
  if (is_new) {
    others.emplace_back(key, std::move(token));
  } else {
    others[place->second].second = std::move(token);
  }
}

// additional_special_tokens is used if extra_special_tokens is absent or empty.
void SpecialTokens::read_additional_of_config(const JsonObject& config) {
  const auto extra = config.nullable("extra_special_tokens");
  const bool has_extra = extra && !extra->empty();
  if (config.has("additional_special_tokens")) {
    (has_extra ? additional_ : extra_) = read_list(config, "additional_special_tokens", File::kConfig);
    if (!has_extra) return;
  }
  if (extra && extra->is_object()) {
    take_others(config);
  } else if (config.has("extra_special_tokens")) {
    extra_ = read_list(config, "extra_special_tokens", File::kConfig);
  }
}

// A list is appended to that of tokenizer_config.json; an object replaces it.
void SpecialTokens::read_additional_of_map(const JsonObject& map) {
  if (map.has("additional_special_tokens")) {
    additional_ = read_list(map, "additional_special_tokens", File::kMap);
  }
  if (!map.has("extra_special_tokens")) return;
  if (map.find("extra_special_tokens")->is_object()) {
    take_others(map);
    extra_.reset();
    return;
  }
  std::vector<GivenToken> more = read_list(map, "extra_special_tokens", File::kMap);
  if (!extra_ || map.is_null("extra_special_tokens")) extra_.emplace();
  for (GivenToken& token : more) extra_->push_back(std::move(token));
}

std::vector<SpecialTokens::GivenToken> SpecialTokens::read_list(const JsonObject& object, const std::string& key,
                                                                File file) {
  std::vector<GivenToken> tokens;
  if (object.is_null(key)) return tokens;
  for (const Json value : object.required_array(key)) {
    const bool is_named = value.is_string() || (file == File::kMap && key == "extra_special_tokens");
    tokens.push_back({read_special(object, key, value), value.is_object(), is_named});
  }
  return tokens;
}

void SpecialTokens::take_others(const JsonObject& object) {
  const JsonObject named = object.required_object("extra_special_tokens");
  for (const auto& [key, value] : named.json().members()) take_other(std::string(key), named, value);
}

std::set<std::string> SpecialTokens::named_contents() const {
  std::set<std::string> contents;
  for (const auto& [key, content] : named_by_key_) contents.insert(content);
  if (!extra_) return contents;
  for (const GivenToken& extra : *extra_) {
    if (extra.is_named) contents.insert(extra.token.content);
  }
  return contents;
}

std::set<std::string> SpecialTokens::contents_with_keys() const {
  std::set<std::string> contents;
  for (const GivenToken& given : with_keys()) contents.insert(given.token.content);
  return contents;
}

std::vector<SpecialTokens::GivenToken> SpecialTokens::with_keys() const {
  std::vector<GivenToken> all;
  const auto add = [&](std::string_view key, const AddedToken& token) {
    all.push_back({token, keys_of_objects_.contains(key)});
  };
  add("bos_token", beginning);
  add("eos_token", end);
  add("unk_token", unknown);
  add("sep_token", separator);
  add("pad_token", padding);
  add("cls_token", classifier);
  add("mask_token", mask);
  for (const auto& [key, token] : others) add(key, token);
  return all;
}

const std::vector<SpecialTokens::GivenToken>& SpecialTokens::additional() const {
  return extra_ ? *extra_ : additional_ ? *additional_ : usual_additional_;
}

void SpecialTokens::set_additional(const std::vector<AddedToken>& tokens) {
  additional_.emplace();
  for (const AddedToken& token : tokens) additional_->push_back({token, true});
}

std::vector<AddedToken> SpecialTokens::missing_in(const std::vector<AddedToken>& known) const {
  std::vector<GivenToken> all = with_keys(), missing;
  all.insert(all.end(), additional().begin(), additional().end());
  std::set<std::string_view> known_contents;
  for (const AddedToken& token : known) known_contents.insert(token.content);
  std::multimap<std::string_view, const GivenToken*> listed;  // by content
  for (const GivenToken& given : all) {
    const std::string_view content = given.token.content;
    if (content.empty() || known_contents.contains(content)) continue;
    // The reference skips an equal token, but not one with other flags, which then apply.
    const auto [first, last] = listed.equal_range(content);
    if (std::any_of(first, last, [&](const auto& entry) { return *entry.second == given; })) continue;
    listed.emplace(content, &given);
    missing.push_back(given);
  }
  std::vector<AddedToken> tokens;
  for (const GivenToken& given : missing) tokens.push_back(given.token);
  return tokens;
}

void SpecialTokens::append_to(std::vector<AddedToken>& tokens, const std::vector<ListedToken>& listed) const {
  const std::set<std::string> keyed = contents_with_keys();
  for (const ListedToken& entry : listed) {
    tokens.push_back(entry.token);
    tokens.back().special |= keyed.contains(entry.token.content);
  }
  const std::vector<AddedToken> missing = missing_in(tokens);
  tokens.insert(tokens.end(), missing.begin(), missing.end());
}

std::vector<ListedToken> read_added_tokens_file(const JsonObject& file, const SpecialTokens& special) {
  std::map<uint64_t, ListedToken> by_id;
  const std::set<std::string> named = special.named_contents();
  for (const auto& [content, value] : file.json().members()) {
    const auto id = value.unsigned_integer();
    if (!id) file.refuse(content, "an id");
    AddedToken token;
    token.content = content;
    token.special = named.contains(token.content);
    token.normalized = !token.special;
    by_id[*id] = {token, *id};
  }
  std::vector<ListedToken> tokens;
  for (const auto& [id, listed] : by_id) tokens.push_back(listed);
  return tokens;
}

}  // namespace bert
