// The command report: shows the results of explain, positions, order, segments, attention and probe for one model, as
// questions with short answers; the page also has their drawings.
#include <memory>
#include <string>
#include <utility>

#include "bert/explore.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/probe_experiment.h"
#include "program/cli/explore/report.h"
#include "program/cli/explore/text_experiment.h"
#include "program/cli/run/run_record.h"
#include "program/cli/run/run_summary.h"
#include "program/drawings/model_report.h"
#include "program/drawings/sample_texts.h"

namespace bert::cli {
namespace {

class ReportCommand : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_pair(table, options);
    declare_one_text(table, options);
    table.text("--texts", texts_, "FILE",
               "the texts, one per line, on which the last question is measured (default: a hundred English sentences "
               "of the program's own)");
    declare_report(table, options, drawn_);
  }

  int run(Console& console) override {
    require_one_text(options);
    require_separate_files(options, drawn_);
    const std::unique_ptr<Input> texts = open_texts();
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    const Sequence sequence = only_sequence(options, model, console);
    require_drawable(drawn_, "text", sequence.tokens.encoding.size(), kTruncatedByOption);

    report_.add_tokens(model, sequence.tokens.encoding);
    report_.add_embeddings(examined(make_explain_experiment(), model, sequence, console));
    if (model.config().position_embedding_type != "none") {
      report_.add_positions(std::make_shared<PositionFindings>(model));
      const std::vector<uint8_t>& special = sequence.tokens.encoding.special_tokens_mask;
      const bool has_orders = std::count(special.begin(), special.end(), uint8_t{0}) >= 2;
      if (has_orders) report_.add_orders(examined(make_order_experiment(), model, sequence, console));
    }
    if (model.config().type_vocab_size >= 2) add_segments(model, sequence, console);
    if (model.config().attention_layers() > 0) {
      report_.add_attention(examined(make_attention_experiment(), model, sequence, console));
    }
    const int status = add_probe(model, *texts, output, console);

    model.check_files();
    write_report(options, drawn_, output,
                 {.page = [&] { return page(page_lead(sequence, model)); },
                  .text = [&](const TextStyle&) { return report_.text({}); },
                  .json = [&] { return json(model); }});
    return status;
  }

 private:
  std::unique_ptr<Input> open_texts() const {
    Options of_texts = options;
    of_texts.texts.clear();
    of_texts.pairs.clear();
    of_texts.inputs.clear();
    if (texts_.empty()) {
      of_texts.texts.assign(sample_texts().begin(), sample_texts().end());
    } else {
      of_texts.inputs = {texts_};
    }
    return open_input(of_texts);
  }

  std::shared_ptr<const Findings> examined(std::shared_ptr<TextExperiment> experiment, const Model& model,
                                           const Sequence& sequence, Console& console) const {
    experiment->options = options;
    const Findings& findings = experiment->examine(model, sequence, console);
    return {std::move(experiment), &findings};  // the pointer keeps the experiment alive
  }

  // Uses the given pair, or else the program's own.
  void add_segments(const Model& model, const Sequence& given, Console& console) {
    Sequence own;
    own.input.text = kSamplePair[0];
    own.input.pair = kSamplePair[1];
    own.tokens.encoding = model.tokenizer().tokenize(own.input.text, own.input.pair);
    const Sequence& sequence = given.input.pair.empty() ? own : given;
    report_.add_segments(examined(make_segments_experiment(), model, sequence, console),
                         quoted_texts(sequence.tokens.encoding, sequence.input.text, sequence.input.pair));
  }

  int add_probe(const Model& model, Input& input, const Output& output, Console& console) {
    RunSummary summary(input, output, console);
    Sequences sequences(input, model, EncodeOptions{.hidden_states = true}, model_token_rules(options, model));
    const auto probe = std::make_shared<ProbeExperiment>();
    probe->read(sequences, summary);
    const int status = summary.finish();
    const std::string source = texts_.empty() ? "the program's own texts" : in_quotes(texts_);
    probe->finish(source);
    report_.add_variance({probe, &probe->findings()}, source + ": " + probe->texts());
    return status;
  }

  Page page(const std::string& lead) const {
    Page page(report_.title(), lead);
    report_.add_to(page);
    page.chapter("How was this made?");
    page.note("By bert-infer " + std::string(version()) + ": " + command_line());
    Table files({{"file of the model"}, {"SHA-256"}});
    const nlohmann::json digests = describe_model(options);
    for (const auto& [file, digest] : digests.items()) files.add({file, digest});
    page.table(files);
    return page;
  }

  // Returns the command line without the files that it writes, and without the model's path.
  std::string command_line() const {
    std::string line = "bert-infer report";
    for (const auto& [name, value] : options.given) {
      if (name == "--html" || name == "--svg" || name == "--output") continue;
      line += " " + name;
      if (value.empty()) continue;
      const bool is_text = name == "--pair";
      line += (is_text ? " \"" : " ") + (name == "--model" ? name_of_directory(value) : value) + (is_text ? "\"" : "");
    }
    for (const std::string& text : options.texts) line += " \"" + text + "\"";
    return line;
  }

  std::string json(const Model& model) const {
    JsonWriter object;
    object.string("model", name_on_page(model));
    object.string("version", std::string(version()));
    object.member("files") += describe_model(options).dump();
    object.number("parameters", report_.parameters());
    append_list(object.member("tokens"), report_.tokens(), [](std::string& text, const ModelReport::Token& token) {
      JsonWriter one;
      one.string("token", token.token);
      one.number("id", token.id);
      one.strings("nearest", token.nearest);
      text += one.take();
    });
    std::string& list = object.member("questions");
    for (const ModelReport::Chapter& chapter : report_.chapters()) {
      JsonWriter one;
      one.string("question", chapter.question);
      one.string("answer", chapter.answer);
      list += (&chapter == &report_.chapters().front() ? "[" : ",") + one.take();
    }
    list += ']';
    return object.take();
  }

  DrawnFiles drawn_;
  std::string texts_;
  ModelReport report_;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<ReportCommand>(); }

}  // namespace bert::cli
