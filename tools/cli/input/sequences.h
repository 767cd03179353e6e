// From items to results: runs every text of the input through the library's pipeline; each result has its item's
// source. Used by one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "bert/text_pipeline.h"
#include "tools/cli/input/input.h"
#include "tools/cli/output/text_units.h"

namespace bert::cli {

// One sequence of tokens: a text, a pair, a window of one of them, or ids from the input.
struct Sequence : TextResult {
  ItemSource source;
  std::string positions;  // with --positions: those that replace the model's own
  // With --offsets: the units of its text, without a prompt, and of its pair. A window has those of its text.
  std::shared_ptr<const TextUnits> units;
};

// The error of an item with ids, or with a pair, if not allowed.
inline constexpr const char* kNeedsText = "\"ids\" where a \"text\" must be";
inline constexpr const char* kNeedsNoPair = "a \"pair\" where the text alone must be";

// How texts are split and batched, from the options and the model's files.
struct TokenRules {
  TokenizeOptions tokenize;
  bool windows = false;
  bool fits_stride = false;    // as in TextOptions
  size_t batch_tokens = 0;     // 0: the library's default
  std::string no_ids = {};     // the error of an item with ids instead of a text; empty: allowed
  std::string no_pair = {};    // the same for a pair
  std::string positions = {};  // as in Sequence::positions
  std::optional<OffsetUnit> offset_unit = {};
};

// Throws Error for a limit past the position table, or without room for the stride or the special tokens; UsageError
// for contradictory options. special_tokens: of a text; max_length: the model's default limit; max_positions: the
// position table's; nullopt: unknown.
TokenRules token_rules(const Options& options, size_t special_tokens, std::optional<size_t> max_length,
                       std::optional<size_t> max_positions);

// The same for the library.
TextOptions text_options(const TokenRules& rules);

class Sequences {
 public:
  Sequences(Input& input, const Model& model, const TextTask& task, const TokenRules& rules);
  // Tokenises only.
  Sequences(Input& input, const Tokenizer& tokenizer, const TokenRules& rules);

  // False at the end of the input.
  bool next(Sequence& sequence);
  // False if next() would compute or wait, so that results so far should be flushed.
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
  const std::optional<OffsetUnit> offset_unit_;
  std::shared_ptr<const TextUnits> units_;  // of the last text
  TextPipeline pipeline_;
};

}  // namespace bert::cli
