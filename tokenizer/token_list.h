// The tokens of one sequence, in columns. A list with a limit keeps only its first or its last tokens and counts the
// others, so a truncated text needs memory for what remains of it. Plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bert/tokenizer.h"
#include "tokenizer/post_processor/truncation.h"

namespace bert {

// A token of one sequence, before the template.
struct Token {
  int32_t id;
  int32_t word;  // index of its word in the sequence; an added token counts as a word
  Offset source;
};

// Tokens of a list. only_ids: words and sources are empty.
struct TokenColumns {
  std::span<const int32_t> ids = {};
  std::span<const int32_t> words = {};
  std::span<const Offset> sources = {};
  bool only_ids = false;

  size_t size() const { return ids.size(); }
  TokenColumns part(size_t begin, size_t count) const {
    if (only_ids) return {.ids = ids.subspan(begin, count), .only_ids = true};
    return {ids.subspan(begin, count), words.subspan(begin, count), sources.subspan(begin, count)};
  }
};

class TokenList {
 public:
  TokenList() = default;  // keeps all tokens
  // Keeps `limit` tokens or a few more; `truncated` is the side from which tokens are dropped.
  TokenList(size_t limit, Direction truncated, bool only_ids = false)
      : limit_(limit),
        room_(truncated == Direction::kRight ? limit : limit + std::max(limit, kSpare)),
        truncated_(truncated),
        only_ids_(only_ids) {}

  void reserve(size_t tokens) {
    if (const size_t wanted = std::min(count_ + room_, tokens); wanted > ids_.size()) resize(wanted);
  }

  [[gnu::always_inline]] void push_back(const Token& token) {
    if (room_ == 0 || count_ == ids_.size()) {
      if (!make_room()) return;
    }
    --room_;
    ids_[count_] = token.id;
    if (!only_ids_) {
      words_[count_] = token.word;
      sources_[count_] = token.source;
    }
    ++count_;
  }

  // Returns whether the next token will be kept.
  bool keeps_next() const { return room_ > 0 || truncated_ == Direction::kLeft; }

  size_t size() const { return before_ + count_ + after_; }  // including tokens that were not kept
  TokenColumns kept() const {
    const std::span<const int32_t> ids(ids_.data(), count_);
    if (only_ids_) return {.ids = ids, .only_ids = true};
    return {ids, {words_.data(), count_}, {sources_.data(), count_}};
  }
  // Returns the tokens of a range of the sequence, which must all have been kept.
  TokenColumns part(TokenRange range) const { return kept().part(range.begin - before_, range.size()); }

 private:
  static constexpr size_t kSpare = 1024;  // on the left, tokens are dropped this many at a time

  // Returns false if the next token is only counted, not kept.
  [[gnu::noinline]] bool make_room() {
    if (room_ == 0) {
      if (truncated_ == Direction::kRight) {
        ++after_;
        return false;
      }
      drop_first();
    }
    if (count_ == ids_.size()) resize(std::max<size_t>(2 * count_, 16));
    return true;
  }

  void resize(size_t tokens) {
    ids_.resize(tokens);
    if (only_ids_) return;
    words_.resize(tokens);
    sources_.resize(tokens);
  }

  void drop_first() {
    const auto dropped = static_cast<std::ptrdiff_t>(count_ - limit_);
    ids_.erase(ids_.begin(), ids_.begin() + dropped);
    if (!only_ids_) {
      words_.erase(words_.begin(), words_.begin() + dropped);
      sources_.erase(sources_.begin(), sources_.begin() + dropped);
    }
    before_ += count_ - limit_;
    room_ += count_ - limit_;
    count_ = limit_;
  }

  // Columns with room for equally many tokens; count_ of them are kept.
  std::vector<int32_t> ids_, words_;
  std::vector<Offset> sources_;
  size_t count_ = 0;
  size_t limit_ = SIZE_MAX;
  size_t room_ = SIZE_MAX;  // for further tokens
  Direction truncated_ = Direction::kRight;
  bool only_ids_ = false;
  size_t before_ = 0;  // tokens before the kept ones; after_: tokens after them
  size_t after_ = 0;
};

}  // namespace bert
