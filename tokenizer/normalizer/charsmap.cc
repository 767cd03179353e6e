#include "tokenizer/normalizer/charsmap.h"

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

using unicode::cluster_class;

// The reference looks up whole grapheme clusters only below this many bytes.
constexpr size_t kMaxCluster = 6;

// A unit of the trie, as Darts-clone packs it.
bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t leaf_value(uint32_t unit) { return unit & 0x7FFFFFFF; }
uint32_t label(uint32_t unit) { return unit & 0x800000FF; }
uint32_t child_offset(uint32_t unit) { return (unit >> 10) << ((unit & 1u << 9) >> 6); }

// Returns whether a cluster continues between two characters: Unicode Standard Annex 29, GB3 to GB11, without GB9c and
// GB12, which only join clusters that are too long to be looked up. pictograph: the cluster is a pictograph and marks.
bool joins(ClusterClass before, ClusterClass after, bool pictograph) {
  using enum ClusterClass;
  if (before == kControl || after == kControl) return false;
  if (after == kJoining || after == kJoiner || before == kPrepended) return true;
  if (before == kJoiner && after == kPictographic) return pictograph;
  if (before == kLeading) {
    return after == kLeading || after == kVowel || after == kSyllable || after == kClosedSyllable;
  }
  if (before == kSyllable || before == kVowel) return after == kVowel || after == kTrailing;
  return (before == kClosedSyllable || before == kTrailing) && after == kTrailing;
}

// Returns the end of the cluster that begins at text[begin].
size_t cluster_end(std::string_view text, size_t begin) {
  const Utf8Char first = decode_utf8(text, begin);
  size_t end = begin + first.bytes;
  if (first.code_point == '\r' && end < text.size() && text[end] == '\n') return end + 1;
  if (end < text.size() && first.code_point < 0x80 && static_cast<unsigned char>(text[end]) < 0x80) return end;
  ClusterClass before = cluster_class(first.code_point);
  bool pictograph = before == ClusterClass::kPictographic;
  while (end < text.size()) {
    const Utf8Char next = decode_utf8(text, end);
    const ClusterClass after = cluster_class(next.code_point);
    if (!joins(before, after, pictograph)) break;
    pictograph = after == ClusterClass::kPictographic ||
                 (pictograph && (after == ClusterClass::kJoining || after == ClusterClass::kJoiner));
    before = after;
    end += next.bytes;
  }
  return end;
}

// Replaces `old_chars` characters, with the reference's change counts.
void replace(std::vector<CharChange>& changes, size_t old_chars, std::string_view replacement) {
  const size_t first = changes.size();
  for (size_t i = 0; i < replacement.size();) {
    const Utf8Char c = decode_utf8(replacement, i);
    changes.push_back({c.code_point, 0});
    i += c.bytes;
  }
  const size_t new_chars = changes.size() - first;
  for (size_t i = 0; i + old_chars < new_chars; ++i) changes[changes.size() - 1 - i].change = 1;
  if (new_chars < old_chars && !changes.empty()) changes.back().change -= static_cast<int>(old_chars - new_chars);
}

}  // namespace

Charsmap::Charsmap(std::string_view bytes, std::string_view source) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::kInvalidFile, quote_path(source) + ": precompiled_charsmap: " + what);
  };
  if (bytes.size() < 4) refuse("found " + std::to_string(bytes.size()) + " bytes, expected at least 4");
  const auto unit = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value |= uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    return value;
  };
  const size_t trie_bytes = unit(0);
  if (trie_bytes % 4 != 0 || trie_bytes == 0 || trie_bytes > bytes.size() - 4) {
    refuse("found a trie of " + std::to_string(trie_bytes) + " bytes, expected a multiple of 4 in the " +
           std::to_string(bytes.size() - 4) + " that follow");
  }
  units_.reserve(trie_bytes / 4);
  for (size_t at = 4; at < 4 + trie_bytes; at += 4) units_.push_back(unit(at));
  texts_ = bytes.substr(4 + trie_bytes);
  if (const auto position = find_invalid_utf8(texts_)) {
    refuse("its texts are not valid UTF-8 at byte " + std::to_string(*position));
  }
}

std::optional<std::string_view> Charsmap::find(std::string_view part) const {
  size_t node = child_offset(units_[0]);
  for (const char byte : part) {
    if (byte == 0) break;
    node ^= static_cast<unsigned char>(byte);
    if (node >= units_.size() || label(units_[node]) != static_cast<unsigned char>(byte)) break;
    const uint32_t unit = units_[node];
    node ^= child_offset(unit);
    if (!has_leaf(unit)) continue;
    if (node >= units_.size()) break;
    const size_t text = leaf_value(units_[node]);
    if (text > texts_.size() || (text < texts_.size() && continues_character(texts_[text]))) break;
    return std::string_view(texts_).substr(text, texts_.find('\0', text) - text);
  }
  return std::nullopt;
}

void Charsmap::apply(NormalizedText& text) const {
  const std::string_view bytes = text.bytes;
  std::vector<CharChange> changes;
  changes.reserve(bytes.size());
  bool modified = false;
  for (size_t i = 0; i < bytes.size();) {
    const size_t end = cluster_end(bytes, i);
    if (end - i < kMaxCluster) {
      if (const auto found = find(bytes.substr(i, end - i))) {
        size_t chars = 0;
        for (; i < end; i += decode_utf8(bytes, i).bytes) ++chars;
        replace(changes, chars, *found);
        modified = true;
        continue;
      }
    }
    while (i < end) {
      const Utf8Char c = decode_utf8(bytes, i);
      if (const auto found = find(bytes.substr(i, c.bytes))) {
        replace(changes, 1, *found);
        modified = true;
      } else {
        changes.push_back({c.code_point, 0});
      }
      i += c.bytes;
    }
  }
  if (modified) transform(text, changes);
}

bool Charsmap::may_cut(std::string_view text, size_t at) const {
  const char32_t before = decode_utf8(text, character_start(text, at - 1)).code_point;
  const char32_t after = decode_utf8(text, at).code_point;
  if (before == '\r' && after == '\n') return false;
  return !joins(cluster_class(before), cluster_class(after), true) && !removes_beginning(text.substr(at));
}

bool Charsmap::removes_beginning(std::string_view text) const {
  const auto is_removed = [&](size_t bytes) {
    const auto found = find(text.substr(0, bytes));
    return found && found->empty();
  };
  const size_t cluster = cluster_end(text, 0);
  return (cluster < kMaxCluster && is_removed(cluster)) || is_removed(decode_utf8(text, 0).bytes);
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string result;
  result.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
    uint32_t bits = 0;
    for (size_t k = 0; k < 4; ++k) {
      static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
      const size_t digit = k >= 4 - padding ? 0 : kDigits.find(text[i + k]);
      if (digit == std::string_view::npos) return std::nullopt;
      bits = bits << 6 | static_cast<uint32_t>(digit);
    }
    for (size_t k = 0; k + padding < 3; ++k) result += static_cast<char>(bits >> (16 - 8 * k) & 0xFF);
  }
  return result;
}

}  // namespace bert
