#include "tokenizer/added_tokens.h"

#include <algorithm>
#include <cstring>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

namespace bert {
namespace {

std::string normalize(const TextNormalizer& normalizer, std::string_view text) {
  NormalizedText result = original_text(text, 0);
  normalizer.apply(result);
  return result.bytes;
}

// The character that ends before `end`; U+0000 if there is none or it is broken.
Utf8Char char_before(std::string_view text, size_t end) {
  size_t begin = end;
  while (begin > 0 && end - begin < 4) {
    --begin;
    if ((static_cast<unsigned char>(text[begin]) & 0xC0) != 0x80) break;
  }
  if (begin == end) return {0, 0};
  const Utf8Char c = decode_utf8(text.substr(0, end), begin);
  return c.bytes == end - begin ? c : Utf8Char{0, 0};
}

bool touches_word(std::string_view text, size_t begin, size_t end) {
  const Utf8Char before = char_before(text, begin);
  if (before.bytes > 0 && unicode::is_word_character(before.code_point)) return true;
  if (end == text.size()) return false;
  const Utf8Char after = decode_utf8(text, end);
  return after.bytes > 0 && unicode::is_word_character(after.code_point);
}

}  // namespace

AddedTokens::AddedTokens(const Vocabulary& vocabulary, const TextNormalizer& normalizer,
                         const std::vector<AddedToken>& tokens, std::string_view source, size_t in_tokenizer_json) {
  // The number of tokens is not past the largest id if a vocabulary has unassigned ids.
  const int64_t count = static_cast<int64_t>(vocabulary.size());
  int64_t largest = -1, next = count;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const AddedToken& token = tokens[i];
    if (i == in_tokenizer_json) next = std::max(count, largest + 1);
    if (token.content.empty()) continue;
    if (const auto earlier = ids_.find(token.content); earlier != ids_.end()) {
      AddedToken& flags = by_id_[earlier->second];
      const bool special = flags.special || token.special;
      flags = token;
      flags.special = special;
      continue;
    }
    const auto known = vocabulary.id(token.content);
    const int64_t id = known ? *known : next++;
    largest = std::max(largest, id);
    ids_.emplace(token.content, static_cast<int32_t>(id));
    const auto [place, is_new] = by_id_.emplace(static_cast<int32_t>(id), token);
    if (!is_new) {
      throw Error(ErrorCode::kUnsupported, quote(source) + ": added tokens " + quote(place->second.content) + " and " +
                                               quote(token.content) + " both get id " + std::to_string(id) +
                                               ", because the vocabulary has unassigned ids");
    }
  }
  for (const auto& [id, token] : by_id_) {
    if (!token.normalized) {
      raw_.add(token.content, id);
      continue;
    }
    const std::string text = normalize(normalizer, token.content);
    if (text.empty()) {
      throw Error(ErrorCode::kUnsupported, quote(source) + ": added token " + quote(token.content) +
                                               " is normalized to nothing, expected at least one character");
    }
    if (normalized_.has(text)) {
      throw Error(ErrorCode::kUnsupported, quote(source) + ": added token " + quote(token.content) +
                                               " is normalized to " + quote(text) +
                                               ", which another added token is too");
    }
    normalized_.add(text, id);
  }
  id_end_ = static_cast<size_t>(largest + 1);
}

std::optional<int32_t> AddedTokens::id(std::string_view content) const {
  const auto found = ids_.find(std::string(content));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const AddedToken* AddedTokens::token(int32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

bool AddedTokens::is_special(std::string_view content) const {
  const auto known = id(content);
  const AddedToken* added = known ? token(*known) : nullptr;
  return added != nullptr && added->special;
}

void AddedTokens::find(const Matcher& matcher, std::string_view text, bool split_special,
                       std::vector<AddedTokenMatch>& matches) const {
  matches.clear();
  if (matcher.empty()) return;
  size_t end_of_last = 0;
  for (size_t at = matcher.next_start(text, 0); at < text.size();) {
    AddedTokenMatch match = matcher.longest_at(text, at);
    if (match.id < 0) {
      at = matcher.next_start(text, at + 1);
      continue;
    }
    at = matcher.next_start(text, match.end);
    const AddedToken& token = by_id_.at(match.id);
    // A rejected match is skipped whole: a shorter token inside it is not tried, as in the reference.
    if (split_special && token.special) continue;
    if (token.single_word && touches_word(text, match.begin, match.end)) continue;
    while (token.lstrip && match.begin > end_of_last) {
      const Utf8Char before = char_before(text, match.begin);
      if (before.bytes == 0 || !unicode::is_space(before.code_point)) break;
      match.begin -= before.bytes;
    }
    if (token.lstrip) match.begin = std::max(match.begin, end_of_last);  // what the match before it took is taken
    while (token.rstrip && match.end < text.size()) {
      const Utf8Char after = decode_utf8(text, match.end);
      if (after.bytes == 0 || !unicode::is_space(after.code_point)) break;
      match.end += after.bytes;
    }
    if (match.begin < match.end) matches.push_back(match);
    end_of_last = match.end;
  }
}

void AddedTokens::Matcher::add(std::string_view text, int32_t id) {
  starts_[static_cast<unsigned char>(text[0])] = true;
  uint32_t node = 0;
  for (const char byte : text) {
    if (const uint32_t* found = child(node, byte)) {
      node = *found;
      continue;
    }
    const auto made = static_cast<uint32_t>(nodes_.size());
    auto& next = nodes_[node].next;
    next.insert(std::upper_bound(next.begin(), next.end(), std::pair(byte, UINT32_MAX)), {byte, made});
    nodes_.emplace_back();
    node = made;
  }
  nodes_[node].id = id;
}

const uint32_t* AddedTokens::Matcher::child(uint32_t node, char byte) const {
  const auto& next = nodes_[node].next;
  const auto found = std::lower_bound(next.begin(), next.end(), std::pair(byte, 0u));
  return found != next.end() && found->first == byte ? &found->second : nullptr;
}

bool AddedTokens::Matcher::has(std::string_view text) const {
  uint32_t node = 0;
  for (const char byte : text) {
    const uint32_t* found = child(node, byte);
    if (found == nullptr) return false;
    node = *found;
  }
  return nodes_[node].id >= 0;
}

size_t AddedTokens::Matcher::next_start(std::string_view text, size_t from) const {
  if (from >= text.size()) return text.size();
  if (nodes_[0].next.size() == 1) {  // BERT's own tokens all start with '['
    const void* found = std::memchr(text.data() + from, nodes_[0].next[0].first, text.size() - from);
    return found == nullptr ? text.size() : static_cast<size_t>(static_cast<const char*>(found) - text.data());
  }
  while (from < text.size() && !starts_[static_cast<unsigned char>(text[from])]) ++from;
  return from;
}

AddedTokenMatch AddedTokens::Matcher::longest_at(std::string_view text, size_t begin) const {
  AddedTokenMatch longest{begin, begin, -1};
  uint32_t node = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    const uint32_t* found = child(node, text[i]);
    if (found == nullptr) break;
    node = *found;
    if (nodes_[node].id >= 0) longest = {begin, i + 1, nodes_[node].id};
  }
  return longest;
}

}  // namespace bert
