// Byte-pair encoding: merges neighbouring symbols of a word, lowest merge rank first, then leftmost
// (tokenizer/model/bpe_word.h). Byte-level BPE works alike, on the characters to which tokenizer/model/byte_level.h
// maps each byte, or on the bytes. Source: Sennrich et al. 2016 and Hugging Face tokenizers 0.22.2, models/bpe.
// Immutable; any number of threads may use one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/model/bpe_word.h"
#include "tokenizer/model/byte_fallback.h"
#include "tokenizer/model/chunk_cache.h"
#include "tokenizer/model/merge_table.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/model/vocabulary.h"

namespace bert {

struct BpeSettings {
  std::vector<std::pair<std::string, std::string>> merges = {};  // in the order in which they were learned
  std::optional<std::string> unknown_token = {};                 // nullopt: characters without a token are dropped
  std::string continuing_prefix = {};                            // of tokens that continue a word
  std::string end_suffix = {};                                   // of tokens that end a word
  bool fuse_unknown = false;                                     // neighbouring unknown characters become one token
  bool byte_fallback = false;                                    // unknown characters become <0xNN> byte tokens
  bool ignore_merges = false;                                    // a word that is a token is not split
};

// Splits "a b" into two tokens; returns nullopt for anything but two tokens with one space between them.
std::optional<std::pair<std::string_view, std::string_view>> split_merge(std::string_view text);

// Parses merges.txt: two tokens per line; blank lines and lines that begin with #version are skipped. Throws
// Error(kInvalidFile), which names `source` and the line.
std::vector<std::pair<std::string, std::string>> parse_merges(std::string_view text, std::string_view source);

class Bpe : public SubwordModel {
 public:
  // A word is merged as a whole, which takes about 40 times its memory; a longer word is an error.
  static constexpr size_t kMaxWordBytes = size_t{1} << 24;

  // Throws Error(kInvalidFile), which names `source`, if a token of a merge or the unknown token is not in the
  // vocabulary. Keeps a reference to the vocabulary.
  Bpe(const Vocabulary& vocabulary, BpeSettings settings, std::string_view source);

  int32_t tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const override;
  std::optional<int32_t> unknown_id() const override { return unknown_id_; }
  const Bpe* byte_pairs() const override { return this; }

  // Returns whether the character of each byte of UTF-8 is a token, without prefix or suffix; split_bytes() requires
  // this.
  bool has_all_bytes() const { return has_all_bytes_; }

  // Sets `symbols` to the tokens of a word of UTF-8 bytes: those that tokenize() returns for the bytes' characters.
  // Throws Error(kInvalidText) as tokenize() does.
  void split_bytes(std::string_view word, BpeWord& symbols) const;

 private:
  void read(std::string_view word, BpeWord& symbols) const;
  bool add_bytes(std::string_view character, BpeWord& symbols) const;
  void add_merges(std::string_view source);
  void add_byte_symbols();
  int32_t character_id(std::string_view character, bool first, bool last) const;

  const Vocabulary& vocabulary_;
  BpeSettings settings_;
  MergeTable merges_;
  bool merges_grow_ = true;  // an argument of BpeWord::merge()
  std::optional<int32_t> unknown_id_;
  std::array<int32_t, 0x200> character_ids_{};  // for code points below 0x200, for tokens without prefix or suffix
  ByteSymbols byte_symbols_;                    // for the bytes' characters; with pairs if has_all_bytes_
  bool has_all_bytes_ = false;
  std::optional<ByteFallback> bytes_;  // set if the settings enable it
  uint32_t cache_owner_ = ChunkCache::new_owner();
};

}  // namespace bert
