#include "tokenizer/model/wordpiece.h"

#include <algorithm>
#include <bit>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

namespace bert {

WordPiece::WordPiece(const Vocabulary& vocabulary, const WordPieceSettings& settings, std::string_view source)
    : words_(&vocabulary.table()), max_chars_per_word_(settings.max_chars_per_word) {
  const auto unknown = vocabulary.id(settings.unknown_token);
  if (!unknown) {
    throw Error(ErrorCode::kInvalidFile, quote_path(source) + ": the unknown token " + quote(settings.unknown_token) +
                                             " is not in the vocabulary");
  }
  unknown_id_ = *unknown;
  const std::string_view prefix = settings.continuing_prefix;
  size_t count = 0;
  for (const std::string_view token : vocabulary.tokens()) count += token.starts_with(prefix);
  continuations_.reset(count);
  for (size_t id = 0; id < vocabulary.tokens().size(); ++id) {
    const std::string_view token = vocabulary.tokens()[id];
    if (token.empty()) continue;
    word_lengths_.add(token);
    if (!token.starts_with(prefix) || token.size() == prefix.size()) continue;
    continuations_.insert(token.substr(prefix.size()), static_cast<int32_t>(id));
    continuation_lengths_.add(token.substr(prefix.size()));
  }
}

int32_t WordPiece::tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const {
  std::vector<WordPieceToken> pieces;
  int32_t index = 0;
  for (const TextRange range : words) {
    const std::string_view word = text.substr(range.begin, range.end - range.begin);
    if (count_characters(word) > max_chars_per_word_ || !split(word, pieces)) {
      tokens.push_back({unknown_id_, index++, range.begin, range.end});
      continue;
    }
    for (const WordPieceToken& piece : pieces) {
      tokens.push_back({piece.id, index, range.begin + piece.begin, range.begin + piece.end});
    }
    ++index;
  }
  return index;
}

bool WordPiece::split(std::string_view word, std::vector<WordPieceToken>& pieces) const {
  pieces.clear();
  // Running hashes of the prefixes, and powers that remove a prefix's part: a substring's hash takes one
  // multiplication.
  constexpr size_t kOnStack = 512;
  uint64_t stack_hashes[kOnStack + 1], stack_powers[kOnStack + 1];
  std::vector<uint64_t> heap;
  uint64_t *hashes = stack_hashes, *powers = stack_powers;
  if (word.size() > kOnStack) {
    heap.resize(2 * (word.size() + 1));
    hashes = heap.data();
    powers = heap.data() + word.size() + 1;
  }
  hashes[0] = 0;
  powers[0] = 1;
  for (size_t i = 0; i < word.size(); ++i) {
    hashes[i + 1] = extend_hash(hashes[i], word[i]);
    powers[i + 1] = powers[i] * kHashBase;
  }
  for (size_t begin = 0; begin < word.size();) {
    const StringTable& table = begin == 0 ? *words_ : continuations_;
    const char* const bytes = word.data() + begin;
    const size_t room = word.size() - begin;
    const Lengths& lengths = begin == 0 ? word_lengths_ : continuation_lengths_;
    const uint64_t possible = lengths.possible(bytes, room);
    int32_t id = StringTable::kAbsent;
    size_t length = std::min(room, table.longest());
    while (length > 0) {
      if (length < Lengths::kLong) {  // skip to the next length of a token with this beginning
        const uint64_t shorter = possible & ((uint64_t{2} << (length - 1)) - 1);
        if (shorter == 0) {
          length = 0;
          break;
        }
        length = static_cast<size_t>(std::bit_width(shorter));
      }
      if (length == room || !continues_character(bytes[length])) {
        id = table.find(bytes, length, hash_behind(hashes[begin], hashes[begin + length], powers[length]));
        if (id != StringTable::kAbsent) break;
      }
      --length;
    }
    if (id == StringTable::kAbsent) return false;
    pieces.push_back({id, static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + length)});
    begin += length;
  }
  return true;
}

}  // namespace bert
