// From items to results: every text of the input through the library's pipeline, each result with the place that its
// item had. Used by one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bert/text_pipeline.h"
#include "tools/cli/input.h"

namespace bert::cli {

// One sequence of tokens: a text, a pair, a window of one of them, or ids that the input gave.
struct Sequence : TextResult {
  ItemSource source;
  std::string positions;  // with --positions: which ones the model has instead of its own
};

// What is wrong with an item that gives ids, or a pair, where they cannot be.
inline constexpr const char* kNeedsText = "\"ids\" where a \"text\" must be";
inline constexpr const char* kNeedsNoPair = "a \"pair\" where the text alone must be";

// How texts are cut and gathered, as the options and the model's files say.
struct TokenRules {
  TokenizeOptions tokenize;
  bool windows = false;
  size_t batch_tokens = 0;     // 0: the library's default
  std::string no_ids = {};     // the error of an item that has ids in place of a text; empty: it may
  std::string no_pair = {};    // the same of one that has a pair
  std::string positions = {};  // as Sequence::positions
};

// Throws Error for a limit past the position table, or one with no room for the stride or the special tokens;
// UsageError for options that contradict each other. max_length: the model's default limit; max_positions: the position
// table's; none: nothing says one.
TokenRules token_rules(const Options& options, const Tokenizer& tokenizer, std::optional<size_t> max_length,
                       std::optional<size_t> max_positions);

class Sequences {
 public:
  Sequences(Input& input, const Model& model, const TextTask& task, const TokenRules& rules);
  // Tokenises only.
  Sequences(Input& input, const Tokenizer& tokenizer, const TokenRules& rules);

  // False when the input is at its end.
  bool next(Sequence& sequence);
  // False where next() would have to compute or to wait, so that what is there should be handed on.
  bool ready() const { return pipeline_.ready(); }

 private:
  class Items : public TextSource {
   public:
    Items(Input& input, const TokenRules& rules) : input_(input), no_ids_(rules.no_ids), no_pair_(rules.no_pair) {}
    State next(TextItem& text, Wait wait) override;

   private:
    Input& input_;
    const std::string no_ids_, no_pair_;
  };

  Items items_;
  const std::string positions_;
  TextPipeline pipeline_;
};

}  // namespace bert::cli
