// The command encode: prints the representation of every token, and the pooled output.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "bert/model.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/input/sequences.h"
#include "program/cli/options/intervention_options.h"
#include "program/cli/output/console.h"
#include "program/cli/output/output.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"
#include "tasks/analysis/attention.h"
#include "tasks/analysis/rows.h"

namespace bert::cli {
namespace {

class EncodeWriter {
 public:
  virtual ~EncodeWriter() = default;
  virtual void add(const Sequence& sequence) = 0;
  virtual void finish() {}
};

constexpr size_t kFirstValues = 5;
constexpr size_t kMostContacts = 10;
constexpr size_t kLeastDistance = 6;  // nearer residues touch in most proteins

// Returns the first values in columns of equal width, and "…" if there are more.
std::string first_values(std::span<const float> values) {
  std::string text;
  for (size_t i = 0; i < std::min(values.size(), kFirstValues); ++i) {
    const std::string value = fixed(values[i], 4);
    if (i > 0) text += ' ';
    text.append(8 - std::min<size_t>(8, value.size()), ' ');
    text += value;
  }
  return values.size() > kFirstValues ? text + " …" : text;
}

// For people: a table of tokens (token, id, segment, norm, first values) and the pooled output; hidden states add a
// line per layer, attentions their entropies, contacts the most probable ones. titles: write a number above each
// result. An error is an empty line.
class TextEncodings : public EncodeWriter {
 public:
  TextEncodings(Output& output, const Model& model, bool titles)
      : output_(output), model_(model), titles_(titles), style_(output.style()) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return output_.write("\n");
    const EncodedSequence& encoded = std::get<EncodedSequence>(sequence.output);
    std::string text;
    if (titles_) text += (any_ ? "\n" : "") + result_title(sequence) + "\n";
    any_ = true;
    text += tokens_text(sequence.tokens.encoding, encoded);
    text += pooled_text(encoded);
    if (!encoded.hidden_states.empty()) text += layers_text(encoded);
    if (!encoded.attentions.empty()) text += attentions_text(encoded);
    if (!encoded.contacts.empty()) text += contacts_text(encoded);
    output_.write(text);
  }

 private:
  std::string tokens_text(const Encoding& encoding, const EncodedSequence& encoded) const {
    const bool has_tokenizer = model_.has_tokenizer();
    Table table({{"#", Align::kRight},
                 {has_tokenizer ? "token" : ""},
                 {"id", Align::kRight},
                 {"segment", Align::kRight},
                 {"norm", Align::kRight},
                 {"   first of " + std::to_string(encoded.hidden) + " values"}});
    const std::span<const float> rows(encoded.last_hidden_state);
    for (size_t t = 0; t < encoded.tokens; ++t) {
      const std::span<const float> row = rows.subspan(t * encoded.hidden, encoded.hidden);
      table.add({std::to_string(t), has_tokenizer ? one_line(model_.tokenizer().token(encoding.ids[t])) : "",
                 std::to_string(encoding.ids[t]), std::to_string(encoding.type_ids[t]), fixed(analysis::norm(row), 3),
                 first_values(row)});
    }
    return table.text(style_);
  }

  static std::string pooled_text(const EncodedSequence& encoded) {
    if (encoded.pooler_output.empty()) return "\npooled output: none, the model has no pooler\n";
    return "\npooled output: norm " + fixed(analysis::norm(encoded.pooler_output), 3) + ", " +
           std::to_string(encoded.pooler_output.size()) + " values" + "\n" + first_values(encoded.pooler_output) + "\n";
  }

  std::string layers_text(const EncodedSequence& encoded) const {
    Table table({{"layer", Align::kRight}, {"mean norm", Align::kRight}, {"   first values of the first token"}});
    const std::span<const float> all(encoded.hidden_states);
    const size_t layer_size = encoded.tokens * encoded.hidden;
    for (size_t layer = 0; layer * layer_size < all.size(); ++layer) {
      const std::span<const float> rows = all.subspan(layer * layer_size, layer_size);
      double sum = 0;
      for (size_t t = 0; t < encoded.tokens; ++t)
        sum += analysis::norm(rows.subspan(t * encoded.hidden, encoded.hidden));
      table.add({std::to_string(layer), fixed(sum / static_cast<double>(encoded.tokens), 3),
                 first_values(rows.first(encoded.hidden))});
    }
    return "\nhidden states (layer 0: the embeddings)\n" + table.text(style_);
  }

  std::string attentions_text(const EncodedSequence& encoded) const {
    const size_t heads = model_.config().num_attention_heads;
    std::vector<Column> columns = {{"layer", Align::kRight}};
    for (size_t h = 0; h < heads; ++h) columns.push_back({"head " + std::to_string(h + 1), Align::kRight});
    Table table(columns);
    const std::span<const float> all(encoded.attentions);
    const size_t head_size = encoded.tokens * encoded.tokens;
    std::vector<size_t> queries(encoded.tokens);
    std::iota(queries.begin(), queries.end(), size_t{0});
    for (size_t layer = 0; layer * heads * head_size < all.size(); ++layer) {
      std::vector<std::string> cells = {std::to_string(layer + 1)};
      for (size_t h = 0; h < heads; ++h) {
        const std::span<const float> weights = all.subspan((layer * heads + h) * head_size, head_size);
        cells.push_back(fixed(analysis::summarize_head(weights, {}, queries).entropy_bits, 2));
      }
      table.add(cells);
    }
    return "\nattentions: mean entropy in bits (0: all weight on one token; " +
           fixed(std::log2(static_cast<double>(encoded.tokens)), 2) + ": uniform)\n" + table.text(style_);
  }

  std::string contacts_text(const EncodedSequence& encoded) const {
    struct Pair {
      size_t first, second;
      float probability;
    };
    std::vector<Pair> pairs;
    const size_t residues = residue_count(encoded.tokens);
    for (size_t i = 0; i < residues; ++i) {
      for (size_t j = i + kLeastDistance; j < residues; ++j) {
        pairs.push_back({i + 1, j + 1, encoded.contacts[i * residues + j]});
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.probability > b.probability; });
    pairs.resize(std::min(pairs.size(), kMostContacts));
    Table table({{"residue", Align::kRight}, {"residue", Align::kRight}, {"probability", Align::kRight}});
    for (const Pair& pair : pairs) {
      table.add({std::to_string(pair.first), std::to_string(pair.second), fixed(pair.probability, 4)});
    }
    return "\ncontacts: the most probable ones of residues at least " + std::to_string(kLeastDistance) + " apart\n" +
           table.text(style_);
  }

  Output& output_;
  const Model& model_;
  bool titles_;
  TextStyle style_;
  bool any_ = false;
};

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
      const size_t residues[] = {residue_count(encoded.tokens), residue_count(encoded.tokens)};
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
    floats("contacts", encoded.contacts, {residue_count(encoded.tokens), residue_count(encoded.tokens)});
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
    declare_long_text(table, options, {.windows_become = "one result for each window"});
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
    return std::make_unique<TextEncodings>(output, model, !alone);
  }

  EncodeOptions encode_;
  InterventionOptions interventions_;
};

}  // namespace

std::unique_ptr<Command> make_encode() { return std::make_unique<Encode>(); }

}  // namespace bert::cli
