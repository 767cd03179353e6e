#include "tools/cli/explore/report.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "tools/cli/common.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {

void declare_report(OptionTable& table, Options& options, DrawnFiles& drawn, ReportOf subject) {
  declare_model(table, options);
  if (subject == ReportOf::kText) {
    declare_lengths(table, options);
    declare_truncation(table, options);
  }
  declare_output(table, options, {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl});
  declare_drawn_files(table, drawn);
}

void declare_drawn_files(OptionTable& table, DrawnFiles& files) {
  table.text("--html", files.html, "FILE", "also draw it: an HTML page, for light and dark screens and for print");
  table.text("--svg", files.svg, "FILE", "also write the page's first drawing, as SVG");
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
  for (const auto& [option, file] : {std::pair{"--html ", &drawn.html}, {"--svg ", &drawn.svg}}) {
    if (file->empty() || !is_same_target(*file, options.output)) continue;
    throw UsageError(option + in_quotes(*file) +
                     (is_standard_output(options.output)
                          ? ": expected a file's name; the result goes to standard output"
                          : ": expected another file; the result goes to --output " + in_quotes(options.output)));
  }
  if (!drawn.html.empty() && !drawn.svg.empty() && is_same_target(drawn.svg, drawn.html)) {
    throw UsageError("--svg " + in_quotes(drawn.svg) + ": expected another file; the page goes to --html " +
                     in_quotes(drawn.html));
  }
}

Sequence only_sequence(const Options& options, const Model& model, const DrawnFiles& drawn, Console& console) {
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
  if (const size_t cut = sequence.encoding.truncated_tokens; cut > 0) {
    console.note("the text was too long and was truncated: " + with_commas(cut) + (cut == 1 ? " token" : " tokens") +
                 " removed");
  }
  require_drawable(drawn, "text", sequence.encoding.size(), " (--max-length truncates it)");
  return sequence;
}

void require_drawable(const DrawnFiles& drawn, const std::string& subject, size_t tokens, const char* hint) {
  if (drawn.empty() || tokens <= kMaxDrawnTokens) return;
  throw InputError(std::string(drawn.html.empty() ? "--svg" : "--html") + " draws at most " +
                   std::to_string(kMaxDrawnTokens) + " tokens, the " + subject + " has " + std::to_string(tokens) +
                   hint);
}

std::vector<std::string> token_labels(const Sequence& sequence, const Model& model) {
  std::vector<std::string> labels;
  for (const int32_t id : sequence.encoding.ids) labels.push_back(one_line(model.tokenizer().token(id)));
  return labels;
}

std::string name_of_directory(const std::string& directory) {
  std::filesystem::path path = std::filesystem::path(directory).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string folder = path.parent_path().parent_path().filename().string();
  if (path.parent_path().filename() != "snapshots" || !folder.starts_with("models--")) {
    std::error_code no;
    return path.filename() == "." || path.filename() == ".." ? std::filesystem::canonical(path, no).filename().string()
                                                             : path.filename().string();
  }
  std::string name = folder.substr(std::string("models--").size());
  if (const size_t at = name.find("--"); at != std::string::npos) name.replace(at, 2, "/");
  return name;
}

std::string model_name(const Model& model) {
  const ModelDescription description = model.describe();
  return description.is_builtin ? "the built-in model" : one_line(description.source);
}

std::string name_on_page(const Model& model) {
  const ModelDescription description = model.describe();
  return description.is_builtin ? "the built-in model" : one_line(name_of_directory(description.source));
}

namespace {

// What the tokens stand for, as it was written.
std::string drawn_part(const Encoding& encoding, const std::string& text, int32_t sequence) {
  size_t begin = text.size(), end = 0;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.sequence_ids[i] != sequence) continue;
    begin = std::min<size_t>(begin, encoding.offsets[i].begin);
    end = std::max<size_t>(end, encoding.offsets[i].end);
  }
  return begin < end ? text.substr(begin, end - begin) : "";
}

}  // namespace

std::string page_lead(const Sequence& sequence, const Model& model) {
  std::string text = drawn_part(sequence.encoding, sequence.text, 0);
  if (!sequence.pair.empty()) text += "” and “" + drawn_part(sequence.encoding, sequence.pair, 1);
  return "“" + one_line(text) + "” — " + name_on_page(model) + ", " + std::to_string(sequence.encoding.size()) +
         " tokens" + (sequence.positions.empty() ? "" : ", positions: " + sequence.positions);
}

namespace {

// The file appears only when it is complete. Throws OutputError.
void write_file(const std::string& text, const std::string& name) {
  Output output(name, Output::Access::kStream);
  output.write(text);
  output.commit();
}

}  // namespace

void write_report(const Options& options, const DrawnFiles& drawn, Output& output, const Report& report) {
  if (!drawn.empty()) {
    const Page page = report.page();
    if (!drawn.html.empty()) write_file(page.html(), drawn.html);
    if (!drawn.svg.empty()) write_file(standalone_svg(page.first_drawing()), drawn.svg);
  }
  output.write((options.format == OutputFormat::kText ? report.text(output.style()) : report.json()) + "\n");
  output.commit();
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  }
  return text;
}

std::vector<size_t> doubling_distances(size_t farthest) {
  std::vector<size_t> result;
  for (size_t distance = 1; distance <= farthest; distance *= 2) result.push_back(distance);
  return result;
}

std::string percent(double share, int decimals) {
  std::string text = fixed(100 * share, decimals);
  if (text.find_first_of("123456789") == std::string::npos && text.front() == '-') text.erase(0, 1);  // no "-0"
  return text + " %";
}

}  // namespace bert::cli
