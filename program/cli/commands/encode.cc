// The command encode: prints the representation of every token, and the pooled output.
#include <cmath>
#include <memory>

#include "program/cli/command.h"
#include "program/cli/options/intervention_options.h"
#include "program/cli/output/encode_text.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

class JsonEncodings : public EncodeWriter {
 public:
  JsonEncodings(Output& output, const Model& model, OutputFormat format, const EncodeOptions& outputs)
      : results_(output, format), model_(model), outputs_(outputs) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return results_.add(error_object(sequence));
    const EncodedSequence& encoded = std::get<EncodedSequence>(sequence.output);
    JsonWriter object = begin_result(sequence);
    add_encoding(object, sequence, model_);
    const size_t rows[] = {encoded.tokens, encoded.hidden};
    append_tensor(object.member("last_hidden_state"), encoded.last_hidden_state, rows);
    if (encoded.pooler_output.empty()) {
      object.member("pooler_output") += "null";
    } else {
      object.numbers<float>("pooler_output", encoded.pooler_output);
    }
    if (!encoded.hidden_states.empty()) {
      const size_t shape[] = {model_.config().num_hidden_layers + 1, encoded.tokens, encoded.hidden};
      append_tensor(object.member("hidden_states"), encoded.hidden_states, shape);
    }
    if (!encoded.attentions.empty()) {
      add_attentions(object, encoded.attentions, model_.config(), encoded.tokens, encoded.tokens);
    }
    if (outputs_.contacts) {
      const size_t residues[] = {encoded.residues(), encoded.residues()};
      append_tensor(object.member("contacts"), encoded.contacts, residues);
    }
    results_.add(object.take());
  }

  void finish() override { results_.finish(); }

 private:
  JsonResults results_;
  const Model& model_;
  const EncodeOptions outputs_;
};

class NpzEncodings : public EncodeWriter {
 public:
  NpzEncodings(Output& output, const Model& model) : results_(output), model_(model) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return results_.add(error_arrays(sequence));
    const EncodedSequence& encoded = std::get<EncodedSequence>(sequence.output);
    std::vector<Array> arrays = encoding_arrays(sequence, model_);
    const auto floats = [&](const char* name, const std::vector<float>& values, std::vector<size_t> shape) {
      if (!values.empty()) arrays.push_back(make_array(name, std::span<const float>(values), std::move(shape)));
    };
    floats("last_hidden_state", encoded.last_hidden_state, {encoded.tokens, encoded.hidden});
    floats("pooler_output", encoded.pooler_output, {encoded.hidden});
    floats("hidden_states", encoded.hidden_states,
           {model_.config().num_hidden_layers + 1, encoded.tokens, encoded.hidden});
    if (!encoded.attentions.empty()) {
      arrays.push_back(attentions_array(encoded.attentions, model_.config(), encoded.tokens, encoded.tokens));
    }
    floats("contacts", encoded.contacts, {encoded.residues(), encoded.residues()});
    results_.add(std::move(arrays));
  }

  void finish() override { results_.finish(); }

 private:
  NpzResults results_;
  const Model& model_;
};

class Encode : public Command {
 public:
  void declare(OptionTable& table) override {
    options.words = true;
    declare_input(table, options, kTextIdsOrWordsLines);
    declare_pair(table, options);
    declare_model(table, options);
    declare_positions(table, options);
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_long_text(table, options, {.windows_become = "each a result"});
    declare_offsets(table, options);
    declare_output(table, options,
                   {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kNpz});
    table.flag("--layers", encode_.hidden_states, "the hidden states of all layers too");
    table.flag("--attentions", encode_.attentions, "the attention of every layer and head too");
    table.flag("--contacts", encode_.contacts, "the probability that two residues of a protein touch (ESM)");
    declare_batches(table, options, "2048, with --layers, --attentions or --contacts 512");
    declare_interventions(table, interventions_);
  }

  int run(Console& console) override {
    if (options.offset_unit && options.format == OutputFormat::kText) {
      throw UsageError("--offsets is for --format json, jsonl and npz: the table has no places in the text");
    }
    const std::unique_ptr<Input> input = open_input(options);
    Output output(options.output,
                  options.format == OutputFormat::kNpz ? Output::Access::kSeekable : Output::Access::kStream);
    const Model model = changed_model(load_model(options, console), interventions_);
    if (encode_.contacts) model.require_contacts();
    if (!model.has_pooler()) console.note("the model has no pooler: there is no pooled output");

    RunSummary summary(*input, output, console);
    const std::unique_ptr<EncodeWriter> writer = make_writer(output, model);
    Sequences sequences(*input, model, encode_, model_token_rules(options, model));
    for (Sequence sequence; sequences.next(sequence);) {
      writer->add(sequence);
      summary.count(sequence);
      if (!sequences.ready()) output.flush();
    }
    writer->finish();
    return summary.finish(output, model);
  }

 private:
  std::unique_ptr<EncodeWriter> make_writer(Output& output, const Model& model) const {
    if (options.format == OutputFormat::kNpz) return std::make_unique<NpzEncodings>(output, model);
    if (options.format == OutputFormat::kJson || options.format == OutputFormat::kJsonl) {
      return std::make_unique<JsonEncodings>(output, model, options.format, encode_);
    }
    const bool alone = options.inputs.empty() && options.texts.size() == 1 && !options.has_windows();
    return make_text_encodings(output, model, !alone);
  }

  EncodeOptions encode_;
  InterventionOptions interventions_;
};

}  // namespace

std::unique_ptr<Command> make_encode() { return std::make_unique<Encode>(); }

}  // namespace bert::cli
