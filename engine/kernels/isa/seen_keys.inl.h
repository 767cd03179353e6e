// Which keys a query sees, and in which order the blocks of keys are read: all keys, the keys before the query, or the
// keys of a window and the global ones. Included after gemm.inl.h.
#pragma once

#include "engine/kernels/kernel_table.h"

namespace bert {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();
constexpr size_t kKeys = kAttentionKeyBlock;

struct KeyRange {
  size_t begin, end;
};

// Finds the keys that each of `count` queries sees, starting at `query`. Each range begins and ends at or after the
// previous one.
inline void seen_keys(const AttentionArgs& args, size_t query, size_t count, KeyRange* seen) {
  if (args.window == kNoWindow) {
    for (size_t i = 0; i < count; ++i) seen[i] = {0, args.is_causal ? query + i + 1 : args.length};
    return;
  }
  const auto distance = [&](size_t from, size_t to) {
    return static_cast<size_t>(args.places[to] - args.places[from]);
  };
  KeyRange range = {0, query < args.length ? query : args.length};
  for (size_t i = 0; i < count; ++i) {
    while (distance(range.begin, query + i) > args.window) ++range.begin;
    while (range.end < args.length && (range.end <= query + i || distance(query + i, range.end) <= args.window)) {
      ++range.end;
    }
    seen[i] = {range.begin, args.is_causal ? query + i + 1 : range.end};
  }
}

// first_block and next_block enumerate the blocks that a query with this range sees: first those of global keys, then
// those of the range.
inline size_t first_block(const AttentionArgs& args, KeyRange seen) {
  return args.global_keys > 0 ? 0 : seen.begin / kKeys * kKeys;
}
inline size_t next_block(const AttentionArgs& args, size_t first, KeyRange seen) {
  const size_t next = first + kKeys, begin = seen.begin / kKeys * kKeys;
  return next >= args.global_keys && next < begin ? begin : next;
}
inline size_t end_of_keys(const AttentionArgs& args, KeyRange seen) {
  return seen.end > args.global_keys ? seen.end : args.global_keys;
}

// Numbers that are added to the scores of kKeys keys. before(begin) makes the scores of the keys before `begin`
// -infinity, and from(end) those of the keys from `end` on. All other keys get 0, which changes no score.
struct WindowMask {
  float lanes[3 * kKeys];
  constexpr WindowMask() : lanes() {
    for (size_t i = 0; i < kKeys; ++i) lanes[i] = lanes[i + 2 * kKeys] = kMinusInfinity;
  }
  const float* before(size_t begin) const { return lanes + kKeys - begin; }
  const float* from(size_t end) const { return lanes + 2 * kKeys - end; }
};
constexpr WindowMask kWindowMask;

// Sets the scores of keys that the query does not see to -infinity.   row: `count` scores, starting with the key
// `first`; global_keys: this many first keys are always seen.
inline void hide_unseen(float* row, size_t first, size_t count, KeyRange seen, size_t global_keys) {
  const auto hide = [&](const float* mask) {
    for (size_t key = 0; key < count; key += 16) store(row + key, add(load(row + key), load(mask + key)));
  };
  if (seen.begin > first && global_keys > first) {
    for (size_t key = global_keys; key < seen.begin && key < first + count; ++key) row[key - first] = kMinusInfinity;
  } else if (seen.begin > first) {
    hide(kWindowMask.before(seen.begin - first < kKeys ? seen.begin - first : kKeys));
  }
  const size_t end = seen.end > global_keys ? seen.end : global_keys;
  if (end < first + count) hide(kWindowMask.from(end > first ? end - first : 0));
}

}  // namespace
}  // namespace bert
