// Byte-pair encoding: merges neighbouring symbols of a word, lowest merge rank first, then leftmost
// (tokenizer/model/bpe_word.h). Byte-level BPE is the same after tokenizer/model/byte_level.h has mapped each byte to a
// character, or over the bytes themselves. Source: Sennrich et al. 2016 and Hugging Face tokenizers 0.22.2, models/bpe.
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
  std::vector<std::pair<std::string, std::string>> merges = {};  // in the order in which they were learnt
  std::optional<std::string> unknown_token = {};                 // if unset, characters without a token are dropped
  std::string continuing_prefix = {};                            // before a token that continues a word
  std::string end_suffix = {};                                   // after a token that ends a word
  bool fuse_unknown = false;                                     // neighbouring unknown characters are one token
  bool byte_fallback = false;                                    // unknown characters become <0xNN> byte tokens
  bool ignore_merges = false;                                    // a word that is a token is that token
};

// "a b": two tokens with one space between; nullopt for anything else.
std::optional<std::pair<std::string_view, std::string_view>> split_merge(std::string_view text);

// merges.txt: two tokens per line; blank lines and lines that begin with #version are skipped.
// Throws Error(kInvalidFile) naming `source` and the line.
std::vector<std::pair<std::string, std::string>> parse_merges(std::string_view text, std::string_view source);

class Bpe : public SubwordModel {
 public:
  // A word is merged as a whole, in about 40 times its memory; a longer one is refused.
  static constexpr size_t kMaxWordBytes = size_t{1} << 24;

  // Throws Error(kInvalidFile) naming `source` if a token of a merge or the unknown token is not in the vocabulary.
  // Keeps a reference to the vocabulary.
  Bpe(const Vocabulary& vocabulary, BpeSettings settings, std::string_view source);

  int32_t tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const override;
  std::optional<int32_t> unknown_id() const override { return unknown_id_; }
  const Bpe* byte_pairs() const override { return this; }

  // Whether each byte of UTF-8 has a token of its character, without prefix or suffix, so that split_bytes() may be
  // called.
  bool has_all_bytes() const { return has_all_bytes_; }

  // Makes `symbols` the tokens of a word of UTF-8's bytes: those that tokenize() gives for the bytes' characters.
  // Throws Error(kInvalidText) as that does.
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
  bool merges_grow_ = true;  // as BpeWord::merge() asks
  std::optional<int32_t> unknown_id_;
  std::array<int32_t, 0x200> character_ids_{};  // of code points below 0x200, for tokens without prefix or suffix
  ByteSymbols byte_symbols_;                    // of the bytes' characters; with pairs if has_all_bytes_
  bool has_all_bytes_ = false;
  std::optional<ByteFallback> bytes_;  // if the settings enable it
  uint32_t cache_owner_ = ChunkCache::new_owner();
};

}  // namespace bert
