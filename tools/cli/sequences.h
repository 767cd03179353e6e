// From items to sequences of tokens: every text of the input, tokenised, or what is wrong with it in its place.
// Used by one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "bert/model.h"
#include "bert/tokenizer.h"
#include "tools/cli/input.h"

namespace bert::cli {

// One sequence of tokens: a text, a pair, a window of one of them, or ids that the input gave.
struct Sequence {
  ItemSource source;
  std::optional<size_t> window;  // with --stride: which window of its text, from 0
  std::string text;              // of its first window only; empty where the input gave ids
  std::string pair;
  Encoding encoding;
  bool from_text = true;  // false: the input gave ids; the encoding has ids and type_ids only
  std::string positions;  // with --positions: which ones the model has instead of its own
  std::string error;      // not empty: there is no result, and why
};

// What is wrong with an item that gives ids, or a pair, where they cannot be.
inline constexpr const char* kNeedsText = "\"ids\" where a \"text\" must be";
inline constexpr const char* kNeedsNoPair = "a \"pair\" where the text alone must be";

// How texts are cut, as the options and the model's files say.
struct TokenRules {
  TokenizeOptions tokenize;
  bool windows = false;
  std::string no_ids = {};     // the error of an item that has ids in place of a text; empty: it may
  std::string no_pair = {};    // the same of one that has a pair
  std::string prompt = {};     // goes before each text
  std::string positions = {};  // as Sequence::positions
};

// Throws Error for a limit past the position table, or one with no room for the stride or the special tokens;
// UsageError for options that contradict each other. max_length: the model's default limit; max_positions: the position
// table's; none: nothing says one.
TokenRules token_rules(const Options& options, const Tokenizer& tokenizer, std::optional<size_t> max_length,
                       std::optional<size_t> max_positions);

class Sequences {
 public:
  Sequences(Input& input, const Tokenizer& tokenizer, const TokenRules& rules)
      : input_(input), tokenizer_(tokenizer), rules_(rules) {}

  // False when the input is at its end.
  bool next(Sequence& sequence);

 private:
  void tokenize(Item& item);

  Input& input_;
  const Tokenizer& tokenizer_;
  TokenRules rules_;
  std::deque<Sequence> ready_;
};

}  // namespace bert::cli
