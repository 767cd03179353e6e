#include "tokenizer/model/unigram.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

namespace bert {
namespace {

// An unknown character scores this much less than the least likely token: the reference's kUnkPenalty.
constexpr double kUnknownPenalty = 10;

}  // namespace

// The best path through one word. For a token only its length is stored, so a word needs one byte for each of its
// bytes; scores and hashes are kept for the last kMaxTokenBytes positions. Reused for the next word.
class Unigram::Path {
 public:
  explicit Path(const Unigram& model) : model_(model) {}

  void find(std::string_view word);
  void append_tokens(std::string_view word, size_t offset, int32_t index, SubwordSink& tokens) const;

 private:
  static constexpr size_t kWindow = 2 * kMaxTokenBytes;  // more than a token's bytes, and a power of two
  struct End {
    double score;   // of the whole path up to here
    uint64_t hash;  // of the prefix
    bool reached;
  };
  End& at(size_t position) { return ends_[position % kWindow]; }

  // The tokens that may begin at a character. A large vocabulary does not fit into the nearest caches, so the table is
  // read one character later, after it was prefetched.
  struct Character {
    size_t bytes, candidates;
    std::array<uint64_t, kMaxTokenBytes> hashes;
    std::array<uint16_t, kMaxTokenBytes> lengths;
  };
  void list_candidates(std::string_view word, size_t begin, Character& character);

  const Unigram& model_;
  std::array<End, kWindow> ends_;
  size_t hashed_ = 0;  // hashed bytes
  // During the search, [i] is the length, minus one, of the best token that ends after byte i; afterwards, of the
  // path's token that begins at byte i.
  std::vector<uint8_t> lengths_;
};

Unigram::Unigram(const Vocabulary& vocabulary, UnigramSettings settings, std::string_view source)
    : vocabulary_(vocabulary), scores_(std::move(settings.scores)), unknown_id_(settings.unknown_id) {
  if (const size_t longest = vocabulary.table().longest(); longest > kMaxTokenBytes) {
    throw Error(ErrorCode::kUnsupported, quote_path(source) + ": a token of " + std::to_string(longest) +
                                             " bytes, expected at most " + std::to_string(kMaxTokenBytes) +
                                             " in a Unigram vocabulary");
  }
  unknown_score_ = (scores_.empty() ? 0 : *std::min_element(scores_.begin(), scores_.end())) - kUnknownPenalty;
  if (settings.byte_fallback) bytes_.emplace(vocabulary);
  for (const std::string_view token : vocabulary.tokens()) {
    lengths_by_3_.add(token);
    lengths_by_6_.add(token);
  }
  powers_.assign(vocabulary.table().longest() + 1, 1);
  for (size_t i = 1; i < powers_.size(); ++i) powers_[i] = powers_[i - 1] * kHashBase;
}

// Hashes the word up to the end of the longest token that may begin here.
void Unigram::Path::list_candidates(std::string_view word, size_t begin, Character& character) {
  const StringTable& table = model_.vocabulary_.table();
  const char* const bytes = word.data() + begin;
  const size_t rest = word.size() - begin;
  const size_t room = std::min(rest, table.longest());
  character.bytes = decode_utf8(word, begin).bytes;
  character.candidates = 0;
  for (const size_t end = begin + std::max(room, character.bytes); hashed_ < end; ++hashed_) {
    at(hashed_ + 1) = {0, extend_hash(at(hashed_).hash, word[hashed_]), false};
  }
  const auto add = [&](size_t length) {
    if (length < rest && continues_character(bytes[length])) return;
    const uint64_t hash = hash_behind(at(begin).hash, at(begin + length).hash, model_.powers_[length]);
    table.prefetch(hash);
    character.hashes[character.candidates] = hash;
    character.lengths[character.candidates++] = static_cast<uint16_t>(length);
  };
  uint64_t possible = model_.lengths_by_3_.possible(bytes, rest) & model_.lengths_by_6_.possible(bytes, rest);
  for (; possible != 0; possible &= possible - 1) {
    const size_t length = static_cast<size_t>(std::countr_zero(possible)) + 1;
    if (length > room) break;
    if (length < Lengths::kLong) {
      add(length);
    } else {
      for (size_t any = length; any <= room; ++any) add(any);
    }
  }
  model_.lengths_by_6_.prefetch(bytes + character.bytes, rest - character.bytes);
}

void Unigram::Path::find(std::string_view word) {
  const StringTable& table = model_.vocabulary_.table();
  lengths_.resize(word.size());
  hashed_ = 0;
  at(0) = {0, 0, true};
  const auto offer = [&](size_t begin, size_t length, double score) {
    End& end = at(begin + length);
    score += at(begin).score;
    if (end.reached && score <= end.score) return false;
    end.score = score;
    end.reached = true;
    lengths_[begin + length - 1] = static_cast<uint8_t>(length - 1);
    return true;
  };
  Character characters[2];
  if (!word.empty()) list_candidates(word, 0, characters[0]);
  for (size_t i = 0, begin = 0; begin < word.size(); i = 1 - i) {
    const Character& character = characters[i];
    const size_t next = begin + character.bytes;
    if (next < word.size()) list_candidates(word, next, characters[1 - i]);
    bool covered = false;
    for (size_t candidate = 0; candidate < character.candidates; ++candidate) {
      const size_t length = character.lengths[candidate];
      const int32_t id = table.find(word.data() + begin, length, character.hashes[candidate]);
      if (id == StringTable::kAbsent) continue;
      offer(begin, length, model_.scores_[static_cast<size_t>(id)]);
      covered |= length == character.bytes;
    }
    if (!covered && offer(begin, character.bytes, model_.unknown_score_) && !model_.unknown_id_) {
      throw Error(ErrorCode::kInvalidText, "no token for " + quote(word.substr(begin, character.bytes)) +
                                               ", expected text that the tokens cover: the tokenizer has no unknown "
                                               "token (unk_id)");
    }
    begin = next;
  }
  // From the word's end on, each length moves to where its token begins; lengths that are still needed lie before that
  // place.
  uint8_t last = word.empty() ? 0 : lengths_[word.size() - 1];
  for (size_t end = word.size(); end > 0;) {
    end -= size_t{last} + 1;
    const uint8_t before = end > 0 ? lengths_[end - 1] : 0;
    lengths_[end] = last;
    last = before;
  }
}

void Unigram::Path::append_tokens(std::string_view word, size_t offset, int32_t index, SubwordSink& tokens) const {
  size_t unknown = 0;  // bytes of unknown characters before `begin`
  const auto flush_unknown = [&](size_t begin) {
    if (unknown > 0)
      model_.append_unknown(word.substr(begin - unknown, unknown), offset + begin - unknown, index, tokens);
    unknown = 0;
  };
  for (size_t begin = 0, end; begin < word.size(); begin = end) {
    end = begin + lengths_[begin] + 1;
    const int32_t id = model_.vocabulary_.table().find(word.substr(begin, end - begin));
    if (id == StringTable::kAbsent || id == model_.unknown_id_) {
      unknown += end - begin;
      continue;
    }
    flush_unknown(begin);
    tokens.push_back({id, index, offset + begin, offset + end});
  }
  flush_unknown(word.size());
}

void Unigram::append_unknown(std::string_view word, size_t offset, int32_t index, SubwordSink& tokens) const {
  const SubwordToken whole = {vocabulary_.id(word).value_or(-1), index, offset, offset + word.size()};
  if (whole.id >= 0) {
    tokens.push_back(whole);
    return;
  }
  if (bytes_ && bytes_->covers(word)) {
    for (const char byte : word) tokens.push_back({bytes_->id(byte), index, whole.begin, whole.end});
    return;
  }
  tokens.push_back({*unknown_id_, index, whole.begin, whole.end});
}

int32_t Unigram::tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const {
  Path path(*this);
  int32_t index = 0;
  for (const TextRange range : words) {
    const std::string_view word = text.substr(range.begin, range.end - range.begin);
    path.find(word);
    path.append_tokens(word, range.begin, index++, tokens);
  }
  return index;
}

}  // namespace bert
