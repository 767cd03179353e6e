// Added tokens: strings that are matched whole before the text is split into words, such as [CLS], [MASK] or a user's
// [ENT]. Tokens with normalized = false match the raw text; the others are normalized and match the normalized text.
// Source: Hugging Face tokenizers 0.23.3, added_vocabulary. Immutable after it is built; any number of threads may
// read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tokenizer/model/vocabulary.h"
#include "tokenizer/normalizer/normalizer.h"

namespace bert {

struct AddedToken {
  std::string content;
  bool single_word = false;  // does not match next to a word character (\w)
  bool lstrip = false;       // includes the white space before it
  bool rstrip = false;       // includes the white space after it
  bool normalized = false;   // matches the normalized text
  bool special = false;
  bool operator==(const AddedToken&) const = default;
};

// An added token found at bytes [begin, end) of the searched text.
struct AddedTokenMatch {
  size_t begin;
  size_t end;
  int32_t id;
};

class AddedTokens {
 public:
  AddedTokens() = default;

  // The reference adds tokens in two calls: the first `in_tokenizer_json` tokens, then the others. A token in the
  // vocabulary keeps its id. The other tokens of a call get ids in order, starting at the number of the vocabulary's
  // tokens, or, if an earlier call gave such ids, after the largest. Of tokens with equal content the first gets the id
  // and the last decides the flags, but `special` stays; empty content is ignored. Throws Error(kUnsupported), which
  // names `source`, if two tokens get the same id, which happens only if the vocabulary has unassigned ids, or if
  // normalization makes tokens equal or empty: the reference's result is then arbitrary.
  AddedTokens(const Vocabulary& vocabulary, const Normalizer& normalizer, const std::vector<AddedToken>& tokens,
              std::string_view source, size_t in_tokenizer_json = 0);

  // Returns these tokens, followed by the contents that are not among them as special tokens.
  AddedTokens with_special(const Vocabulary& vocabulary, const Normalizer& normalizer,
                           const std::vector<std::string>& contents, std::string_view source) const;

  std::optional<int32_t> id(std::string_view content) const;
  const AddedToken* token(int32_t id) const;  // null: the id is not an added token's
  bool is_special(std::string_view content) const;
  size_t id_end() const { return id_end_; }  // the largest id of an added token + 1
  bool any_normalized() const { return !normalized_.empty(); }
  // Returns whether a token that matches the normalized text contains a space.
  bool any_normalized_with_space() const { return normalized_.has(' '); }

  // Visit the matches in a raw or a normalized text, in order: leftmost first, then longest, without overlaps.
  // split_special: special tokens are plain text.
  using Visit = std::function<void(const AddedTokenMatch&)>;
  void find_raw(std::string_view text, bool split_special, const Visit& visit) const {
    find(raw_, text, split_special, visit);
  }
  void find_normalized(std::string_view text, bool split_special, const Visit& visit) const {
    find(normalized_, text, split_special, visit);
  }

  // Returns whether a normalized text may be cut before text[at], at > 0, so that both parts together have the matches
  // of the whole.
  bool may_cut(std::string_view text, size_t at) const;

 private:
  // Finds the longest token at each position of a text, in time linear in the text, whatever the tokens: the automaton
  // of Aho and Corasick (1975), which reads the tokens' bytes from last to first.
  class Matcher {
   public:
    bool add(std::string_view text, int32_t id);  // returns false, and adds nothing, for a duplicate
    void finish();                                // call after the last add()
    bool empty() const { return nodes_.size() == 1; }
    bool has(char byte) const;  // whether a token contains the byte
    // Returns whether a token can end with `before`, begin with `after`, or contain both in sequence.
    bool may_touch(char before, char after) const;
    // Replaces `matches` with the longest token at each position from `begin` to `end` that has one, the last position
    // first.
    void longest(std::string_view text, size_t begin, size_t end, std::vector<AddedTokenMatch>& matches) const;

   private:
    // A suffix of the text, read from right to left, that is also a suffix of a token.
    struct Node {
      int32_t id = -1;       // of the longest token that begins here; -1: none
      uint32_t size = 0;     // that token's size in bytes
      uint32_t shorter = 0;  // node of its longest prefix that is a suffix of a token
      std::vector<std::pair<char, uint32_t>> next;
    };
    const uint32_t* child(uint32_t node, char byte) const;
    size_t last_end(std::string_view text, size_t begin, size_t before) const;
    std::vector<Node> nodes_ = std::vector<Node>(1);
    std::array<bool, 256> ends_{};    // the last bytes of tokens
    std::array<bool, 256> begins_{};  // the first bytes of tokens
    std::set<std::pair<char, char>> neighbors_;
    size_t longest_token_ = 0;
  };

  void find(const Matcher& matcher, std::string_view text, bool split_special, const Visit& visit) const;

  std::map<int32_t, AddedToken> by_id_;
  std::unordered_map<std::string, int32_t> ids_;
  size_t id_end_ = 0;
  Matcher raw_, normalized_;
};

}  // namespace bert
