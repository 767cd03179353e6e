#include "tokenizer/model/bpe_word.h"

#include <algorithm>
#include <array>

namespace bert {
namespace {

// The pairs of a short word are numbers whose minimum is the next merge: the rank, then the place.
constexpr int32_t kNoPair = INT32_MAX;
constexpr unsigned kPlaceBits = 7;
static_assert(BpeWord::kShort == size_t{1} << kPlaceBits);

// Processes four numbers at a time, for which compilers use one instruction. count: a multiple of four.
int32_t smallest(const int32_t* numbers, size_t count) {
  std::array<int32_t, 4> least = {kNoPair, kNoPair, kNoPair, kNoPair};
  for (size_t i = 0; i < count; i += 4) {
    for (size_t k = 0; k < 4; ++k) least[k] = std::min(least[k], numbers[i + k]);
  }
  return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

}  // namespace

// Orders a heap whose top has the lowest rank, then the leftmost position.
bool BpeWord::Candidate::operator<(const Candidate& other) const {
  return rank != other.rank ? rank > other.rank : position > other.position;
}

void BpeWord::merge(const MergeTable& merges, bool grows) {
  if (size() < 2) return;
  if (!grows || size() > kShort) return merge_long(merges);
  merge_short(merges, [&](size_t left) {
    const MergeTable::Merge* merge = merges.find(ids_[left], ids_[left + 1]);
    return merge == nullptr ? ByteSymbols::Pair() : ByteSymbols::Pair{merge->rank, merge->id};
  });
}

void BpeWord::merge_bytes(std::string_view word, const ByteSymbols& bytes, const MergeTable& merges, bool grows) {
  const auto byte = [&](size_t i) { return size_t{static_cast<unsigned char>(word[i])}; };
  ids_.resize(word.size());
  lengths_.assign(word.size(), 1);
  for (size_t i = 0; i < word.size(); ++i) ids_[i] = bytes.ids[byte(i)];
  if (size() < 2) return;
  if (!grows || size() > kShort) return merge_long(merges);
  merge_short(merges, [&](size_t left) { return bytes.pairs[byte(left) << 8 | byte(left + 1)]; });
}

// first_pair(i): returns the merge of symbols i and i + 1.
template <class FirstPair>
void BpeWord::merge_short(const MergeTable& merges, const FirstPair& first_pair) {
  const size_t count = size(), rounded = (count + 3) / 4 * 4;
  int32_t* const ids = ids_.data();
  uint32_t* const lengths = lengths_.data();
  // For each symbol: the pair that it begins, the token that the pair merges to, and the neighbouring symbols.
  std::array<int32_t, kShort> pairs, merged;
  std::array<uint8_t, kShort + 1> next, previous;
  const auto set = [&](size_t left, int32_t rank, int32_t id) {
    pairs[left] = rank << kPlaceBits | static_cast<int32_t>(left);
    merged[left] = id;
  };
  const auto look_up = [&](size_t left) {
    pairs[left] = kNoPair;
    if (const auto* merge = merges.find(ids[left], ids[next[left]])) set(left, merge->rank, merge->id);
  };
  for (size_t i = 0; i < count; ++i) {
    next[i] = static_cast<uint8_t>(i + 1);
    previous[i + 1] = static_cast<uint8_t>(i);
  }
  for (size_t i = 0; i + 1 < count; ++i) {
    const ByteSymbols::Pair pair = first_pair(i);
    set(i, pair.rank, pair.id);
    if (pair.rank < 0) pairs[i] = kNoPair;
  }
  std::fill(&pairs[count - 1], pairs.data() + rounded, kNoPair);
  for (int32_t best; (best = smallest(pairs.data(), rounded)) != kNoPair;) {
    const size_t left = static_cast<size_t>(best) % kShort, right = next[left], after = next[right];
    ids[left] = merged[left];
    lengths[left] += lengths[right];
    lengths[right] = 0;
    pairs[right] = kNoPair;
    next[left] = static_cast<uint8_t>(after);
    previous[after] = static_cast<uint8_t>(left);
    if (after < count) {
      look_up(left);
    } else {
      pairs[left] = kNoPair;
    }
    if (left > 0) look_up(previous[left]);
  }
  remove_merged();
}

void BpeWord::consider(const MergeTable& merges, int32_t left, int32_t right) {
  if (left < 0 || right < 0) return;
  const MergeTable::Merge* merge = merges.find(ids_[left], ids_[right]);
  if (merge != nullptr) candidates_.push_back({merge->rank, static_cast<uint32_t>(left), merge->id});
}

void BpeWord::merge_long(const MergeTable& merges) {
  const auto count = static_cast<int32_t>(size());
  links_.resize(size());
  for (int32_t i = 0; i < count; ++i) links_[i] = {i - 1, i + 1 < count ? i + 1 : -1};
  candidates_.clear();
  for (int32_t i = 1; i < count; ++i) consider(merges, i - 1, i);
  std::make_heap(candidates_.begin(), candidates_.end());
  const auto consider_new = [&](int32_t left, int32_t right) {
    const size_t before = candidates_.size();
    consider(merges, left, right);
    if (candidates_.size() > before) std::push_heap(candidates_.begin(), candidates_.end());
  };
  while (!candidates_.empty()) {
    const Candidate best = candidates_.front();
    std::pop_heap(candidates_.begin(), candidates_.end());
    candidates_.pop_back();
    const auto left = static_cast<int32_t>(best.position);
    const int32_t right = links_[left].next;
    if (lengths_[left] == 0 || right < 0) continue;
    const MergeTable::Merge* merge = merges.find(ids_[left], ids_[right]);
    if (merge == nullptr || merge->id != best.id) continue;  // one of the two symbols has changed since
    ids_[left] = best.id;
    lengths_[left] += lengths_[right];
    lengths_[right] = 0;
    links_[left].next = links_[right].next;
    if (links_[left].next >= 0) links_[links_[left].next].previous = left;
    consider_new(links_[left].previous, left);
    consider_new(left, links_[left].next);
  }
  remove_merged();
}

void BpeWord::remove_merged() {
  size_t kept = 0;
  for (size_t i = 0; i < size(); ++i) {
    if (lengths_[i] == 0) continue;
    ids_[kept] = ids_[i];
    lengths_[kept++] = lengths_[i];
  }
  ids_.resize(kept);
  lengths_.resize(kept);
}

}  // namespace bert
