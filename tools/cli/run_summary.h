// What the commands share around their work: loading the model and printing its notices, and the summary of a run:
// failed texts, cut texts, progress, exit status. Used by one thread.
#pragma once

#include <cstddef>
#include <optional>

#include "bert/model.h"
#include "tools/cli/console.h"
#include "tools/cli/input.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"
#include "tools/cli/sequences.h"

namespace bert::cli {

// Throws UsageError where there is a TEXT; for the check before anything is loaded. `instead`: what it takes.
void require_no_text(const Options& options, const char* command, const char* instead = "");

// The model that the options name, or the built-in one, with these positions.
Model open_model(const Options& options, Positions positions);
// The same with the positions that the options name; its notices are printed.
Model load_model(const Options& options, Console& console);

// The same without the weights.
LoadedTokenizer load_tokenizer_only(const Options& options, Console& console);

// The rules for texts that go through this model's encoder.
TokenRules model_token_rules(const Options& options, const Model& model);

// The same for texts that are embedded.
TokenRules embed_token_rules(const Options& options, const Model& model, const EmbedOptions& chosen);

// Throws the Error, with `name` before it, of a text that cannot be tokenised at any length: for one that many others
// stand beside.
void check_text(const Model& model, const std::string& text, const std::string& name);

// Refuses, before a million texts fail with it one by one, a pooling that cannot be done; says once how vectors are
// pooled where neither the model's files nor --pooling decide.
void settle_pooling(const Model& model, const EmbedOptions& chosen, Console& console);

// Counts the results of a run.
class RunSummary {
 public:
  RunSummary(const Input& input, const Output& output, Console& console);

  // To be called once for each result, in order. Reports its error.
  void count(const Sequence& sequence);
  // Says what there is to say at the end; the exit status.
  int finish();

 private:
  const Input& input_;
  Console& console_;
  Progress progress_;
  size_t texts_ = 0;
  size_t failed_ = 0;
  size_t last_failed_ = 0;  // the number of its item
  size_t cut_texts_ = 0;
  size_t cut_tokens_ = 0;
};

}  // namespace bert::cli
