// What the commands share that look inside a model on one text: its tokens, their labels, the lead of the page.
// Used by one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/rows.h"
#include "bert/model.h"
#include "tools/cli/console.h"
#include "tools/cli/explore/html/page.h"
#include "tools/cli/options.h"
#include "tools/cli/output.h"
#include "tools/cli/sequences.h"

namespace bert::cli {

// Tokens of a text that a page can draw and a person can read.
inline constexpr size_t kMostDrawnTokens = 64;

// --model …, --max-length …, --format, --output, --html.
void declare_question(OptionTable& table, Options& options, std::string& html, bool of_a_text = true);

// Each throws UsageError; for the check before anything is loaded. One TEXT; a page that has a file of its own.
void require_one_text(const Options& options, const char* command);
void require_own_file(const Options& options, const std::string& html);

// The one sequence of the command line's text (and pair); says what was cut. Throws InputError where the text cannot be
// tokenised, or is too long for the page that `html` asks for; Error where the model does not take it.
Sequence only_sequence(const Options& options, const Model& model, const std::string& html, Console& console);

std::vector<std::string> token_labels(const Sequence& sequence, const Model& model);

// What was found, in its three forms, each without the last line's end; made only where it is asked for.
struct Findings {
  std::function<Page()> page;
  std::function<std::string(bool color)> text;
  std::function<std::string()> json;
};
// The page to `html` where that names a file, the form of --format to `output`, which is committed.
void write_findings(const Options& options, const std::string& html, Output& output, const Findings& findings);

// "of the text …, by the model …"
std::string page_lead(const Sequence& sequence, const Model& model);
std::string model_name(const Model& model);

// A layer's rows, [tokens, hidden]; 0: the embeddings.
size_t layer_count(const EncodedSequence& encoded);  // the embeddings included
analysis::Rows layer_rows(const EncodedSequence& encoded, size_t layer);

// "0", "1", … or "1", "2", …
std::vector<std::string> counted(size_t first, size_t count);

double mean(std::span<const double> values);
// 0.123 as "12 %".
std::string percent(double share, int decimals = 0);

}  // namespace bert::cli
