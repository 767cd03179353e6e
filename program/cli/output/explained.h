// Adds to a command's results, for --explain, why each score is what it is: as text, JSON, npz and a page. Used by one
// thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "bert/explain.h"
#include "program/cli/explore/report.h"
#include "program/cli/options/options.h"
#include "program/cli/output/npy.h"
#include "program/cli/output/output.h"

namespace bert::cli {

struct ExplainOptions {
  bool wanted = false;
  DrawnFiles drawn;
};

// Declares --explain, --html, --svg.
void declare_explain(OptionTable& table, ExplainOptions& explain, const std::string& help);
// Throws UsageError for options that need --explain, and if two of the written files are the same.
void check_explain(const Options& options, const ExplainOptions& explain);
class Explanation {
 public:
  explicit Explanation(ScoreExplanation why);
  // labels: the most labels that are shown in the text.
  Explanation(LabelExplanation why, size_t labels);

  const Findings& findings() const { return *findings_; }
  std::string json() const;            // returns an object
  std::vector<Array> arrays() const;   // for npz
  std::vector<size_t> tokens() const;  // numbers of tokens of its texts

 private:
  std::unique_ptr<const std::variant<ScoreExplanation, LabelExplanation>> why_;
  std::unique_ptr<Findings> findings_;
};

// One result, with its heading.
struct ExplainedResult {
  std::string heading;
  Explanation explanation;
};

// Returns a page's subtitle: “one” and “other”.
std::string two_texts(const std::string& one, const std::string& other);
// Writes the drawn files. Throws InputError for a text with too many tokens.
void draw_explanations(const DrawnFiles& drawn, const std::string& lead, const std::vector<ExplainedResult>& results);
// Writes the explanations for people, each under its heading.
void write_texts(Output& output, const std::vector<ExplainedResult>& results);
// Writes the explanations of the results as npz.
void write_arrays(Output& output, const std::vector<ExplainedResult>& results);

}  // namespace bert::cli
