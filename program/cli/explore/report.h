// Shared by the research commands: their options, the one text, and the report as text, JSON and an HTML page. Used by
// one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bert/model.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/input/sequences.h"
#include "program/cli/options/options.h"
#include "program/cli/output/console.h"
#include "program/cli/output/npy.h"
#include "program/cli/output/output.h"

namespace bert::cli {

enum class ReportOf { kText, kModel };
inline const std::vector<OutputFormat> kReportFormats = {OutputFormat::kText, OutputFormat::kJson,
                                                         OutputFormat::kJsonl};

// The files for a report's drawings; empty: not written.
struct DrawnFiles {
  std::string html;                    // --html: a page with all drawings
  std::string svg;                     // --svg: one drawing
  std::optional<size_t> drawing = {};  // --drawing: the number of that drawing, from 1
  bool empty() const { return html.empty() && svg.empty(); }
};
void declare_drawn_files(OptionTable& table, DrawnFiles& files);

// Declares --model …, --format, --output, --html, --svg; for a text also --max-length and truncation.
void declare_report(OptionTable& table, Options& options, DrawnFiles& drawn, ReportOf subject = ReportOf::kText,
                    const std::vector<OutputFormat>& formats = kReportFormats);

// Declares --input, for a command with one text.
void declare_one_text(OptionTable& table, Options& options);

// These throw UsageError, before anything is loaded: the first unless there is one text; the second if two of --html,
// --svg and --output are the same file.
void require_one_text(const Options& options);
void require_separate_files(const Options& options, const DrawnFiles& drawn);
// Returns "none given", "3 given".
std::string given(size_t count);

// Returns the sequence of the command line's text (and pair); reports truncation. Throws InputError if the text cannot
// be tokenised, and Error if the model does not accept it.
Sequence only_sequence(const Options& options, const Model& model, Console& console);
// The end of require_drawable's message: how to make a text short enough to be drawn.
inline constexpr char kTruncatedByOption[] = " (--max-length truncates it)";

// Throws InputError if a drawn file is requested and `subject` has too many tokens for it. hint: ends the message.
void require_drawable(const DrawnFiles& drawn, const std::string& subject, size_t tokens, const char* hint = "");

// The report's forms; each is made only if it is needed. Text and JSON have no final line end.
struct Report {
  std::function<Page()> page;
  std::function<std::string(const TextStyle& style)> text;
  std::function<std::string()> json;
  std::function<std::vector<Array>()> arrays = {};  // for commands that write npz
};
void write_drawn_files(const DrawnFiles& drawn, const Page& page);
// Opens the output for --format.
Output open_report(const Options& options);
// Writes the drawn files, and the form of --format to `output`, which is then committed.
void write_report(const Options& options, const DrawnFiles& drawn, Output& output, const Report& report);

// Returns a page's subtitle, including positions that replace the model's own.
std::string page_lead(const Sequence& sequence, const Model& model);

}  // namespace bert::cli
