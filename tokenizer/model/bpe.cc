#include "tokenizer/model/bpe.h"

#include <algorithm>
#include <bit>

#include "bert/error.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

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

}  // namespace

// A part of the word: a character, or merged characters. length 0: merged into the symbol before it.
struct Bpe::Symbol {
  int32_t id;
  int32_t previous;
  int32_t next;
  uint32_t length;
};

// A merge that was possible when it was added.
struct Bpe::Candidate {
  uint32_t rank;
  uint32_t position;  // of the left symbol
  int32_t id;
  // For a heap whose top is the lowest rank, then the leftmost.
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};

// The symbols of one word; its vectors are reused for the next.
class Bpe::Word {
 public:
  explicit Word(const Bpe& model) : model_(model) {}

  void read(std::string_view word);
  void merge();
  std::optional<ChunkCache::Tokens> tokens_for_cache() const {
    ChunkCache::Collector collector;
    size_t end = 0;
    for (const Symbol& symbol : symbols_) {
      if (symbol.length == 0) continue;
      const bool is_first = end == 0;
      end += symbol.length;
      collector.add(symbol.id, end, is_first);
    }
    return collector.tokens();
  }
  void append_tokens(size_t begin, int32_t word, SubwordSink& tokens) const {
    for (const Symbol& symbol : symbols_) {
      if (symbol.length == 0) continue;
      tokens.push_back({symbol.id, word, begin, begin + symbol.length});
      begin += symbol.length;
    }
  }

 private:
  void add(int32_t id, size_t length) {
    const auto place = static_cast<int32_t>(symbols_.size());
    symbols_.push_back({id, place - 1, place + 1, static_cast<uint32_t>(length)});
  }
  bool add_bytes(std::string_view character);
  void consider(int32_t left, int32_t right);

  const Bpe& model_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> candidates_;
};

void Bpe::Word::read(std::string_view word) {
  symbols_.clear();
  const bool has_unknown = model_.unknown_id_.has_value();
  size_t unknown = 0;  // bytes of unknown characters that have no symbol yet
  const auto flush_unknown = [&] {
    if (unknown > 0) add(*model_.unknown_id_, unknown);
    unknown = 0;
  };
  for (size_t i = 0; i < word.size();) {
    const size_t length = decode_utf8(word, i).bytes;
    const std::string_view character = word.substr(i, length);
    const bool first = i == 0;
    i += length;
    const int32_t id = model_.character_id(character, first, i == word.size());
    if (id >= 0) {
      flush_unknown();
      add(id, length);
    } else if (add_bytes(character)) {
      // As in the reference, pending unknown characters are added after these bytes.
    } else if (has_unknown) {
      if (!model_.settings_.fuse_unknown) flush_unknown();
      unknown += length;
    }
  }
  flush_unknown();
  if (!symbols_.empty()) symbols_.back().next = -1;
}

bool Bpe::Word::add_bytes(std::string_view character) {
  if (!model_.bytes_ || !model_.bytes_->covers(character)) return false;
  for (const char byte : character) add(model_.bytes_->id(byte), 1);
  return true;
}

void Bpe::Word::consider(int32_t left, int32_t right) {
  if (left < 0 || right < 0) return;
  const Merge* merge = model_.find_merge(symbols_[left].id, symbols_[right].id);
  if (merge != nullptr) candidates_.push_back({merge->rank, static_cast<uint32_t>(left), merge->id});
}

void Bpe::Word::merge() {
  candidates_.clear();
  for (size_t i = 1; i < symbols_.size(); ++i) consider(static_cast<int32_t>(i) - 1, static_cast<int32_t>(i));
  std::make_heap(candidates_.begin(), candidates_.end());
  const auto consider_new = [&](int32_t left, int32_t right) {
    const size_t before = candidates_.size();
    consider(left, right);
    if (candidates_.size() > before) std::push_heap(candidates_.begin(), candidates_.end());
  };
  while (!candidates_.empty()) {
    const Candidate best = candidates_.front();
    std::pop_heap(candidates_.begin(), candidates_.end());
    candidates_.pop_back();
    Symbol& left = symbols_[best.position];
    if (left.length == 0 || left.next < 0) continue;
    Symbol& right = symbols_[left.next];
    const Merge* merge = model_.find_merge(left.id, right.id);
    if (merge == nullptr || merge->id != best.id) continue;  // one of the two has changed since
    left.id = best.id;
    left.length += right.length;
    left.next = right.next;
    right.length = 0;
    const auto place = static_cast<int32_t>(best.position);
    if (left.next >= 0) symbols_[left.next].previous = place;
    consider_new(left.previous, place);
    consider_new(place, left.next);
  }
}

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
}

void Bpe::add_merges(std::string_view source) {
  const size_t capacity = std::bit_ceil(std::max<size_t>(2 * settings_.merges.size(), 2));
  merges_.assign(capacity, Merge());
  shift_ = 64u - static_cast<unsigned>(std::countr_zero(capacity));
  uint32_t rank = 0;
  std::string joined;
  for (const auto& merged : settings_.merges) {
    const std::string &left = merged.first, &right = merged.second;  // no binding: a lambda must see them
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
    const Merge merge = {pair_of(id_of(left), id_of(right)), rank, id_of(joined)};
    ++rank;
    size_t slot = slot_of(merge.pair);
    while (merges_[slot].pair != UINT64_MAX && merges_[slot].pair != merge.pair) slot = (slot + 1) & (capacity - 1);
    merges_[slot] = merge;  // the last of two equal merges wins, as in the reference
  }
  settings_.merges = {};
}

const Bpe::Merge* Bpe::find_merge(int32_t left, int32_t right) const {
  const uint64_t pair = pair_of(left, right);
  for (size_t slot = slot_of(pair);; slot = (slot + 1) & (merges_.size() - 1)) {
    if (merges_[slot].pair == pair) return &merges_[slot];
    if (merges_[slot].pair == UINT64_MAX) return nullptr;
  }
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

int32_t Bpe::tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const {
  Word symbols(*this);
  ChunkCache* const cache = ChunkCache::of_this_thread();
  int32_t word = 0;
  for (const TextRange range : words) {
    const std::string_view bytes = text.substr(range.begin, range.end - range.begin);
    const auto whole = settings_.ignore_merges ? vocabulary_.id(bytes) : std::nullopt;
    if (whole) {
      tokens.push_back({*whole, word++, range.begin, range.end});
      continue;
    }
    if (bytes.size() > kMaxWordBytes) {
      throw Error(ErrorCode::kInvalidText, "a word of " + std::to_string(bytes.size()) + " bytes, expected at most " +
                                               std::to_string(kMaxWordBytes) + " in a BPE tokenizer");
    }
    const bool is_short = cache != nullptr && !bytes.empty() && bytes.size() <= Chunk::kLongest && bytes.back() != '\0';
    const Chunk chunk = is_short ? Chunk::of(bytes) : Chunk();
    if (const ChunkCache::Tokens* kept = is_short ? cache->find(chunk, cache_owner_) : nullptr) {
      append_kept(*kept, range.begin, word++, tokens);
      continue;
    }
    symbols.read(bytes);
    symbols.merge();
    symbols.append_tokens(range.begin, word++, tokens);
    if (!is_short) continue;
    if (const auto found = symbols.tokens_for_cache()) cache->keep(chunk, cache_owner_, *found);
  }
  return word;
}

}  // namespace bert
