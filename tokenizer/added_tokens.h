// Added tokens: strings that are matched whole before the text is split into words: [CLS], [MASK], a user's [ENT].
// Tokens with normalized = false match the raw text; the others are normalized and match the normalized text. Source:
// Hugging Face tokenizers 0.23.3, added_vocabulary. Immutable after it is built; any number of threads may read.
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
  bool single_word = false;  // no match next to a word character (\w)
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // takes the white space after it
  bool normalized = false;   // matches the normalized text
  bool special = false;
  bool operator==(const AddedToken&) const = default;
};

// An added token at bytes [begin, end) of the text that was searched.
struct AddedTokenMatch {
  size_t begin;
  size_t end;
  int32_t id;
};

class AddedTokens {
 public:
  AddedTokens() = default;

  // The reference adds tokens in two calls: the first `in_tokenizer_json` of them, then the others. A token in the
  // vocabulary keeps its id; the others of a call get ids in order, from the number of the vocabulary's tokens or, if
  // an earlier call gave such ids, after the largest. Of tokens with equal content the first gets the id and the last
  // decides the flags, but `special` stays; empty content is ignored.
  // Throws Error(kUnsupported) naming `source` if two tokens get one id, which needs a vocabulary with unassigned ids,
  // or if normalization makes tokens equal or empty: the reference's result is then arbitrary.
  AddedTokens(const Vocabulary& vocabulary, const Normalizer& normalizer, const std::vector<AddedToken>& tokens,
              std::string_view source, size_t in_tokenizer_json = 0);

  // These and, as special tokens after them, the contents that are not among them.
  AddedTokens with_special(const Vocabulary& vocabulary, const Normalizer& normalizer,
                           const std::vector<std::string>& contents, std::string_view source) const;

  std::optional<int32_t> id(std::string_view content) const;
  const AddedToken* token(int32_t id) const;  // null if the id is not an added token
  bool is_special(std::string_view content) const;
  size_t id_end() const { return id_end_; }  // one past the largest id of an added token
  bool any_normalized() const { return !normalized_.empty(); }
  // Whether a token that is sought in the normalized text has a space.
  bool any_normalized_with_space() const { return normalized_.has(' '); }

  // The matches in a raw text, or in a normalized one, in order: leftmost, then longest, none inside another.
  // split_special: special tokens are text.
  using Visit = std::function<void(const AddedTokenMatch&)>;
  void find_raw(std::string_view text, bool split_special, const Visit& visit) const {
    find(raw_, text, split_special, visit);
  }
  void find_normalized(std::string_view text, bool split_special, const Visit& visit) const {
    find(normalized_, text, split_special, visit);
  }

  // Whether a normalized text may be cut before text[at], behind its beginning: each part alone has the matches that it
  // has in the whole.
  bool may_cut(std::string_view text, size_t at) const;

 private:
  // The longest token at each position of a text, in time linear in the text, whatever the tokens: the automaton of Aho
  // and Corasick (1975) over the tokens' bytes from last to first.
  class Matcher {
   public:
    bool add(std::string_view text, int32_t id);  // false, with nothing added, if the text is there already
    void finish();                                // after the last add()
    bool empty() const { return nodes_.size() == 1; }
    bool has(char byte) const;  // whether a token has the byte
    // Whether a token can end with `before`, begin with `after`, or hold both, one after the other.
    bool may_touch(char before, char after) const;
    // Replaces `matches` with the longest token at each position from `begin` to `end` that has one, from the last.
    void longest(std::string_view text, size_t begin, size_t end, std::vector<AddedTokenMatch>& matches) const;

   private:
    // The end of a text that is also the end of a token, read from right to left.
    struct Node {
      int32_t id = -1;       // of the longest token at its beginning; -1: none
      uint32_t size = 0;     // of that token, in bytes
      uint32_t shorter = 0;  // the node of its longest beginning that is the end of a token
      std::vector<std::pair<char, uint32_t>> next;
    };
    const uint32_t* child(uint32_t node, char byte) const;
    size_t last_end(std::string_view text, size_t begin, size_t before) const;
    std::vector<Node> nodes_ = std::vector<Node>(1);
    std::array<bool, 256> ends_{};    // the last bytes of tokens
    std::array<bool, 256> begins_{};  // the first bytes
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
