// The tokens of one sequence. A list with a limit keeps only its first or its last tokens and counts the others, so a
// truncated text needs memory for what remains of it. Plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bert/tokenizer.h"
#include "tokenizer/truncation.h"

namespace bert {

// A token of one sequence, before the template.
struct Token {
  int32_t id;
  int32_t word;  // index of its word in the sequence; an added token counts as one
  Offset source;
};

class TokenList {
 public:
  TokenList() = default;  // keeps all
  // Keeps `limit` tokens or a few more; `truncated` is the side that loses tokens.
  TokenList(size_t limit, Direction truncated)
      : limit_(limit),
        room_(truncated == Direction::kRight ? limit : limit + std::max(limit, kSpare)),
        truncated_(truncated) {}

  void reserve(size_t tokens) { kept_.reserve(std::min(kept_.size() + room_, tokens)); }

  void push_back(const Token& token) {
    if (room_ == 0) {
      if (truncated_ == Direction::kRight) {
        ++after_;
        return;
      }
      drop_first();
    }
    --room_;
    kept_.push_back(token);
  }

  // Whether the next token has a place, or will get one.
  bool keeps_next() const { return room_ > 0 || truncated_ == Direction::kLeft; }

  size_t size() const { return before_ + kept_.size() + after_; }  // with those that were not kept
  std::span<const Token> kept() const { return kept_; }
  // The tokens of a range of the sequence, all of which were kept.
  std::span<const Token> part(TokenRange range) const { return kept().subspan(range.begin - before_, range.size()); }

 private:
  static constexpr size_t kSpare = 1024;  // on the left, tokens are dropped this many at a time

  void drop_first() {
    const size_t count = kept_.size() - limit_;
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count));
    before_ += count;
    room_ += count;
  }

  std::vector<Token> kept_;
  size_t limit_ = SIZE_MAX;
  size_t room_ = SIZE_MAX;  // for further tokens
  Direction truncated_ = Direction::kRight;
  size_t before_ = 0;  // tokens before and after the kept ones
  size_t after_ = 0;
};

}  // namespace bert
