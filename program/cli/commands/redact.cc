// The command redact: prints texts without the names that a model finds and without matches of the user's expressions.
// Neither the output nor a message quotes what was replaced; a text that cannot be read is not passed on.
#include <memory>
#include <optional>
#include <utility>

#include "bert/redact.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/options/label_options.h"
#include "program/cli/options/task_options.h"
#include "program/cli/output/csv.h"
#include "program/cli/run/long_run.h"
#include "program/cli/run/run_summary.h"
#include "program/common/secret_file.h"

namespace bert::cli {
namespace {

// Writes results in the form of the input: a line, a JSON object or a row, with the redacted text instead of the text.
class RedactWriter : public EmbedWriter {
 public:
  RedactWriter(Output& output, const Options& options)
      : output_(output), options_(options), has_names_(output.position() > 0) {}

  // sequence.text: the redacted text.
  void add(const Sequence& sequence) override {
    if (options_.jsonl) {
      output_.write((sequence.error ? error_line(sequence) : object(sequence)) + "\n");
    } else if (options_.csv || options_.tsv) {
      add_row(sequence);
    } else {
      output_.write((sequence.error ? "" : sequence.input.text) + "\n");
    }
  }

 private:
  static std::string error_line(const Sequence& sequence) {
    JsonWriter object;
    object.number("line", sequence.source.line);
    if (!sequence.source.file.empty()) object.string("file", sequence.source.file);
    object.string("error", sequence.error->what());
    return object.take();
  }

  std::string object(const Sequence& sequence) const {
    JsonWriter object;
    for (const KeptMember& member : sequence.source.kept) {
      if (member.name == options_.text_member()) {
        object.string(member.name, sequence.input.text);
      } else {
        object.member(member.name) += member.json;
      }
    }
    return object.take();
  }

  void add_row(const Sequence& sequence) {
    if (separator_ == '\0') separator_ = sequence.source.separator;
    std::vector<std::string> names;
    for (const KeptMember& member : sequence.source.kept) names.push_back(member.name);
    if (!std::exchange(has_names_, true)) write_row(names);
    std::vector<std::string> cells = source_cells(sequence.source, names);
    cells.erase(cells.begin());  // removes the id
    for (size_t i = 0; i < names.size(); ++i) {
      if (sequence.error) cells[i].clear();
      if (!sequence.error && names[i] == options_.text_member()) cells[i] = sequence.input.text;
    }
    write_row(cells);
  }

  void write_row(const std::vector<std::string>& cells) {
    std::string line;
    for (const std::string& cell : cells) {
      if (&cell != cells.data()) line += separator_;
      const bool is_quoted = cell.find_first_of(std::string("\"\r\n") + separator_) != std::string::npos;
      if (is_quoted) line += '"';
      for (const char c : cell) line += is_quoted && c == '"' ? std::string("\"\"") : std::string(1, c);
      if (is_quoted) line += '"';
    }
    output_.write(line + "\n");
  }

  Output& output_;
  const Options& options_;
  bool has_names_;         // the output already has the columns' names
  char separator_ = '\0';  // of the first record
};

class Redact : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options, kLoneTextLines);
    table.begin_group("What is replaced");
    labels_.declare(table, settings_);
    declare_task(table, settings_, {"labels", "key", "long_text", "stride"});
    table.number("--max-words", options.max_words,
                 "for a GLiNER model, the largest number of words in a window (default: the model's max_len)", 1);
    table.number("--max-width", options.max_width,
                 "for a GLiNER model, the largest number of words in an entity (default: the model's max_width)", 1);
    table.text("--key-file", key_file_, "FILE",
               "the key of {hash}: all bytes of the file, at least 16; {hash} is the first 32 digits of HMAC-SHA-256");
    table.output_file("--report", report_, "write counts as JSON, without any text");
    declare_model(table, options);
    declare_lengths(table, options);
    declare_long_text(table, options,
                      {.windows_become = "so that nothing is left out",
                       .by_default = LongText::kWindows,
                       .stride = "32, or a quarter of a window",
                       .may_cut = false});
    table.begin_group("Output");
    const bool were_shared = table.set_shared(true);
    table.output_file("--output", options.output,
                      "write to a file, which appears when it is complete (default: standard output)");
    table.set_shared(were_shared);
    declare_batches(table, options);
    table.begin_group("Long runs");
    table.flag("--resume", long_run_.resume,
               "go on with a run of this command that was ended early, or begin one that can be resumed");
    table.flag("--summary", long_run_.summary, "write counts and a digest to OUTPUT.summary.json, as --resume does");
  }

  int run(Console& console) override {
    const bool has_model = !options.model.empty();
    check_options(has_model);
    const Redactor redactor = make_redactor();
    options.keep_all = options.has_records();
    LongRun long_run(options, long_run_, {});
    if (long_run.is_complete()) return finish_earlier_run(long_run, console);
    const std::unique_ptr<Input> input = long_run.open_input();
    Output output = long_run.open_output();
    if (long_run.goes_on()) console.note("goes on after line " + with_commas(long_run.start().lines));
    RunSummary summary(*input, output, console, long_run.start().counts, long_run.bytes_before());
    RedactWriter writer(output, options);
    std::optional<Model> model;
    if (has_model) model.emplace(load_model(options, console));
    const auto done = [&](Sequence& whole, std::span<const Sequence> windows, const std::vector<Entity>& entities) {
      redact(whole, entities, redactor, summary);
      writer.add(whole);
      summary.count(whole, windows);
      whole.input.is_last = true;
      long_run.written(whole, writer, output, model ? &*model : nullptr, summary.counts());
    };
    if (model) {
      run_model(*input, *model, output, done);
    } else {
      run_expressions(*input, output, done);
    }
    long_run.complete(output, model ? &*model : nullptr, summary.counts());
    const int status = model ? summary.finish(output, *model) : summary.finish(output);
    long_run.finish(summary.counts(), 0);
    report(summary.counts(), console);
    return status;
  }

 private:
  void check_options(bool has_model) {
    labels_.set(settings_);
    if (!has_model && !settings_.has("expressions")) {
      throw UsageError("redact needs --model NAME, --expression LABEL=EXPRESSION, or both");
    }
    for (const char* name :
         {"--labels", "--label", "--only", "--threshold", "--aggregation", "--scheme", "--long-text", "--stride"}) {
      if (!has_model && options.given.contains(name)) throw UsageError(std::string(name) + " needs --model NAME");
    }
    check_task(settings_, options);
    if (!options.inputs.empty() && !options.texts.empty()) {
      throw UsageError("both --input and a TEXT, expected one of them");
    }
    if (settings_.text("replace").find_first_of("\r\n") != std::string::npos) {
      throw UsageError("--replace: a line break, expected a template of one line");
    }
  }

  Redactor make_redactor() {
    if (!key_file_.empty()) settings_.set("key", read_secret_file(key_file_, "the key of digests"));
    try {
      return Redactor(redact_rules(settings_));
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  }

  // Returns what a line must be, because the input's own message may quote the line.
  std::string unread() const {
    if (options.jsonl) return "not a JSON object with a string " + in_quotes(options.text_member());
    if (options.has_records()) return "not a record in UTF-8 with as many fields as the first line";
    return "not a text in the input's encoding";
  }

  // Replaces the text by the redacted text, and the error by one that does not quote the text.
  void redact(Sequence& whole, const std::vector<Entity>& entities, const Redactor& redactor, RunSummary& summary) {
    if (!whole.error) {
      try {
        RedactedText found = redactor.redact(whole.input.text, entities);
        whole.input.text = std::move(found.text);
        summary.count_replaced(found.replaced);
        return;
      } catch (const Error& error) {
        whole.error = error;  // it does not quote the text
      }
    }
    whole.input.text.clear();
  }

  template <class Done>
  void run_model(Input& input, const Model& model, Output& output, const Done& done) {
    const TaskCallPtr call = redact_call(model, redact_options(settings_));
    TaskTexts texts(input, model, *call, model_token_rules(options, model));
    for (Sequence text; texts.next(text);) {
      // The message of a reader or a tokenizer may quote the text.
      if (text.error && text.error->code() == ErrorCode::kInvalidText) {
        text.error = Error(ErrorCode::kInvalidText, unread());
      }
      const std::vector<Entity> entities =
          text.error ? std::vector<Entity>() : std::get<std::vector<Entity>>(texts.result());
      done(text, texts.sequences(), entities);
      if (!texts.ready()) output.flush();
    }
  }

  template <class Done>
  void run_expressions(Input& input, Output& output, const Done& done) {
    while (true) {
      Item item;
      Input::State state = input.next(item, Input::Wait(0));
      if (state == Input::State::kNotYet) {
        output.flush();
        state = input.next(item, TextSource::kForever);
      }
      if (state != Input::State::kItem) return;
      Sequence whole;
      whole.source = std::move(item.source);
      whole.input.text = std::move(item.text);
      if (item.error) whole.error = Error(ErrorCode::kInvalidText, unread());
      done(whole, {&whole, 1}, {});
    }
  }

  // Finishes a run that was killed after it had renamed its output.
  int finish_earlier_run(LongRun& long_run, Console& console) {
    const RunCounts counts = long_run.start().counts;
    long_run.finish(counts, 0);
    console.note("the output was complete");
    report(counts, console);
    return counts.failed > 0 ? kFailed : kDone;
  }

  void report(const RunCounts& counts, Console& console) const {
    size_t parts = 0;
    for (const auto& [label, count] : counts.replaced) parts += count;
    const std::string labels = joined(
        counts.replaced, ", ", [](const auto& one) { return one_line(one.first) + " " + with_commas(one.second); });
    console.note("replaced " + with_commas(parts) + (parts == 1 ? " part" : " parts") + " in " +
                 with_commas(counts.redacted_texts) + " of " + with_commas(counts.texts) +
                 (counts.texts == 1 ? " text" : " texts") + (parts == 0 ? "" : ": " + labels));
    if (report_.empty()) return;
    JsonWriter object, replaced;
    object.number("texts", counts.texts);
    object.number("failed", counts.failed);
    object.number("redacted_texts", counts.redacted_texts);
    for (const auto& [label, count] : counts.replaced) replaced.number(label, count);
    object.member("replaced") += replaced.take();
    Output file(report_, Output::Access::kStream);
    file.write(object.take() + "\n");
    file.commit();
  }

  LabelOptions labels_;
  TaskSettings settings_{"redact"};
  std::string key_file_, report_;
  LongRunOptions long_run_;
};

}  // namespace

std::unique_ptr<Command> make_redact() { return std::make_unique<Redact>(); }

}  // namespace bert::cli
