// Shared by the commands: loading the model and printing its notices, and the summary of a run: failed texts, truncated
// texts, progress, exit status. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

// Throws UsageError if there is a TEXT; checked before loading. instead: what the command takes.
void require_no_text(const Options& options, const char* command, const char* instead = "");

// For commands with a model and one more directory: if no option names the model, the first of two texts does. Throws
// UsageError if the directory is missing: `command` needs `needed`.
void take_model_and_directory(Options& options, const char* command, const char* needed);

// Loads the model of this name, or the built-in model if the name is empty.
Model open_model(const std::string& name, const LoadOptions& options);
// Loads the model that the options name, or the built-in model; prints its notices.
Model load_model(const Options& options, Console& console);

// Loads only the tokenizer, and prints its notices.
LoadedTokenizer load_tokenizer_only(const Options& options, Console& console);

// Returns what results report of --positions and --positions-at; "": neither is given.
std::string replaced_positions(const Options& options, const Model& model);

// Returns the rules for texts of this model. Throws Error if the input can only have texts and the model has no
// tokenizer.
TokenRules model_token_rules(const Options& options, const Model& model);

// Returns the rules for texts to embed.
TokenRules embed_token_rules(const Options& options, const Model& model, bool has_prompt);

// Throws Error, with `name` before the message, for a text that cannot be tokenised at any length; used for a text that
// is combined with many others.
void check_text(const Model& model, const std::string& text, const std::string& name);

// Rejects an impossible pooling before each text would fail with it; reports the pooling if neither the model's files
// nor --pooling determine it.
void settle_pooling(const Model& model, const EmbedOptions& chosen, Console& console);

struct RunCounts {
  size_t texts = 0;
  size_t results = 0;  // more than texts if texts have windows
  size_t tokens = 0;   // including special tokens
  size_t failed = 0;
  size_t cut_texts = 0;
  size_t cut_tokens = 0;
  size_t unknown_texts = 0;  // texts of which much is unknown
  size_t coarse_texts = 0;   // texts with rows of activations that 8 bits represent poorly
  size_t coarse_rows = 0;
  size_t redacted_texts = 0;               // texts of which a part was replaced
  std::map<std::string, size_t> replaced;  // number of replaced parts by label
};

// Counts the results of a run.
class RunSummary {
 public:
  // before: the counts of the earlier run that this one continues; bytes_before: bytes of the input that it read.
  RunSummary(const Input& input, const Output& output, Console& console, const RunCounts& before = {},
             uint64_t bytes_before = 0);

  // Call once for each result, in order. Reports its error.
  void count(const Sequence& sequence) { count(sequence, {&sequence, 1}); }
  // As count(), for a result of several sequences: the windows of a text, or two texts.
  void count(const Sequence& result, std::span<const Sequence> sequences);
  void count_replaced(std::span<const Redaction> parts);  // for the parts of a text
  const RunCounts& counts() const { return counts_; }
  // Prints the summary; returns the exit status.
  int finish();
  // Completes the output, then prints the summary.
  int finish(Output& output);
  // As finish(output), for a run with weights. Throws Error, and leaves the output incomplete, if a file of the weights
  // was written to meanwhile.
  int finish(Output& output, const Model& model);

 private:
  const Input& input_;
  Console& console_;
  Progress progress_;
  RunCounts counts_;
  const bool goes_on_;       // continues an interrupted run, which may have ended after its last line
  size_t last_failed_ = 0;   // number of the last failed item
  size_t cut_to_ = 0;        // tokens of the longest truncated text, which is the limit
  size_t last_unknown_ = 0;  // number of the last such item
  size_t last_coarse_ = 0;   // number of the last such item
};

}  // namespace bert::cli
