#include "tokenizer/post_processor/truncation.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "bert/error.h"
#include "engine/base/joined.h"

namespace bert {
namespace {

// Removes `excess` tokens of a sequence; at least one must remain. Returns the rest.
size_t shortened(const char* name, size_t length, size_t excess, const char* strategy) {
  if (length > excess) return length - excess;
  throw Error(ErrorCode::kInvalidText, std::string("truncation ") + strategy + ": the " + name + " has " +
                                           number_of(length, "token") + " and would lose " + std::to_string(excess) +
                                           ", expected at least one to stay");
}

// Cuts the longer sequence first, which keeps the odd token; of two equally long, the pair keeps it.
SequenceLengths longest_first(size_t text, size_t pair, size_t room) {
  const bool swapped = text > pair;
  size_t shorter = std::min(text, pair);
  size_t longer = shorter > room ? shorter : std::max(shorter, room - shorter);
  if (shorter + longer > room) {
    shorter = room / 2;
    longer = shorter + room % 2;
  }
  if (swapped) std::swap(shorter, longer);
  return {shorter, longer};
}

}  // namespace

SequenceLengths truncated_lengths(const SequenceLengths& lengths, size_t room, Truncation strategy) {
  const size_t pair = lengths.pair.value_or(0);  // pair_tokens may be any number of the caller's
  const size_t total = lengths.text + std::min(pair, SIZE_MAX - lengths.text);
  if (total <= room) return lengths;
  const size_t excess = total - room;
  if (strategy == Truncation::kError) {
    throw Error(ErrorCode::kInvalidText, "the text has " + number_of(total, "token") + ", which is " +
                                             std::to_string(excess) + " more than fit, and truncation is off");
  }
  // Without room both sequences become empty, with every strategy.
  if (room == 0) return {0, lengths.pair ? std::optional<size_t>(0) : std::nullopt};
  switch (strategy) {
    case Truncation::kOnlyFirst:
      return {shortened("text", lengths.text, excess, "only_first"), lengths.pair};
    case Truncation::kOnlySecond:
      if (!lengths.pair) {
        throw Error(ErrorCode::kInvalidText, "truncation only_second: there is no second text, and the first has " +
                                                 std::to_string(excess) + " more than fit");
      }
      return {lengths.text, shortened("pair", *lengths.pair, excess, "only_second")};
    default:
      if (!lengths.pair) return {room, std::nullopt};
      return longest_first(lengths.text, *lengths.pair, room);
  }
}

std::vector<TokenRange> token_windows(size_t length, size_t kept, size_t stride, Direction direction) {
  if (kept >= length) return {{0, length}};
  // Nothing is kept: the result is empty and one overflowing part has all tokens, as in the reference.
  if (kept == 0) return {{0, 0}, {0, length}};
  if (stride >= kept) {
    throw Error(ErrorCode::kInvalidArgument, "a window has room for " + number_of(kept, "token") +
                                                 " of the text that is cut, expected more than the stride of " +
                                                 std::to_string(stride));
  }
  const size_t step = kept - stride;
  std::vector<TokenRange> windows;
  if (direction == Direction::kRight) {
    for (size_t begin = 0;; begin += step) {
      windows.push_back({begin, std::min(begin + kept, length)});
      if (windows.back().end == length) return windows;
    }
  }
  for (size_t end = length;; end -= step) {
    windows.push_back({end > kept ? end - kept : 0, end});
    if (windows.back().begin == 0) return windows;
  }
}

size_t window_end(std::span<const size_t> word_tokens, size_t first, const WindowRoom& room) {
  size_t end = first + 1, tokens = word_tokens[first];
  while (end < word_tokens.size() && end - first < room.words && tokens + word_tokens[end] <= room.tokens) {
    tokens += word_tokens[end++];
  }
  return end;
}

size_t next_window(std::span<const size_t> word_tokens, TokenRange window, const WindowRoom& room) {
  size_t begin = window.end, shared = 0;
  while (shared < room.stride && begin > window.begin + 1 && window.end - begin + 2 <= room.words &&
         shared + word_tokens[begin - 1] + word_tokens[window.end] <= room.tokens) {
    shared += word_tokens[--begin];
  }
  return begin;
}

}  // namespace bert
