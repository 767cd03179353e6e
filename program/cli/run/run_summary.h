// Shared by the commands: loading the model and printing its notices, and the summary of a run: failed texts, cut
// texts, progress, exit status. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "bert/model.h"
#include "bert/redact.h"
#include "program/cli/input/input.h"
#include "program/cli/input/sequences.h"
#include "program/cli/options/options.h"
#include "program/cli/output/console.h"
#include "program/cli/output/output.h"
#include "program/cli/output/progress.h"

namespace bert::cli {

// Throws UsageError if there is a TEXT; checked before loading. `instead`: what the command takes.
void require_no_text(const Options& options, const char* command, const char* instead = "");

// For commands of a model and one more directory: of two texts the first is the model, if no option names it. Throws
// UsageError: `command` needs `needed`.
void take_model_and_directory(Options& options, const char* command, const char* needed);

// The model of this name, or the built-in one if it is empty.
Model open_model(const std::string& name, const LoadOptions& options);
// The model that the options name, or the built-in one; prints its notices.
Model load_model(const Options& options, Console& console);

// The same without the weights.
LoadedTokenizer load_tokenizer_only(const Options& options, Console& console);

// What results report of --positions and --positions-at; "": neither is given.
std::string replaced_positions(const Options& options, const Model& model);

// The rules for the texts of this model's encoder. Throws Error if the input has only texts and the model no tokenizer.
TokenRules model_token_rules(const Options& options, const Model& model);

// The same for texts to embed.
TokenRules embed_token_rules(const Options& options, const Model& model, bool has_prompt);

// Throws the Error of a text that cannot be tokenised at any length, with `name` before it: for a text that is combined
// with many others.
void check_text(const Model& model, const std::string& text, const std::string& name);

// Rejects an impossible pooling once, before each text fails with it; reports the pooling if neither the model's files
// nor --pooling decide it.
void settle_pooling(const Model& model, const EmbedOptions& chosen, Console& console);

struct RunCounts {
  size_t texts = 0;
  size_t results = 0;  // more than texts where texts have windows
  size_t tokens = 0;   // including special tokens
  size_t failed = 0;
  size_t cut_texts = 0;
  size_t cut_tokens = 0;
  size_t unknown_texts = 0;  // of which much is unknown
  size_t coarse_texts = 0;   // with rows of activations that 8 bits hardly hold
  size_t coarse_rows = 0;
  size_t redacted_texts = 0;               // of which a part was replaced
  std::map<std::string, size_t> replaced;  // parts by their labels
};

// Counts the results of a run.
class RunSummary {
 public:
  // `before`: the counts of the run that this one goes on with; bytes_before: of the input that it read.
  RunSummary(const Input& input, const Output& output, Console& console, const RunCounts& before = {},
             uint64_t bytes_before = 0);

  // Call once for each result, in order. Reports its error.
  void count(const Sequence& sequence) { count(sequence, {&sequence, 1}); }
  // The same for a result of several sequences: the windows of a text, or two texts.
  void count(const Sequence& result, std::span<const Sequence> sequences);
  void count_replaced(std::span<const Redaction> parts);  // of a text
  const RunCounts& counts() const { return counts_; }
  // Reports the summary; returns the exit status.
  int finish();
  // The same after completing the output.
  int finish(Output& output);
  // The same for a run with weights. Throws Error, with the output incomplete, if one of their files was written
  // meanwhile.
  int finish(Output& output, const Model& model);

 private:
  const Input& input_;
  Console& console_;
  Progress progress_;
  RunCounts counts_;
  const bool goes_on_;       // a run that was interrupted; it may have been after its last line
  size_t last_failed_ = 0;   // the number of its item
  size_t cut_to_ = 0;        // tokens of the longest text that was cut, which is the limit
  size_t last_unknown_ = 0;  // the number of its item
  size_t last_coarse_ = 0;   // the same
};

}  // namespace bert::cli
