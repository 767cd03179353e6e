#include "program/cli/explore/report.h"

#include <memory>

#include "program/cli/common.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {

void declare_report(OptionTable& table, Options& options, DrawnFiles& drawn, ReportOf subject,
                    const std::vector<OutputFormat>& formats) {
  declare_model(table, options);
  declare_positions(table, options);
  if (subject == ReportOf::kText) {
    declare_lengths(table, options);
    declare_truncation(table, options);
  }
  declare_output(table, options, formats);
  declare_drawn_files(table, drawn);
}

void declare_drawn_files(OptionTable& table, DrawnFiles& files) {
  table.output_file("--html", files.html, "also draw it: an HTML page, for light and dark screens and for print");
  table.output_file("--svg", files.svg, "also write one of the page's drawings, as SVG");
  table.number("--drawing", files.drawing,
               "the number of the drawing, counted from 1 in the order of the page (default: 1)", 1);
}

std::string given(size_t count) { return (count == 0 ? "none" : std::to_string(count)) + " given"; }

void declare_one_text(OptionTable& table, Options& options) {
  table.begin_group("Input");
  table.texts("--input", options.inputs, "FILE", "read the text from a file of one line; - is standard input");
}

void require_one_text(const Options& options) {
  if (options.texts.size() + options.inputs.size() == 1) return;
  throw UsageError("expected one TEXT" + std::string(options.inputs.empty() ? "" : " or --input FILE") + ", " +
                   given(options.texts.size() + options.inputs.size()));
}

void require_separate_files(const Options& options, const DrawnFiles& drawn) {
  if (drawn.drawing && drawn.svg.empty()) throw UsageError("--drawing is for --svg");
  for (const auto& [option, file] : {std::pair{"--html ", &drawn.html}, {"--svg ", &drawn.svg}}) {
    if (file->empty() || !is_standard_output(options.output) || !is_same_target(*file, options.output)) continue;
    throw UsageError(option + in_quotes(*file) + ": expected a file's name; the result goes to standard output");
  }
}

Sequence only_sequence(const Options& options, const Model& model, Console& console) {
  const std::unique_ptr<Input> input = open_input(options);
  Sequences sequences(*input, model, std::monostate{}, model_token_rules(options, model));
  Sequence sequence, another;
  const bool has_one = sequences.next(sequence);
  if (!has_one || sequences.next(another)) {
    throw InputError(
        "expected one line with a text in " +
        (options.inputs.front() == "-" ? std::string("standard input") : in_quotes(options.inputs.front())) +
        ", found " + (has_one ? "more" : "none"));
  }
  if (sequence.error) throw InputError(sequence.error->what());
  if (const size_t truncated = sequence.tokens.encoding.truncated_tokens; truncated > 0) {
    console.note("the text was too long and was truncated: " + with_commas(truncated) +
                 (truncated == 1 ? " token" : " tokens") + " removed");
  }
  return sequence;
}

void require_drawable(const DrawnFiles& drawn, const std::string& subject, size_t tokens, const char* hint) {
  if (drawn.empty() || tokens <= kMaxDrawnTokens) return;
  throw InputError(std::string(drawn.html.empty() ? "--svg" : "--html") + " draws at most " +
                   std::to_string(kMaxDrawnTokens) + " tokens, the " + subject + " has " + std::to_string(tokens) +
                   hint);
}

namespace {

// Writes a file that appears only when it is complete. Throws OutputError.
void write_file(const std::string& text, const std::string& name) {
  Output output(name, Output::Access::kStream);
  output.write(text);
  output.commit();
}

}  // namespace

std::string page_lead(const Sequence& sequence, const Model& model) {
  return drawings::page_lead(sequence.tokens.encoding, sequence.input.text, sequence.input.pair, model) +
         (sequence.positions.empty() ? "" : ", positions: " + sequence.positions);
}

Output open_report(const Options& options) {
  return Output(options.output,
                options.format == OutputFormat::kNpz ? Output::Access::kSeekable : Output::Access::kStream);
}

void write_drawn_files(const DrawnFiles& drawn, const Page& page) {
  const size_t number = drawn.drawing.value_or(1), count = page.drawn().size();
  if (number > count) {
    throw InputError("--drawing " + std::to_string(number) + ": the page has " + std::to_string(count) +
                     (count == 1 ? " drawing" : " drawings"));
  }
  if (!drawn.html.empty()) write_file(page.html(), drawn.html);
  if (!drawn.svg.empty()) write_file(standalone_svg(page.drawn()[number - 1]), drawn.svg);
}

void write_report(const Options& options, const DrawnFiles& drawn, Output& output, const Report& report) {
  if (!drawn.empty()) write_drawn_files(drawn, report.page());
  if (options.format == OutputFormat::kNpz) {
    NpzResults results(output);
    results.add(report.arrays());
    results.finish();
    output.commit();
    return;
  }
  output.write((options.format == OutputFormat::kText ? report.text(output.style()) : report.json()) + "\n");
  output.commit();
}

}  // namespace bert::cli
