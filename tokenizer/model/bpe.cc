#include "tokenizer/model/bpe.h"

#include <algorithm>

#include "bert/error.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"
#include "tokenizer/model/byte_level.h"

namespace bert {
namespace {

void append_kept(const ChunkCache::Tokens& kept, size_t begin, int32_t word, SubwordSink& tokens) {
  size_t from = begin;
  for (const ChunkCache::Token token : kept) {
    tokens.push_back({token.id(), word, from, begin + token.end()});
    from = begin + token.end();
    if (token.is_last()) break;
  }
}

std::optional<ChunkCache::Tokens> tokens_for_cache(const BpeWord& symbols) {
  ChunkCache::Collector collector;
  size_t end = 0;
  for (size_t i = 0; i < symbols.size(); ++i) {
    end += symbols.length(i);
    collector.add(symbols.id(i), end, i == 0);
  }
  return collector.tokens();
}

void check_length(size_t bytes) {
  if (bytes <= Bpe::kMaxWordBytes) return;
  throw Error(ErrorCode::kInvalidText, "a word of " + std::to_string(bytes) + " bytes, expected at most " +
                                           std::to_string(Bpe::kMaxWordBytes) + " in a BPE tokenizer");
}

}  // namespace

std::optional<std::pair<std::string_view, std::string_view>> split_merge(std::string_view text) {
  const size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, space), text.substr(space + 1));
}

std::vector<std::pair<std::string, std::string>> parse_merges(std::string_view text, std::string_view source) {
  std::vector<std::pair<std::string, std::string>> merges;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with("#version")) continue;
    const auto merge = split_merge(line);
    if (!merge) {
      refuse_file(source, "line " + std::to_string(number) + ": found " + quote(line) + ", expected two tokens");
    }
    merges.emplace_back(merge->first, merge->second);
  }
  return merges;
}

Bpe::Bpe(const Vocabulary& vocabulary, BpeSettings settings, std::string_view source)
    : vocabulary_(vocabulary), settings_(std::move(settings)) {
  if (settings_.unknown_token) {
    const auto id = vocabulary.id(*settings_.unknown_token);
    if (!id) refuse_file(source, "the unknown token " + quote(*settings_.unknown_token) + " is not in the vocabulary");
    unknown_id_ = *id;
  }
  for (char32_t c = 0; c < character_ids_.size(); ++c) {
    std::string character;
    append_utf8(character, c);
    character_ids_[c] = vocabulary.id(character).value_or(-1);
  }
  if (settings_.byte_fallback) bytes_.emplace(vocabulary);
  add_merges(source);
  add_byte_symbols();
}

void Bpe::add_byte_symbols() {
  std::array<int32_t, 256>& ids = byte_symbols_.ids;
  has_all_bytes_ = settings_.continuing_prefix.empty() && settings_.end_suffix.empty();
  for (size_t byte = 0; byte < ids.size(); ++byte) {
    ids[byte] = character_ids_[char_of_byte(static_cast<char>(byte))];
    const bool is_of_utf8 = byte != 0xC0 && byte != 0xC1 && byte < 0xF5;
    has_all_bytes_ = has_all_bytes_ && (ids[byte] >= 0 || !is_of_utf8);
  }
  if (!has_all_bytes_) return;
  byte_symbols_.pairs.resize(ids.size() * ids.size());
  for (size_t i = 0; i < byte_symbols_.pairs.size(); ++i) {
    const MergeTable::Merge* const merge = merges_.find(ids[i >> 8], ids[i & 255]);
    if (merge != nullptr) byte_symbols_.pairs[i] = {merge->rank, merge->id};
  }
}

void Bpe::add_merges(std::string_view source) {
  merges_.reset(settings_.merges.size());
  merges_grow_ = settings_.merges.size() <= BpeWord::kMostMerges;
  int32_t rank = 0;
  std::string joined;
  for (const auto& merged : settings_.merges) {
    const std::string &left = merged.first, &right = merged.second;  // a lambda needs them, so no structured binding
    const auto id_of = [&](const std::string& token) {
      const auto id = vocabulary_.id(token);
      if (!id) {
        refuse_file(source, "merge " + std::to_string(rank) + ", " + quote(left) + " with " + quote(right) + ": " +
                                quote(token) + " is not in the vocabulary");
      }
      return *id;
    };
    const size_t prefix = settings_.continuing_prefix.size();
    if (right.size() < prefix) {
      refuse_file(source, "merge " + std::to_string(rank) + ": " + quote(right) + " is shorter than the prefix " +
                              quote(settings_.continuing_prefix));
    }
    joined.assign(left).append(right, prefix);
    merges_grow_ = merges_grow_ && !left.empty() && right.size() > prefix;
    const int32_t left_id = id_of(left), right_id = id_of(right);
    merges_.insert(left_id, right_id, rank, id_of(joined));
    ++rank;
  }
  settings_.merges = {};
}

int32_t Bpe::character_id(std::string_view character, bool first, bool last) const {
  const bool has_prefix = !first && !settings_.continuing_prefix.empty();
  const bool has_suffix = last && !settings_.end_suffix.empty();
  if (has_prefix || has_suffix) {
    const std::string token = (has_prefix ? settings_.continuing_prefix : "") + std::string(character) +
                              (has_suffix ? settings_.end_suffix : "");
    return vocabulary_.id(token).value_or(-1);
  }
  const char32_t c = decode_utf8(character, 0).code_point;
  return c < character_ids_.size() ? character_ids_[c] : vocabulary_.table().find(character);
}

void Bpe::read(std::string_view word, BpeWord& symbols) const {
  symbols.clear();
  size_t unknown = 0;  // bytes of unknown characters that have no symbol yet
  const auto flush_unknown = [&] {
    if (unknown > 0) symbols.add(*unknown_id_, static_cast<uint32_t>(unknown));
    unknown = 0;
  };
  for (size_t i = 0; i < word.size();) {
    const size_t length = decode_utf8(word, i).bytes;
    const std::string_view character = word.substr(i, length);
    const bool first = i == 0;
    i += length;
    const int32_t id = character_id(character, first, i == word.size());
    if (id >= 0) {
      flush_unknown();
      symbols.add(id, static_cast<uint32_t>(length));
    } else if (add_bytes(character, symbols)) {
      // As in the reference, pending unknown characters are added after these bytes.
    } else if (unknown_id_) {
      if (!settings_.fuse_unknown) flush_unknown();
      unknown += length;
    }
  }
  flush_unknown();
}

bool Bpe::add_bytes(std::string_view character, BpeWord& symbols) const {
  if (!bytes_ || !bytes_->covers(character)) return false;
  for (const char byte : character) symbols.add(bytes_->id(byte), 1);
  return true;
}

void Bpe::split_bytes(std::string_view word, BpeWord& symbols) const {
  size_t mapped_size = word.size();
  if (settings_.ignore_merges || word.size() > kMaxWordBytes / 2) {
    std::string mapped;
    for (const char byte : word) append_utf8(mapped, char_of_byte(byte));
    mapped_size = mapped.size();
    if (const auto whole = settings_.ignore_merges ? vocabulary_.id(mapped) : std::nullopt) {
      symbols.clear();
      symbols.add(*whole, static_cast<uint32_t>(word.size()));
      return;
    }
  }
  check_length(mapped_size);
  symbols.merge_bytes(word, byte_symbols_, merges_, merges_grow_);
}

int32_t Bpe::tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const {
  BpeWord symbols;
  ChunkCache* const cache = ChunkCache::of_this_thread();
  int32_t word = 0;
  for (const TextRange range : words) {
    const std::string_view bytes = text.substr(range.begin, range.end - range.begin);
    const auto whole = settings_.ignore_merges ? vocabulary_.id(bytes) : std::nullopt;
    if (whole) {
      tokens.push_back({*whole, word++, range.begin, range.end});
      continue;
    }
    check_length(bytes.size());
    const bool is_short = cache != nullptr && !bytes.empty() && bytes.size() <= Chunk::kLongest && bytes.back() != '\0';
    const Chunk chunk = is_short ? Chunk::of(bytes) : Chunk();
    if (const ChunkCache::Tokens* kept = is_short ? cache->find(chunk, cache_owner_) : nullptr) {
      append_kept(*kept, range.begin, word++, tokens);
      continue;
    }
    read(bytes, symbols);
    symbols.merge(merges_, merges_grow_);
    size_t begin = range.begin;
    for (size_t i = 0; i < symbols.size(); ++i) {
      tokens.push_back({symbols.id(i), word, begin, begin + symbols.length(i)});
      begin += symbols.length(i);
    }
    ++word;
    if (!is_short) continue;
    if (const auto found = tokens_for_cache(symbols)) cache->keep(chunk, cache_owner_, *found);
  }
  return word;
}

}  // namespace bert
