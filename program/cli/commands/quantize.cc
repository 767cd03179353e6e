// The command quantize: writes a model with smaller weights, with golden vectors of ten texts and SHA-256 digests,
// which verify checks.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bert/quantize.h"
#include "program/cli/command.h"
#include "program/cli/commands/comparison.h"
#include "program/cli/commands/comparison_report.h"
#include "program/cli/common.h"
#include "program/cli/output/output.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kTexts[] = {
    "a",
    "the dog saw a fox .",
    "where is the book ? it is on the table by the window .",
    "an unbelievable story of seventeen lighthouses and their keepers",
    "in 1969 two people walked on the moon , and 12 had done so by 1972 .",
    "she said that she would not come ; then she came .",
    "zq xylophonist brrrr",
    "is this good ? no , it is bad .",
    "the rain fell all night on the roofs of the town , and in the morning the river had risen to the old bridge",
    "bread is made of flour and water",
};

// Returns rows of numbers in full: the result has the same bits on every CPU, so the limit of an error is 0.
Json rows_of(const float* values, size_t rows, size_t width, size_t stride) {
  Json json = Json::array();
  for (size_t row = 0; row < rows; ++row) {
    const float* begin = values + row * stride;
    json.push_back(std::vector<double>(begin, begin + width));
  }
  return json;
}

Json golden_case(const Model& model, const EncodedSequence& encoded, std::span<const int32_t> ids,
                 std::span<const int32_t> type_ids) {
  const size_t hidden = encoded.hidden, tokens = encoded.tokens;
  Json one = Json::object();  // indexing null without memory would leave a value that cannot be destroyed
  one["ids"] = ids;
  one["type_ids"] =
      type_ids.empty() ? std::vector<int32_t>(ids.size()) : std::vector<int32_t>(type_ids.begin(), type_ids.end());
  one["last_hidden_state"] = rows_of(encoded.last_hidden_state.data(), tokens, hidden, hidden);
  one["first_token_by_layer"] =
      rows_of(encoded.hidden_states.data(), model.config().num_hidden_layers + 1, hidden, tokens * hidden);
  if (model.has_pooler()) one["pooler_output"] = rows_of(encoded.pooler_output.data(), 1, hidden, hidden).front();
  return one;
}

Json golden_cases(const Model& model) {
  Json cases = Json::array();
  for (size_t i = 0; i < std::size(kTexts); ++i) {
    if (model.has_tokenizer()) {
      const EncodedText encoded = model.encode(kTexts[i], {.hidden_states = true});
      const TokenSequence sequence = model.sequence(encoded.encoding);
      cases.push_back(golden_case(model, encoded, sequence.ids, sequence.type_ids));
      if (encoded.encoding.truncated_tokens == 0) cases.back()["text"] = kTexts[i];
      continue;
    }
    std::vector<int32_t> ids;
    for (size_t token = 0; token <= i; ++token) {
      ids.push_back(static_cast<int32_t>((7919 * token + 31 * i) % model.config().vocab_size));
    }
    const TokenSequence sequence{.ids = ids};
    cases.push_back(golden_case(model, model.encode({&sequence, 1}, {.hidden_states = true}).front(), ids, {}));
  }
  return cases;
}

class Quantize : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_tokenizer(table, options);
    declare_threads(table, options);
    declare_unexpected(table, options);
    table.begin_group("Weights");
    table.flag("--float16", float16_, "16-bit floats in place of 8-bit integers");
    table.flag("--bfloat16", bfloat16_, "16-bit floats with the range of 32-bit ones; the result computes in bfloat16");
    table.exclude("--float16", "--bfloat16");
    table.choice<bool>("--embeddings", {{"int8", true}}, int8_tables_,
                       "the rows of the embedding tables in 8 bits too, which transformers does not read");
    table.exclude("--embeddings", "--float16");
    table.exclude("--embeddings", "--bfloat16");
    declare_output(table, options, {OutputFormat::kText, OutputFormat::kJson});
    table.begin_group("Comparison");
    table.flag("--report", report_, "print what it costs: the result compared with the source on texts");
    declare_comparison(table, options, comparison_);
  }

  int run(Console& console) override {
    take_model_and_directory(options, "quantize", "a model (or --model) and the name of the directory to write");
    if (!report_) require_no_comparison(options, comparison_, "--report");
    if (report_) require_labels(Model::load(options.model, options.load_options()), comparison_);
    require_separate_files(options, comparison_.drawn);
    const std::filesystem::path directory = options.texts.front();
    const SmallWeights weights = float16_       ? SmallWeights::kFloat16
                                 : bfloat16_    ? SmallWeights::kBFloat16
                                 : int8_tables_ ? SmallWeights::kInt8Tables
                                                : SmallWeights::kInt8;
    const QuantizedModel written =
        quantize(options.model, directory, weights, options.load_options(),
                 [&](const std::filesystem::path& unpublished) { write_golden(unpublished); });
    for (const std::string& name : written.not_copied) console.note("not copied: " + in_quotes(name));
    if (int8_tables_) console.note("transformers does not read the result: it has no 8-bit embedding tables");
    console.note(in_quotes(directory.string()) + ": weights of " + human_bytes(static_cast<double>(written.bytes)) +
                 ", those of the source " + human_bytes(static_cast<double>(written.source_bytes)));
    return report_ ? report(console) : kDone;
  }

 private:
  int report(Console& console) {
    Output output(options.output, Output::Access::kStream);
    Options result = options;
    result.model = options.texts.front();
    result.revision.reset();
    options.texts.clear();  // The remaining words were not texts; texts come from --input.
    const Comparison comparison =
        compare(load_model(result, console), load_model(options, console), options, comparison_, output, console);
    write_report(options, comparison_.drawn, output, comparison_report(comparison));
    return comparison.status;
  }

  void write_golden(const std::filesystem::path& directory) const {
    const Model model = Model::load(directory.string(), options.load_options());
    const std::filesystem::path weights = model.describe().files.front();
    Json golden = Json::object();
    golden["version"] = 1;
    golden["arithmetic"] = model.describe().arithmetic;
    golden["limits"] = {{"hidden_states", 0}, {"pooler_output", 0}};
    golden["sha256"] = {{"source", Json::object()}, {"result", Json::object()}};
    const Model source = Model::load(options.model, options.load_options());
    for (const std::string& file : source.describe().files) {
      golden["sha256"]["source"][std::filesystem::path(file).filename().string()] = file_sha256(file);
    }
    for (const char* name : {"model.safetensors", "config.json", "gliner_config.json"}) {
      const std::filesystem::path file = weights.parent_path() / name;
      if (std::filesystem::exists(file)) golden["sha256"]["result"][name] = file_sha256(file);
    }
    golden["cases"] = golden_cases(model);
    // kSeekable: a part of the file is useless, and is removed.
    Output file((weights.parent_path() / "verify.json").string(), Output::Access::kSeekable);
    file.write(golden.dump() + "\n");
    file.commit();
  }

  bool float16_ = false;
  bool bfloat16_ = false;
  bool int8_tables_ = false;
  bool report_ = false;
  ComparedInput comparison_;
};

}  // namespace

std::unique_ptr<Command> make_quantize() { return std::make_unique<Quantize>(); }

}  // namespace bert::cli
