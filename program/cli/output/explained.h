// What --explain adds to a command's results: why each score is what it is, as text, JSON, npz and a page. Used by one
// thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
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

// --explain, --html, --svg.
void declare_explain(OptionTable& table, ExplainOptions& explain, const std::string& help);
// Throws UsageError for what is only for --explain, and if two of the written files are one.
void check_explain(const Options& options, const ExplainOptions& explain);
class Explanation {
 public:
  explicit Explanation(ScoreExplanation why);
  // labels: at most so many are shown to people.
  Explanation(LabelExplanation why, size_t labels);

  const Findings& findings() const { return *findings_; }
  std::string json() const;            // an object
  std::vector<Array> arrays() const;   // for npz
  std::vector<size_t> tokens() const;  // of its texts

 private:
  std::unique_ptr<const std::variant<ScoreExplanation, LabelExplanation>> why_;
  std::unique_ptr<Findings> findings_;
};

// One of several results.
struct ExplainedResult {
  std::string heading;
  Explanation explanation;
};

// A page's subtitle: “one” and “other”.
std::string two_texts(const std::string& one, const std::string& other);
// Writes the drawn files. Throws InputError for a text of too many tokens.
void draw_explanations(const DrawnFiles& drawn, const std::string& lead, const std::vector<ExplainedResult>& results);
// For people, each under its heading.
void write_texts(Output& output, const std::vector<ExplainedResult>& results);
// The npz of the results.
void write_arrays(Output& output, const std::vector<ExplainedResult>& results);

}  // namespace bert::cli
