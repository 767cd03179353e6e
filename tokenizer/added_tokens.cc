#include "tokenizer/added_tokens.h"

#include <algorithm>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

namespace bert {
namespace {

// Bytes of a text that are searched at once, which bounds the memory for the matches.
constexpr size_t kSearched = 65536;

std::string normalize(const Normalizer& normalizer, std::string_view text) {
  NormalizedText result = original_text(text, 0);
  normalizer.apply(result);
  return result.bytes;
}

// Returns the character that ends before `end`; U+0000 if there is none or it is invalid.
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

// Returns one past the last `byte` of the text; 0 if there is none.
size_t end_of_last(std::string_view text, char byte) {
#if defined(__linux__)
  const void* found = text.empty() ? nullptr : memrchr(text.data(), byte, text.size());
  return found == nullptr ? 0 : static_cast<size_t>(static_cast<const char*>(found) - text.data()) + 1;
#else
  return text.rfind(byte) + 1;
#endif
}

bool touches_word(std::string_view text, size_t begin, size_t end) {
  const Utf8Char before = char_before(text, begin);
  if (before.bytes > 0 && unicode::is_word_character(before.code_point)) return true;
  if (end == text.size()) return false;
  const Utf8Char after = decode_utf8(text, end);
  return after.bytes > 0 && unicode::is_word_character(after.code_point);
}

}  // namespace

AddedTokens::AddedTokens(const Vocabulary& vocabulary, const Normalizer& normalizer,
                         const std::vector<AddedToken>& tokens, std::string_view source, size_t in_tokenizer_json) {
  // If a vocabulary has unassigned ids, the number of its tokens is not past its largest id.
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
      throw Error(ErrorCode::kUnsupported, quote_path(source) + ": added tokens " + quote(place->second.content) +
                                               " and " + quote(token.content) + " both get id " + std::to_string(id) +
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
      throw Error(ErrorCode::kUnsupported, quote_path(source) + ": added token " + quote(token.content) +
                                               " is normalized to nothing, expected at least one character");
    }
    if (!normalized_.add(text, id)) {
      throw Error(ErrorCode::kUnsupported, quote_path(source) + ": added token " + quote(token.content) +
                                               " is normalized to " + quote(text) +
                                               ", which another added token is too");
    }
  }
  raw_.finish();
  normalized_.finish();
  id_end_ = static_cast<size_t>(largest + 1);
}

AddedTokens AddedTokens::with_special(const Vocabulary& vocabulary, const Normalizer& normalizer,
                                      const std::vector<std::string>& contents, std::string_view source) const {
  std::vector<AddedToken> tokens;
  for (const auto& [id, token] : by_id_) tokens.push_back(token);
  for (const std::string& content : contents) {
    if (!id(content)) tokens.push_back({.content = content, .special = true});
  }
  return {vocabulary, normalizer, tokens, source, by_id_.size()};
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

bool AddedTokens::may_cut(std::string_view text, size_t at) const {
  if (normalized_.empty()) return true;
  // No token contains the cut, ends or begins there, and no token includes white space up to it.
  return !normalized_.may_touch(text[at - 1], text[at]) && !unicode::is_space(char_before(text, at).code_point);
}

void AddedTokens::find(const Matcher& matcher, std::string_view text, bool split_special, const Visit& visit) const {
  if (matcher.empty()) return;
  std::vector<AddedTokenMatch> longest;
  size_t taken = 0;   // end of the last match, including the white space around it
  size_t from = 0;    // end of the last token that was found
  size_t spaces = 0;  // end of the white space after it, if it was searched
  const auto take = [&](AddedTokenMatch match) {
    if (match.begin < from) return;
    from = match.end;
    const AddedToken& token = by_id_.at(match.id);
    // A rejected match is skipped whole, and shorter tokens inside it are not tried, as in the reference.
    if (split_special && token.special) return;
    if (token.single_word && touches_word(text, match.begin, match.end)) return;
    while (token.lstrip && match.begin > taken) {
      const Utf8Char before = char_before(text, match.begin);
      if (before.bytes == 0 || !unicode::is_space(before.code_point)) break;
      match.begin -= before.bytes;
    }
    if (token.lstrip) match.begin = std::max(match.begin, taken);
    if (token.rstrip) match.end = std::max(match.end, spaces);  // white space is scanned only once
    while (token.rstrip && match.end < text.size()) {
      const Utf8Char after = decode_utf8(text, match.end);
      if (after.bytes == 0 || !unicode::is_space(after.code_point)) break;
      match.end += after.bytes;
    }
    if (token.rstrip) spaces = match.end;
    if (match.begin < match.end) visit(match);
    taken = match.end;
  };
  for (size_t begin = 0; begin < text.size(); begin += kSearched) {
    matcher.longest(text, begin, std::min(begin + kSearched, text.size()), longest);
    for (auto next = longest.rbegin(); next != longest.rend(); ++next) take(*next);
  }
}

bool AddedTokens::Matcher::add(std::string_view text, int32_t id) {
  uint32_t node = 0;
  for (auto byte = text.rbegin(); byte != text.rend(); ++byte) {
    if (const uint32_t* found = child(node, *byte)) {
      node = *found;
      continue;
    }
    const auto made = static_cast<uint32_t>(nodes_.size());
    auto& next = nodes_[node].next;
    next.insert(std::upper_bound(next.begin(), next.end(), std::pair(*byte, UINT32_MAX)), {*byte, made});
    nodes_.emplace_back();
    node = made;
  }
  if (nodes_[node].id >= 0) return false;
  longest_token_ = std::max(longest_token_, text.size());
  begins_[static_cast<unsigned char>(text.front())] = true;
  for (size_t i = 1; i < text.size(); ++i) neighbors_.emplace(text[i - 1], text[i]);
  nodes_[node].id = id;
  nodes_[node].size = static_cast<uint32_t>(text.size());
  ends_[static_cast<unsigned char>(text.back())] = true;
  return true;
}

bool AddedTokens::Matcher::has(char byte) const {
  const bool is_at_end = begins_[static_cast<unsigned char>(byte)] || ends_[static_cast<unsigned char>(byte)];
  return is_at_end || std::any_of(neighbors_.begin(), neighbors_.end(), [&](const std::pair<char, char>& both) {
           return both.first == byte || both.second == byte;
         });
}

bool AddedTokens::Matcher::may_touch(char before, char after) const {
  return ends_[static_cast<unsigned char>(before)] || begins_[static_cast<unsigned char>(after)] ||
         neighbors_.contains({before, after});
}

// Works breadth first, so that the nodes that a node falls back to are already complete.
void AddedTokens::Matcher::finish() {
  std::vector<uint32_t> order = {0};
  for (size_t i = 0; i < order.size(); ++i) {
    const uint32_t parent = order[i];
    for (const auto& [byte, node] : nodes_[parent].next) {
      order.push_back(node);
      if (parent == 0) continue;
      uint32_t shorter = nodes_[parent].shorter;
      const uint32_t* found = child(shorter, byte);
      while (found == nullptr && shorter != 0) {
        shorter = nodes_[shorter].shorter;
        found = child(shorter, byte);
      }
      nodes_[node].shorter = found == nullptr ? 0 : *found;
      if (nodes_[node].id >= 0) continue;
      nodes_[node].id = nodes_[nodes_[node].shorter].id;
      nodes_[node].size = nodes_[nodes_[node].shorter].size;
    }
  }
}

const uint32_t* AddedTokens::Matcher::child(uint32_t node, char byte) const {
  const auto& next = nodes_[node].next;
  const auto found = std::lower_bound(next.begin(), next.end(), std::pair(byte, 0u));
  return found != next.end() && found->first == byte ? &found->second : nullptr;
}

// Returns one past the last byte in [begin, before) that can end a token; `begin` if there is none.
size_t AddedTokens::Matcher::last_end(std::string_view text, size_t begin, size_t before) const {
  if (nodes_[0].next.size() == 1) {  // BERT's own tokens all end with ']'
    return begin + end_of_last(text.substr(begin, before - begin), nodes_[0].next[0].first);
  }
  while (before > begin && !ends_[static_cast<unsigned char>(text[before - 1])]) --before;
  return before;
}

void AddedTokens::Matcher::longest(std::string_view text, size_t first, size_t end,
                                   std::vector<AddedTokenMatch>& matches) const {
  matches.clear();
  uint32_t node = 0;
  // A token that begins before `end` ends before this.
  const size_t last = std::min(end - 1 + longest_token_, text.size());
  for (size_t begin = last_end(text, first, last); begin > first;) {
    const char byte = text[--begin];
    const uint32_t* found = child(node, byte);
    while (found == nullptr && node != 0) {
      node = nodes_[node].shorter;
      found = child(node, byte);
    }
    node = found == nullptr ? 0 : *found;
    if (nodes_[node].id >= 0 && begin < end) matches.push_back({begin, begin + nodes_[node].size, nodes_[node].id});
    if (node == 0) begin = last_end(text, first, begin);
  }
}

}  // namespace bert
