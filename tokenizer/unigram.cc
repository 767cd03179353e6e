#include "tokenizer/unigram.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/base/utf8.h"

namespace bert {
namespace {

// A character that no token covers costs so much more than the least likely token: the reference's kUnkPenalty.
constexpr double kUnknownPenalty = 10;
constexpr size_t kFirstCapacity = 1024;

uint64_t key_of(uint32_t node, char byte) { return uint64_t{node} << 8 | static_cast<unsigned char>(byte); }
size_t slot_of(uint64_t key, unsigned shift) { return (key * 0x9E3779B97F4A7C15u) >> shift; }
unsigned shift_for(size_t capacity) { return 64u - static_cast<unsigned>(std::countr_zero(capacity)); }

}  // namespace

// The best token that ends at a byte: its start and the score of the whole path to here.
struct Unigram::Step {
  double score = 0;
  size_t begin = SIZE_MAX;
  int32_t id = 0;
};

Unigram::Unigram(const Vocabulary& vocabulary, UnigramSettings settings)
    : vocabulary_(vocabulary),
      scores_(std::move(settings.scores)),
      unknown_id_(settings.unknown_id),
      byte_fallback_(settings.byte_fallback) {
  unknown_score_ = (scores_.empty() ? 0 : *std::min_element(scores_.begin(), scores_.end())) - kUnknownPenalty;
  for (size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    constexpr char kHex[] = "0123456789ABCDEF";
    byte_ids_[byte] = vocabulary.id(std::string("<0x") + kHex[byte >> 4] + kHex[byte & 15] + ">").value_or(-1);
  }
  edges_.assign(kFirstCapacity, Edge());
  shift_ = shift_for(kFirstCapacity);
  for (const std::string_view token : vocabulary.tokens()) {
    if (token.empty()) continue;
    uint32_t node = 0;
    for (const char byte : token) node = add_child(node, byte);
    ids_[node] = *vocabulary.id(token);  // of a token that stands twice, the later
  }
}

uint32_t Unigram::child(uint32_t node, char byte) const {
  const uint64_t key = key_of(node, byte);
  for (size_t slot = slot_of(key, shift_);; slot = (slot + 1) & (edges_.size() - 1)) {
    if (edges_[slot].key == key) return edges_[slot].node;
    if (edges_[slot].key == UINT64_MAX) return 0;
  }
}

uint32_t Unigram::add_child(uint32_t node, char byte) {
  if (const uint32_t found = child(node, byte)) return found;
  if (2 * ids_.size() > edges_.size()) grow();
  const uint64_t key = key_of(node, byte);
  size_t slot = slot_of(key, shift_);
  while (edges_[slot].key != UINT64_MAX) slot = (slot + 1) & (edges_.size() - 1);
  const auto made = static_cast<uint32_t>(ids_.size());
  edges_[slot] = {key, made};
  ids_.push_back(-1);
  return made;
}

void Unigram::grow() {
  const std::vector<Edge> old = std::exchange(edges_, std::vector<Edge>(2 * edges_.size()));
  shift_ = shift_for(edges_.size());
  for (const Edge& edge : old) {
    if (edge.key == UINT64_MAX) continue;
    size_t slot = slot_of(edge.key, shift_);
    while (edges_[slot].key != UINT64_MAX) slot = (slot + 1) & (edges_.size() - 1);
    edges_[slot] = edge;
  }
}

void Unigram::find_best_path(std::string_view word, std::vector<Step>& steps) const {
  steps.assign(word.size() + 1, Step());
  const auto offer = [&](size_t begin, size_t end, int32_t id, double score) {
    Step& step = steps[end];
    score += steps[begin].score;
    if (step.begin == SIZE_MAX || score > step.score) step = {score, begin, id};
  };
  for (size_t begin = 0; begin < word.size();) {
    const size_t character = decode_utf8(word, begin).bytes;
    bool covered = false;
    uint32_t node = 0;
    for (size_t end = begin; end < word.size();) {
      node = child(node, word[end]);
      if (node == 0) break;
      ++end;
      const int32_t id = ids_[node];
      if (id < 0) continue;
      offer(begin, end, id, scores_[static_cast<size_t>(id)]);
      covered |= end == begin + character;
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
  const auto id_of = [&](char byte) { return byte_ids_[static_cast<unsigned char>(byte)]; };
  if (byte_fallback_ && std::all_of(word.begin(), word.end(), [&](char byte) { return id_of(byte) >= 0; })) {
    for (const char byte : word) tokens.push_back({id_of(byte), index, whole.begin, whole.end});
    return;
  }
  tokens.push_back({unknown_id_, index, whole.begin, whole.end});
}

int32_t Unigram::tokenize(std::string_view text, std::span<const TextRange> words,
                          std::vector<SubwordToken>& tokens) const {
  std::vector<Step> steps;
  std::vector<SubwordToken> path;  // of one word, from its end
  int32_t index = 0;
  for (const TextRange range : words) {
    const std::string_view word = text.substr(range.begin, range.end - range.begin);
    find_best_path(word, steps);
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
