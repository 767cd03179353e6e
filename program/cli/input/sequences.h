// Runs every text of the input through the library's pipeline; each result has its item's source. Used by one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bert/task_calls.h"
#include "program/cli/input/input.h"
#include "program/cli/output/text_units.h"

namespace bert::cli {

// One sequence of tokens: a text, a pair, a window of one, or ids from the input.
struct Sequence : TextResult {
  ItemSource source;
  std::string positions;  // with --positions: the positions that replace the model's own
  // The units of the text, without a prompt, and of its pair; set with --offsets. A window has the units of the text
  // that it is a part of.
  std::shared_ptr<const TextUnits> units;
};

// The error of an item with ids where only texts are allowed.
inline constexpr const char* kNeedsText = "\"ids\" where a \"text\" must be";
inline constexpr const char* kNeedsNoPair = "a \"pair\" where the text alone must be";

// How texts are split and batched, by the options and the model's files.
struct TokenRules {
  TokenizeOptions tokenize;
  bool windows = false;
  bool fits_stride = false;       // as in TextOptions
  bool keeps_truncation = false;  // keep the user's choice of truncation, whatever the task would choose
  size_t batch_tokens = 0;        // 0: the library's default
  std::string no_ids = {};        // the error for an item with ids instead of a text; empty: ids are allowed
  std::string no_pair = {};       // the error for an item with a pair; empty: pairs are allowed
  std::string positions = {};     // as in Sequence::positions
  std::optional<OffsetUnit> offset_unit = {};
};

// Makes the rules. Throws Error for a limit beyond the position table, or without room for the stride or the special
// tokens; UsageError for contradictory options. special_tokens: of a text; max_length: the model's default limit;
// max_positions: the position table's; nullopt: unknown.
TokenRules token_rules(const Options& options, size_t special_tokens, std::optional<size_t> max_length,
                       std::optional<size_t> max_positions);

// Converts the rules to options of the library.
TextOptions text_options(const TokenRules& rules);

// The items of an input, checked by the rules; an item's tag is its source.
class SourceItems : public TextSource {
 public:
  SourceItems(Input& input, const TokenRules& rules) : input_(input), no_ids_(rules.no_ids), no_pair_(rules.no_pair) {}
  State next(TextItem& text, Wait wait) override;

 private:
  Input& input_;
  const std::string no_ids_, no_pair_;
};

// Makes sequences from the library's results, in order.
class SequenceMaker {
 public:
  explicit SequenceMaker(const TokenRules& rules) : positions_(rules.positions), offset_unit_(rules.offset_unit) {}
  Sequence make(TextResult result);

 private:
  const std::string positions_;
  const std::optional<OffsetUnit> offset_unit_;
  std::shared_ptr<const TextUnits> units_;  // for the last text
};

class Sequences {
 public:
  Sequences(Input& input, const Model& model, const TextTask& task, const TokenRules& rules);
  // Only tokenises.
  Sequences(Input& input, const Tokenizer& tokenizer, const TokenRules& rules);

  // Reads the next sequence; returns false at the end of the input.
  bool next(Sequence& sequence);
  // Returns false if next() would compute or wait; results so far should then be flushed.
  bool ready() const { return pipeline_.ready(); }

 private:
  SourceItems items_;
  SequenceMaker maker_;
  TextPipeline pipeline_;
};

// The results of a task's texts, which are read by the rules with the task's adjustments.
class TaskTexts {
 public:
  TaskTexts(Input& input, const Model& model, const TaskCall& call, const TokenRules& rules);

  // Reads the next text: its first sequence, with the counts and the error of all its sequences; returns false at the
  // end. Throws the query's error.
  bool next(Sequence& text);
  // The result of that text, if it has no error.
  const TaskOutput& result() const { return result_; }
  std::span<const Sequence> sequences() const { return read_; }
  const TextResult* query() const { return run_.query(); }  // null: the task has no query

  bool ready() const { return run_.ready(); }

 private:
  SourceItems items_;
  SequenceMaker maker_;
  TaskRun run_;
  TaskOutput result_;
  std::vector<Sequence> read_;
};

}  // namespace bert::cli
