#include "tokenizer/unigram.h"

#include <algorithm>
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

// The best token that ends at a byte: its start and the score of the whole path to here.
struct Unigram::Step {
  double score = 0;
  size_t begin = SIZE_MAX;
  int32_t id = 0;
};

Unigram::Unigram(const Vocabulary& vocabulary, UnigramSettings settings, std::string_view source)
    : vocabulary_(vocabulary), scores_(std::move(settings.scores)), unknown_id_(settings.unknown_id) {
  if (const size_t longest = vocabulary.table().longest(); longest > kMaxTokenBytes) {
    throw Error(ErrorCode::kUnsupported, quote(source) + ": a token of " + std::to_string(longest) +
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

void Unigram::find_best_path(std::string_view word, std::vector<uint64_t>& hashes, std::vector<Step>& steps) const {
  hashes.assign(word.size() + 1, 0);  // of the prefixes
  for (size_t i = 0; i < word.size(); ++i) hashes[i + 1] = extend_hash(hashes[i], word[i]);
  steps.assign(word.size() + 1, Step());
  const auto offer = [&](size_t begin, size_t end, int32_t id, double score) {
    Step& step = steps[end];
    score += steps[begin].score;
    if (step.begin == SIZE_MAX || score > step.score) step = {score, begin, id};
  };
  const StringTable& table = vocabulary_.table();
  for (size_t begin = 0; begin < word.size();) {
    const char* const bytes = word.data() + begin;
    const size_t character = decode_utf8(word, begin).bytes;
    const size_t rest = word.size() - begin;
    const size_t room = std::min(rest, table.longest());
    bool covered = false;
    const auto look_up = [&](size_t length) {
      if (length < rest && continues_character(bytes[length])) return;
      const int32_t id = table.find(bytes, length, hash_behind(hashes[begin], hashes[begin + length], powers_[length]));
      if (id == StringTable::kAbsent) return;
      offer(begin, begin + length, id, scores_[static_cast<size_t>(id)]);
      covered |= length == character;
    };
    uint64_t possible = lengths_by_3_.possible(bytes, rest) & lengths_by_6_.possible(bytes, rest);
    for (; possible != 0; possible &= possible - 1) {
      const size_t length = static_cast<size_t>(std::countr_zero(possible)) + 1;
      if (length > room) break;
      if (length < Lengths::kLong) {
        look_up(length);
      } else {
        for (size_t any = length; any <= room; ++any) look_up(any);
      }
    }
    if (!covered) offer(begin, begin + character, unknown_id_, unknown_score_);
    begin += character;
  }
}

void Unigram::append_unknown(std::string_view word, size_t offset, int32_t index,
                             std::vector<SubwordToken>& tokens) const {
  const SubwordToken whole = {vocabulary_.id(word).value_or(-1), index, offset, offset + word.size()};
  if (whole.id >= 0) {
    tokens.push_back(whole);
    return;
  }
  if (bytes_ && bytes_->covers(word)) {
    for (const char byte : word) tokens.push_back({bytes_->id(byte), index, whole.begin, whole.end});
    return;
  }
  tokens.push_back({unknown_id_, index, whole.begin, whole.end});
}

int32_t Unigram::tokenize(std::string_view text, std::span<const TextRange> words,
                          std::vector<SubwordToken>& tokens) const {
  std::vector<uint64_t> hashes;
  std::vector<Step> steps;
  std::vector<SubwordToken> path;  // of one word, from its end
  int32_t index = 0;
  for (const TextRange range : words) {
    const std::string_view word = text.substr(range.begin, range.end - range.begin);
    find_best_path(word, hashes, steps);
    path.clear();
    for (size_t end = word.size(); end > 0; end = steps[end].begin) {
      const Step& step = steps[end];
      if (step.id == unknown_id_ && !path.empty() && path.back().id == unknown_id_) {
        path.back().begin = step.begin;
      } else {
        path.push_back({step.id, index, step.begin, end});
      }
    }
    for (auto token = path.rbegin(); token != path.rend(); ++token) {
      const size_t begin = range.begin + token->begin;
      if (token->id == unknown_id_) {
        append_unknown(word.substr(token->begin, token->end - token->begin), begin, index, tokens);
      } else {
        tokens.push_back({token->id, index, begin, range.begin + token->end});
      }
    }
    ++index;
  }
  return index;
}

}  // namespace bert
