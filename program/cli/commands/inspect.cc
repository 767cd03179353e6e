// The command inspect: prints the architecture, the tensors, how this machine is used, and the cost of a forward pass.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bert/bundle.h"
#include "bert/error.h"
#include "bert/quantize.h"
#include "program/cli/command.h"
#include "program/cli/commands/model_settings.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/input/golden_file.h"
#include "program/cli/run/run_summary.h"
#include "program/drawings/parameter_drawing.h"

namespace bert::cli {
namespace {

struct Count {
  size_t tensors = 0;
  size_t parameters = 0;
  size_t bytes = 0;
};

Count count_tensors(const ModelDescription& description, bool used) {
  Count count;
  for (const TensorInfo& tensor : description.tensors) {
    if (tensor.used != used) continue;
    size_t parameters = 1;
    for (const size_t dimension : tensor.shape) parameters *= dimension;
    ++count.tensors;
    count.parameters += parameters;
    count.bytes += tensor.bytes;
  }
  return count;
}

std::string count_text(const Count& count) {
  return with_commas(count.tensors) + (count.tensors == 1 ? " tensor, " : " tensors, ") +
         with_commas(count.parameters) + " parameters";
}

// Returns batches for the cost of a pass: one short text, one long text, several long texts.
std::vector<std::vector<size_t>> typical_batches(size_t max_length) {
  const size_t longest = std::min<size_t>(128, max_length);
  return {{std::min<size_t>(16, longest)}, {longest}, std::vector<size_t>(8, longest)};
}

std::vector<std::string> head_names(const Model& model) {
  std::vector<std::string> names;
  for (const Head head : model.heads()) names.emplace_back(name(head));
  return names;
}

std::string words_joined(const std::vector<std::string>& words, const std::string& otherwise) {
  return words.empty() ? otherwise : joined(words, ", ");
}

std::string shape_text(const std::vector<size_t>& shape) {
  std::string text = "[";
  for (const size_t dimension : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(dimension);
  return text + "]";
}

// Prints the description for people, section by section; the tensors come last, followed by their number.
class InspectText {
 public:
  InspectText(const Model& model, const TextStyle& style)
      : model_(model), description_(model.describe()), style_(style) {}

  std::string text() const {
    return heading(one_line(description_.source)) + files_text() + heading("\nArchitecture") + architecture_text() +
           heading("\nThis machine") + machine_text() + heading("\nA forward pass") + cost_text() +
           heading("\nTensors") + tensors_text();
  }

 private:
  std::string heading(const std::string& title) const {
    return style_.color ? "\x1b[1m" + title + "\x1b[0m\n" : title + "\n";
  }

  static std::string line(std::string name, const std::string& value) {
    name.resize(std::max<size_t>(name.size(), 20), ' ');
    return "  " + name + one_line(value) + "\n";
  }

  std::string files_text() const {
    const Count used = count_tensors(description_, true);
    const Count other = count_tensors(description_, false);
    return bundle_text() + adapter_text() +
           line("weights", words_joined(description_.files, "in the program") + ", " +
                               human_bytes(static_cast<double>(used.bytes + other.bytes)));
  }

  std::string adapter_text() const {
    if (description_.adapter.empty()) return "";
    return line("adapter", description_.adapter + ", weights that it changes: " +
                               human_bytes(static_cast<double>(description_.adapter_bytes)) + " of memory");
  }

  std::string bundle_text() const {
    const std::optional<BundleInfo> bundle = bundle_info(description_.source);
    if (!bundle) return "";
    return line("bundle", bundle->name + ", " + std::to_string(bundle->files) + " files of " +
                              human_bytes(static_cast<double>(bundle->bytes)) + " at the end of the program");
  }

  static std::string heads_text(const ModelConfig& config) {
    std::string text = std::to_string(config.num_attention_heads) + ", each of " + std::to_string(config.head_dim());
    const size_t keys = config.key_value_heads();
    if (keys != config.num_attention_heads) text += "; " + std::to_string(keys) + " of keys and values";
    return text;
  }

  static std::string experts_text(const ModelConfig& config) {
    if (!config.experts) return "";
    const ExpertConfig& experts = *config.experts;
    return line("experts", std::to_string(experts.experts) + ", " + std::to_string(experts.top_k) + " of a token, " +
                               (experts.every_layers == 1 ? "every layer"
                                                          : "one layer in " + std::to_string(experts.every_layers)));
  }

  static std::string positions_text(const ModelConfig& config) {
    std::string text = std::to_string(config.max_position_embeddings) + ", " + config.described_positions();
    if (config.position_embedding_type == "rotary") text += ", theta " + significant(config.rotary.theta, 9);
    return text;
  }

  std::string local_layers_text(const ModelConfig& config) const {
    const auto count = std::count(config.local_layers.begin(), config.local_layers.end(), true);
    if (count == 0) return "";
    const bool turns = config.position_embedding_type == "rotary";
    return line("local layers", std::to_string(count) + ", which see " + std::to_string(config.local_distance) +
                                    " tokens to each side" +
                                    (turns ? ", theta " + significant(config.local_rotary.theta, 9) : ""));
  }

  std::string architecture_text() const {
    const ModelConfig& config = model_.config();
    if (config.num_hidden_layers == 0) return static_text(config);
    return line("model type", config.model_type) + line("class", words_joined(config.architectures, "not said")) +
           line("layers", std::to_string(config.num_hidden_layers)) +
           line("hidden size", std::to_string(config.hidden_size)) + line("attention heads", heads_text(config)) +
           experts_text(config) +
           line("intermediate size", std::to_string(config.intermediate_size) + ", " + config.hidden_act) +
           line("vocabulary", std::to_string(config.vocab_size)) + line("positions", positions_text(config)) +
           local_layers_text(config) + line("segments", std::to_string(config.type_vocab_size)) +
           line("LayerNorm epsilon", significant(config.layer_norm_eps, 6)) +
           line("pooler", model_.has_pooler() ? "yes" : "none") +
           line("tokenizer", model_.has_tokenizer() ? "yes" : "none") +
           line("heads", words_joined(head_names(model_), "none")) + label_text() +
           line("length limit", std::to_string(model_.max_length()) + " tokens") + vectors_text();
  }

  std::string label_text() const {
    const std::string reader = model_.describe().label_reader;
    return reader.empty() ? "" : line("reads labels", reader);
  }

  std::string static_text(const ModelConfig& config) const {
    const bool is_limited = model_.max_length() < config.max_position_embeddings;
    return line("model type", config.model_type + ": a row for each token, no layers") +
           line("vocabulary", std::to_string(config.vocab_size)) + line("width", std::to_string(config.hidden_size)) +
           line("tokenizer", model_.has_tokenizer() ? "yes" : "none") +
           line("length limit", is_limited ? std::to_string(model_.max_length()) + " tokens" : "none") + vectors_text();
  }

  std::string vectors_text() const {
    std::string text;
    for (const auto& [name, value] : vector_lines(model_)) text += line(name, value);
    return text;
  }

  std::string machine_text() const {
    const auto reason = [](const std::string& why) { return why.empty() ? "" : ": " + why; };
    return line("instruction set", description_.isa + reason(description_.isa_reason)) +
           line("matrix products", description_.gemm + reason(description_.gemm_reason)) +
           line("precision", description_.precision + ": " + description_.precision_reason) +
           line("product kernel", description_.kernel) + line("threads", std::to_string(description_.threads)) +
           (description_.panel_file.empty() ? "" : line("packed weights", description_.panel_file)) +
           line("same bits", description_.reproducible
                                 ? "yes: in any batch, on any number of threads, on any CPU"
                                 : "no: this matrix library's sums depend on the CPU and on the batch");
  }

  std::string cost_text() const {
    Table table({{"texts x tokens"},
                 {"GFLOP", Align::kRight},
                 {"weights read", Align::kRight},
                 {"scratch memory", Align::kRight}});
    for (const std::vector<size_t>& batch : typical_batches(model_.max_length())) {
      const ForwardCost cost = model_.cost(batch);
      table.add({std::to_string(batch.size()) + " x " + std::to_string(batch.front()), significant(cost.flops / 1e9, 4),
                 human_bytes(static_cast<double>(cost.weight_bytes)),
                 human_bytes(static_cast<double>(cost.workspace_bytes))});
    }
    return table.text(style_, "  ");
  }

  std::string tensors_text() const {
    Table table({{"name"}, {"type"}, {"shape"}, {"size", Align::kRight}, {""}});
    for (const TensorInfo& tensor : description_.tensors) {
      table.add({one_line(tensor.name), tensor.dtype, shape_text(tensor.shape),
                 human_bytes(static_cast<double>(tensor.bytes)), tensor.used ? "" : "not used"});
    }
    const Count other = count_tensors(description_, false);
    std::string text = table.text(style_, "  ");
    if (other.tensors > 0) text += "  not used by the encoder: " + count_text(other) + "\n";
    return text + "  " + count_text(count_tensors(description_, true));
  }

  const Model& model_;
  ModelDescription description_;
  TextStyle style_;
};

void add_count(JsonWriter& object, const char* name, const Count& count) {
  JsonWriter value;
  value.number("tensors", count.tensors);
  value.number("parameters", count.parameters);
  value.number("bytes", count.bytes);
  object.member(name) += value.take();
}

std::string tensors_json(const std::vector<TensorInfo>& tensors) {
  std::string text = "[";
  for (const TensorInfo& tensor : tensors) {
    JsonWriter object;
    object.string("name", tensor.name);
    object.string("dtype", tensor.dtype);
    object.numbers<size_t>("shape", tensor.shape);
    object.number("bytes", tensor.bytes);
    object.boolean("used", tensor.used);
    if (text.size() > 1) text += ',';
    text += object.take();
  }
  return text + "]";
}

std::string costs_json(const Model& model) {
  std::string text = "[";
  for (const std::vector<size_t>& batch : typical_batches(model.max_length())) {
    const ForwardCost cost = model.cost(batch);
    JsonWriter object;
    object.numbers<size_t>("lengths", batch);
    object.number("flops", cost.flops);
    object.number("weight_bytes", cost.weight_bytes);
    object.number("workspace_bytes", cost.workspace_bytes);
    if (text.size() > 1) text += ',';
    text += object.take();
  }
  return text + "]";
}

std::string inspect_json(const Model& model) {
  const ModelDescription description = model.describe();
  JsonWriter object;
  object.string("source", description.source);
  object.strings("files", description.files);
  if (!description.adapter.empty()) {
    object.string("adapter", description.adapter);
    object.number("adapter_bytes", description.adapter_bytes);
  }
  object.member("config") += config_json(model.config());
  object.boolean("has_pooler", model.has_pooler());
  object.boolean("has_tokenizer", model.has_tokenizer());
  object.strings("heads", head_names(model));
  if (!description.label_reader.empty()) object.string("reads_labels", description.label_reader);
  object.number("max_length", model.max_length());
  add_vector_settings(object, model);
  object.string("isa", description.isa);
  object.string("isa_reason", description.isa_reason);
  object.string("gemm", description.gemm);
  object.string("gemm_reason", description.gemm_reason);
  object.string("precision", description.precision);
  object.string("precision_reason", description.precision_reason);
  object.string("kernel", description.kernel);
  if (!description.panel_file.empty()) object.string("panel_file", description.panel_file);
  object.number("threads", description.threads);
  object.boolean("reproducible", description.reproducible);
  object.number("arithmetic", static_cast<size_t>(description.arithmetic));
  object.member("cost") += costs_json(model);
  object.member("tensors") += tensors_json(description.tensors);
  add_count(object, "used", count_tensors(description, true));
  add_count(object, "not_used", count_tensors(description, false));
  return object.take();
}

// The SHA-256 of each weight file, by the file's path.
using Digests = std::vector<std::pair<std::string, std::string>>;

Digests digests_of(const Model& model) {
  Digests digests;
  for (const std::string& file : model.describe().files) digests.emplace_back(file, file_sha256(file));
  return digests;
}

std::string digests_text(const Digests& digests) {
  std::string text;
  for (const auto& [file, digest] : digests) text += digest + "  " + one_line(file) + "\n";
  return text;
}

std::string digests_json(const Digests& digests) {
  JsonWriter object;
  for (const auto& [file, digest] : digests) object.string(file, digest);
  return object.take();
}

class Inspect : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_model(table, options);
    table.begin_group("Files");
    table.flag("--digests", digests_, "only the SHA-256 of each weight file, as sha256sum prints it");
    table.flag("--check", check_,
               "compare the files with the SHA-256 that convert_weights.py or quantize wrote to verify.json");
    declare_output(table, options, {OutputFormat::kText, OutputFormat::kJson});
    declare_drawn_files(table, drawn_);
  }

  int run(Console& console) override {
    require_no_text(options, "inspect", ", but --model DIR");
    require_separate_files(options, drawn_);
    Output output(options.output, Output::Access::kStream);
    if ((digests_ || check_) && options.model.empty()) {
      throw UsageError("inspect needs --model DIR: the built-in model has no files");
    }
    const Model model = load_model(options, console);
    if (check_) check_files(model);
    if (digests_) {
      const Digests digests = digests_of(model);
      output.write(options.format == OutputFormat::kJson ? digests_json(digests) + "\n" : digests_text(digests));
      output.commit();
      return kDone;
    }
    write_report(options, drawn_, output,
                 {.page = [&] { return page(model); },
                  .text = [&](const TextStyle& style) { return InspectText(model, style).text(); },
                  .json = [&] { return inspect_json(model); }});
    return kDone;
  }

 private:
  static Page page(const Model& model) {
    Page page("The parts of a model", name_on_page(model));
    page.section("How many numbers each part has", "The encoder is all layers together.");
    page.drawing(drawings::draw_parameters(model.describe().tensors));
    return page;
  }

  static void check_files(const Model& model) {
    const Golden golden = read_golden(model);
    if (golden.digests.empty()) {
      throw Error(ErrorCode::kNotFound, in_quotes((golden.directory / "verify.json").string()) +
                                            ": no digests, expected \"sha256\"; convert or quantize the model again");
    }
    check_digests(golden);
  }

  DrawnFiles drawn_;
  bool digests_ = false;
  bool check_ = false;
};

}  // namespace

std::unique_ptr<Command> make_inspect() { return std::make_unique<Inspect>(); }

}  // namespace bert::cli
