// The model's tokens and their ids, in both directions. Immutable after it is built; any number of threads may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/model/string_table.h"

namespace bert {

class Vocabulary {
 public:
  // One token per line, without the white space at its end, as in the reference; its id is the line's index from 0. A
  // line ends at \n only. The last of two equal tokens wins; the earlier id has no token.
  // Throws Error(kInvalidFile) naming `source`: invalid UTF-8, a token above 65535 bytes.
  static Vocabulary from_lines(std::string_view text, std::string_view source);

  // Throws Error(kInvalidFile): an id out of range or given to two tokens, a token listed twice.
  static Vocabulary from_pairs(const std::vector<std::pair<std::string_view, uint64_t>>& tokens,
                               std::string_view source);

  // A token for each id from 0. Of two equal tokens id() returns the last; both ids have the token.
  static Vocabulary from_list(const std::vector<std::string_view>& tokens, std::string_view source);

  std::optional<int32_t> id(std::string_view token) const;
  std::string_view token(int32_t id) const;  // "" for an id that no token has
  bool has(int32_t id) const {
    return id >= 0 && static_cast<size_t>(id) < tokens_.size() && tokens_[id].data() != nullptr;
  }

  size_t size() const { return size_; }             // how many tokens
  size_t id_end() const { return tokens_.size(); }  // one past the largest id

  const StringTable& table() const { return table_; }
  const std::vector<std::string_view>& tokens() const { return tokens_; }  // by id; null data if none

 private:
  // Reserves space for the tokens, their bytes and ids below id_end.
  void reserve(size_t count, size_t bytes, size_t id_end);
  // Gives the id its token and copies the bytes to the arena; returns the token's previous id, or kAbsent.
  int32_t place(std::string_view token, size_t id);

  size_t size_ = 0;
  size_t used_ = 0;          // bytes of the arena
  std::vector<char> arena_;  // not std::string: a move must not move the bytes
  std::vector<std::string_view> tokens_;
  StringTable table_;
};

}  // namespace bert
