#include "models/model/model_sources.h"

#include <algorithm>
#include <utility>

#include "engine/base/quote.h"
#include "models/config/config.h"
#include "models/files/builtin_files.h"
#include "models/model/encoder_change.h"
#include "models/model/label_sources.h"

namespace bert {
namespace {

[[noreturn]] void refuse_of_static(const std::filesystem::path& directory, const std::string& asked,
                                   const std::string& missing) {
  throw Error(ErrorCode::kUnsupported, asked + ": " + quote_path(directory.string()) + " is a static model without " +
                                           missing + ", expected one with an encoder");
}

ModelSources find_static_model(const std::filesystem::path& directory, StaticKind kind,
                               const PositionReplacement& positions, const LoadOptions& options) {
  if (options.layers) refuse_of_static(directory, "layers " + std::to_string(*options.layers), "layers");
  if (positions.at_every_layer.value_or(false)) refuse_of_static(directory, "positions before every layer", "layers");
  if (!positions.type.empty() && positions.type != "none") {  // the model's own
    refuse_of_static(directory, "positions " + positions.type, "positions");
  }
  const std::filesystem::path place = encoder_directory(directory, options.task);
  const auto read_table = kind == StaticKind::kRows ? read_static_table : read_token_weights;
  StaticTable table = read_table(Checkpoint::open(place, options.copy_weights), module_options(options));
  ModelConfig config = static_config(table);
  TokenizerOptions tokenizer = options.tokenizer;
  set_static(kind, tokenizer);
  TextSettings text =
      read_text_settings(load_tokenizer_if_any(place, tokenizer), DirectorySource(directory), &config, options.task);
  set_unknown_id(text);
  return {.directory = directory.string(),
          .config = std::move(config),
          .text = std::move(text),
          .weights = std::move(table)};
}

ModelSources find_encoder(const std::filesystem::path& directory, const PositionReplacement& positions,
                          const LoadOptions& options) {
  const std::filesystem::path place = encoder_directory(directory, options.task);
  std::vector<std::string> notices;
  ModelConfig config = read_config(DirectorySource(place), &notices);
  EncoderChange change = change_encoder(config, positions, options.layers, directory.string());
  TextSettings text = read_text_settings(load_tokenizer_if_any(place, options.tokenizer), DirectorySource(directory),
                                         &config, options.task);
  text.notices.insert(text.notices.begin(), notices.begin(), notices.end());
  if (!text.sentence.activation_fn.empty()) config.activation_fn = text.sentence.activation_fn;
  return {.directory = directory.string(),
          .family = change.family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = Checkpoint::open(place, options.copy_weights),
          .experiment = std::move(change.experiment),
          .left_out = std::move(change.left_out)};
}

}  // namespace

ModelSources find_sources(const std::filesystem::path& directory, const PositionReplacement& positions,
                          const LoadOptions& options) {
  if (auto sources = find_label_sources(directory, positions, options)) return std::move(*sources);
  const StaticKind kind = static_kind(DirectorySource(directory), options.task);
  return kind != StaticKind::kNone ? find_static_model(directory, kind, positions, options)
                                   : find_encoder(directory, positions, options);
}

ModelSources builtin_sources(const PositionReplacement& positions, const LoadOptions& options) {
  const MemorySource files = builtin_files();
  ModelConfig config = read_config(files);
  EncoderChange change = change_encoder(config, positions, options.layers, "built-in model");
  TextSettings text =
      read_text_settings(read_builtin_tokenizer(files, options.tokenizer), files, &config, options.task);
  return {.directory = std::nullopt,
          .family = change.family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = Checkpoint::from_memory(builtin_safetensors(), "built-in model"),
          .experiment = std::move(change.experiment),
          .left_out = std::move(change.left_out)};
}

WeightReaderOptions module_options(const LoadOptions& options) {
  return {.ignore_unexpected = options.ignore_unexpected, .check_finite = options.check_tensors};
}

}  // namespace bert
