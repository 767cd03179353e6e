// Distils an encoder: computes a vector for each token alone, their principal components, and writes the directory with
// the table.
#include "bert/distill.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <vector>

#include "bert/error.h"
#include "bert/quantize.h"
#include "bert/text_pipeline.h"
#include "engine/base/file.h"
#include "engine/base/json/json.h"
#include "engine/base/number.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "engine/checkpoint/narrow.h"
#include "engine/checkpoint/safetensors_writer.h"
#include "models/files/model_files.h"
#include "tasks/analysis/principal_components.h"
#include "tasks/writing/model_directory.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr size_t kDimensions = 256;

// Returns whether the token is like "[unused12]".
bool is_unused(std::string_view token) {
  constexpr std::string_view kBegin = "[unused";
  return token.starts_with(kBegin) && token.ends_with("]") && token.size() > kBegin.size() + 1 &&
         std::all_of(token.begin() + kBegin.size(), token.end() - 1,
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

// A source of every token that texts can have, alone between the model's special tokens.
class Tokens : public TextSource {
 public:
  explicit Tokens(const Model& model) : tokenizer_(model.tokenizer()), special_(tokenizer_.with_special_tokens({})) {
    for (size_t i = 0; i < model.config().vocab_size; ++i) {
      const auto id = static_cast<int32_t>(i);
      const std::string_view token = tokenizer_.token(id);
      if (!token.empty() && !is_unused(token) && !is_special(id)) ids_.push_back(id);
    }
  }

  State next(TextItem& item, Wait) override {
    if (next_ == ids_.size()) return State::kEnd;
    item = {.ids = tokenizer_.with_special_tokens({&ids_[next_++], 1})};
    return State::kItem;
  }

  const std::vector<int32_t>& ids() const { return ids_; }

 private:
  // Returns whether the token is one of the template or the mask, which texts do not have.
  bool is_special(int32_t id) const {
    return std::find(special_.begin(), special_.end(), id) != special_.end() || tokenizer_.mask_id() == id;
  }

  const Tokenizer& tokenizer_;
  std::vector<int32_t> special_;  // the template's tokens around a text
  std::vector<int32_t> ids_;
  size_t next_ = 0;
};

struct Table {
  std::vector<int32_t> ids;  // tokens that have a row
  std::vector<float> rows;   // [ids, dimensions]
};

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::kInvalidArgument, message); }

std::vector<float> token_vectors(const Model& model, Tokens& tokens, const DistillOptions& options) {
  std::vector<float> vectors;
  vectors.reserve(tokens.ids().size() * model.config().hidden_size);
  const VectorRequest request{.dense = EmbedOptions{.pooling = PoolingMode::kMean, .normalize = false}};
  ProgressCallback progress;
  if (options.progress) {
    progress = [&](const TextProgress& done) { return options.progress(done.texts, tokens.ids().size()); };
  }
  TextPipeline pipeline(model, request, tokens, {.progress = progress});
  for (TextResult result; pipeline.next(result);) {
    if (result.error) {
      throw Error(result.error->code(), "token " + quote(model.tokenizer().token(tokens.ids()[result.input.index])) +
                                            ": " + result.error->what());
    }
    vectors.insert(vectors.end(), result.vectors().dense.begin(), result.vectors().dense.end());
  }
  return vectors;
}

void weigh(Table& table, size_t dimensions, double coefficient) {
  double sum = 0;
  for (size_t i = 0; i < table.ids.size(); ++i) sum += 1.0 / static_cast<double>(i + 2);
  for (size_t i = 0; i < table.ids.size(); ++i) {
    const double probability = 1.0 / static_cast<double>(i + 2) / sum;
    const auto weight = static_cast<float>(coefficient / (coefficient + probability));
    for (size_t c = 0; c < dimensions; ++c) table.rows[i * dimensions + c] *= weight;
  }
}

Table make_table(const Model& model, const DistillOptions& options, DistilledModel& result) {
  Tokens tokens(model);
  result.vocabulary = model.config().vocab_size;
  result.hidden_size = model.config().hidden_size;
  result.tokens = tokens.ids().size();
  result.dimensions = std::min(options.dimensions.value_or(kDimensions), result.hidden_size);
  if (options.dimensions.value_or(1) == 0 || options.dimensions.value_or(0) > result.hidden_size) {
    refuse(std::to_string(*options.dimensions) + " dimensions, expected 1 to " + std::to_string(result.hidden_size) +
           ", the model's hidden size");
  }
  if (!(options.sif_coefficient > 0)) {
    refuse("SIF coefficient " + std::to_string(options.sif_coefficient) + ", expected a number above 0");
  }
  if (result.tokens <= result.dimensions) {
    refuse(std::to_string(result.tokens) + " tokens, expected more than the " + std::to_string(result.dimensions) +
           " dimensions");
  }
  const std::vector<float> vectors = token_vectors(model, tokens, options);
  const analysis::Rows rows{vectors, result.hidden_size};
  const analysis::PrincipalComponents components = analysis::principal_components(rows, result.dimensions);
  result.explained_variance = components.explained;
  Table table{tokens.ids(), analysis::project(components, rows)};
  weigh(table, result.dimensions, options.sif_coefficient);
  return table;
}

void write_table(const fs::path& directory, const Table& table, const DistilledModel& result) {
  std::vector<uint16_t> halves(result.vocabulary * result.dimensions);  // 0 for tokens without a row
  for (size_t i = 0; i < table.ids.size(); ++i) {
    for (size_t c = 0; c < result.dimensions; ++c) {
      halves[static_cast<size_t>(table.ids[i]) * result.dimensions + c] =
          narrow_f16(table.rows[i * result.dimensions + c]);
    }
  }
  write_safetensors(directory / "model.safetensors",
                    {{"embeddings", "F16", {result.vocabulary, result.dimensions}, std::as_bytes(std::span(halves))}});
}

std::string config_text(const fs::path& source, const DistilledModel& result, double coefficient) {
  const std::string name = utf8((source.has_filename() ? source : source.parent_path()).filename());
  const std::string size = std::to_string(result.dimensions);
  return "{\n \"model_type\": \"model2vec\",\n \"architectures\": [\n  \"StaticModel\"\n ],\n \"tokenizer_name\": " +
         json_string(name) + ",\n \"apply_pca\": " + size + ",\n \"sif_coefficient\": " + shortest_text(coefficient) +
         ",\n \"hidden_dim\": " + size +
         ",\n \"seq_length\": 1000000,\n \"normalize\": true,\n \"pooling\": \"mean\"\n}\n";
}

}  // namespace

DistilledModel distill(const Model& model, const fs::path& directory, const DistillOptions& options) {
  const ModelDescription description = model.describe();
  const fs::path source = path_of(description.source);
  if (description.is_builtin || !fs::is_directory(source)) {
    refuse(quote(description.source) + ": not a directory, expected a model's directory, whose tokenizer is copied");
  }
  if (is_there(directory)) refuse(quote_path(utf8(directory)) + ": exists, expected the name of a new directory");
  if (model.config().num_hidden_layers == 0) {
    refuse(quote_path(description.source) + " is a static model, expected one with an encoder");
  }
  DistilledModel result;
  const Table table = make_table(model, options, result);
  result.has_tokenizer_json = fs::exists(source / "tokenizer.json");
  model.check_files();
  write_directory(directory, [&](const fs::path& partial) {
    for (const fs::directory_entry& entry : fs::directory_iterator(source)) {
      const std::string file = utf8(entry.path().filename());
      if (is_tokenizer_file(file)) copy_side_file(source, path_of(file), partial);
    }
    write_text_file(partial / "config.json", config_text(source, result, options.sif_coefficient));
    write_table(partial, table, result);
  });
  return result;
}

}  // namespace bert
