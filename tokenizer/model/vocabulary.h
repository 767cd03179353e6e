// The model's tokens and their ids, mapped in both directions. Immutable after it is built; any number of threads may
// read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/model/string_table.h"

namespace bert {

class Vocabulary {
 public:
  // Reads one token per line, without the white space at its end, as the reference does; its id is the line's index
  // from 0. Only \n ends a line. The last of two equal tokens wins; the earlier id has no token. Throws
  // Error(kInvalidFile), which names `source`, for invalid UTF-8 and a token above 65535 bytes.
  static Vocabulary from_lines(std::string_view text, std::string_view source);

  // Throws Error(kInvalidFile) for an id that is out of range or has two tokens, and for a token listed twice.
  static Vocabulary from_pairs(const std::vector<std::pair<std::string_view, uint64_t>>& tokens,
                               std::string_view source);

  // Gives each token its index as id. If two tokens are equal, id() returns the last id; both ids have the token.
  static Vocabulary from_list(const std::vector<std::string_view>& tokens, std::string_view source);

  std::optional<int32_t> id(std::string_view token) const;
  std::string_view token(int32_t id) const;  // "" for an id without a token
  bool has(int32_t id) const {
    return id >= 0 && static_cast<size_t>(id) < tokens_.size() && tokens_[id].data() != nullptr;
  }

  size_t size() const { return size_; }             // number of tokens
  size_t id_end() const { return tokens_.size(); }  // the largest id + 1

  const StringTable& table() const { return table_; }
  const std::vector<std::string_view>& tokens() const { return tokens_; }  // by id; null data for an id without a token

 private:
  // Reserves space for the tokens, their bytes and ids below id_end.
  void reserve(size_t count, size_t bytes, size_t id_end);
  // Gives the id its token and copies the bytes to the arena; returns the token's previous id, or kAbsent.
  int32_t place(std::string_view token, size_t id);

  size_t size_ = 0;
  size_t used_ = 0;          // used bytes of the arena
  std::vector<char> arena_;  // not std::string: a move must not move the bytes
  std::vector<std::string_view> tokens_;
  StringTable table_;
};

}  // namespace bert
