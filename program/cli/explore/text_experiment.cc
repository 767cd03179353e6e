#include "program/cli/explore/text_experiment.h"

#include "program/cli/explore/report.h"
#include "program/cli/output/output.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {

void TextExperiment::declare_text_report(OptionTable& table, const std::vector<OutputFormat>& formats) {
  declare_one_text(table, options);
  declare_report(table, options, drawn_, ReportOf::kText, formats);
}

int TextExperiment::run(Console& console) {
  require_one_text(options);
  require_separate_files(options, drawn_);
  Output output = open_report(options);
  const Model model = load_model(options, console);
  const Sequence sequence = only_sequence(options, model, console);
  check(sequence);
  const Findings& findings = examine(model, sequence, console);
  model.check_files();
  const auto page = [&] {
    Page drawn(findings.title(), page_lead(sequence, model));
    findings.add_to(drawn);
    return drawn;
  };
  write_report(options, drawn_, output,
               {.page = page,
                .text = [&](const TextStyle& style) { return findings.text(style); },
                .json = [&] { return json(sequence, model); },
                .arrays = [&] { return arrays(sequence, model); }});
  return kDone;
}

void TextExperiment::check(const Sequence& sequence) const {
  require_drawable(drawn_, "text", sequence.tokens.encoding.size(), kTruncatedByOption);
}

const Findings& TextExperiment::examine(const Model& model, const Sequence& sequence, Console& console) {
  findings_ = compute(model, sequence, console);
  return *findings_;
}

}  // namespace bert::cli
