#include "models/model/model_sources.h"

#include <algorithm>
#include <utility>

#include "engine/base/quote.h"
#include "models/config/config.h"
#include "models/config/positions.h"
#include "models/files/builtin_files.h"
#include "models/model/first_layers.h"

namespace bert {
namespace {

const Family* family_of(const ModelConfig& config) {
  return find_family(config.model_type, config.position_embedding_type);
}

// The notice about it; "": nothing is replaced.
std::string replace_positions(ModelConfig& config, const Family& family, const PositionReplacement& positions) {
  const std::string native = config.described_positions();
  if (!positions.type.empty()) config.position_embedding_type = positions.type;
  config.positions_at_every_layer = positions.at_every_layer.value_or(config.positions_at_every_layer);
  if (config.positions_at_every_layer) {
    const std::string reason = why_not_at_every_layer(config, projects_embeddings(config, family));
    if (!reason.empty()) throw Error(ErrorCode::kInvalidArgument, "positions before every layer: " + reason);
  }
  const std::string replaced = config.described_positions();
  return replaced == native ? "" : "an experiment: positions " + replaced + " in place of the model's own, " + native;
}

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
  const Family* family = family_of(config);
  std::vector<std::string> left_out;
  if (options.layers) left_out = keep_first_layers(config, *family, *options.layers, directory.string());
  std::string experiment = replace_positions(config, *family, positions);
  TextSettings text = read_text_settings(load_tokenizer_if_any(place, options.tokenizer), DirectorySource(directory),
                                         &config, options.task);
  text.notices.insert(text.notices.begin(), notices.begin(), notices.end());
  if (!text.sentence.activation_fn.empty()) config.activation_fn = text.sentence.activation_fn;
  return {.directory = directory.string(),
          .family = family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = Checkpoint::open(place, options.copy_weights),
          .experiment = std::move(experiment),
          .left_out = std::move(left_out)};
}

// The reference has no limit of tokens where the encoder's positions have none, and a word can have any number. Labels
// count too.
constexpr size_t kTokensOfWord = 16;

// A model in the hub's cache, or a directory, that another model's files name.
std::filesystem::path named_directory(const std::string& given, const std::string& named, const std::string& what,
                                      const std::filesystem::path& directory) {
  if (!given.empty()) return find_model(given);
  if (named.empty()) {
    throw Error(ErrorCode::kNotFound, quote_path(directory.string()) + " has no " + what + " and names no encoder, " +
                                          "expected one of them, or the option encoder");
  }
  try {
    return find_model(named);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    throw Error(ErrorCode::kNotFound, quote_path(directory.string()) + " has no " + what + ", expected it there, or " +
                                          quote(named) + " in the hub's cache or as the option encoder");
  }
}

bool has_tokenizer_config(const std::filesystem::path& directory) {
  return DirectorySource(directory).read("tokenizer_config.json", kMaxModelFile).has_value();
}

// The encoder of labels in the same file.
ModelSources find_label_encoder(const std::filesystem::path& directory, GlinerEncoder& encoder,
                                const LoadOptions& options) {
  std::filesystem::path tokenizer_place = directory / "labels_tokenizer";
  if (!has_tokenizer_config(tokenizer_place)) {
    tokenizer_place = named_directory("", encoder.name, "tokenizer of labels", directory);
  }
  std::vector<std::string> notices;
  if (!encoder.config) {
    encoder.config = read_config(
        DirectorySource(named_directory("", encoder.name, "configuration of the labels' encoder", directory)),
        &notices);
  }
  TextSettings text = read_text_settings(Tokenizer::load(tokenizer_place, {}), MemorySource({}, directory.string()),
                                         &*encoder.config, std::nullopt);
  // The mean of the tokens is what is used of it, whatever modules its own directory has.
  return {.directory = directory.string(),
          .family = family_of(*encoder.config),
          .config = *encoder.config,
          .text = std::move(text),
          .weights = Checkpoint::open(directory, options.copy_weights),
          .left_out = {"*"},
          .prefix = "token_rep_layer.labels_encoder.model."};
}

ModelSources find_gliner(const std::filesystem::path& directory, GlinerSettings settings,
                         std::vector<std::string> notices, const PositionReplacement& positions,
                         const LoadOptions& options) {
  const auto encoder_place = [&](const char* what) {
    return named_directory(options.encoder, settings.text.name, what, directory);
  };
  ModelConfig config = settings.text.config ? *settings.text.config
                                            : read_config(DirectorySource(encoder_place("encoder_config")), &notices);
  TokenizerOptions tokenizer_options = options.tokenizer;
  const bool adds_markers = !settings.labels && !settings.label_token_id;
  if (adds_markers) {
    tokenizer_options.added_special_tokens = {"[FLERT]", settings.label_token, settings.separator_token};
  }
  Tokenizer tokenizer =
      Tokenizer::load(has_tokenizer_config(directory) ? directory : encoder_place("tokenizer"), tokenizer_options);
  if (adds_markers) {
    config.vocab_size = tokenizer.vocabulary_size();
  } else if (!settings.text.config && settings.vocab_size) {
    config.vocab_size = *settings.vocab_size;
  }
  const Family* family = family_of(config);
  std::vector<std::string> left_out;
  if (options.layers) left_out = keep_first_layers(config, *family, *options.layers, directory.string());
  std::string experiment = replace_positions(config, *family, positions);
  const std::optional<size_t> limit = tokenizer.model_max_length();
  TextSettings text = read_text_settings(std::move(tokenizer), DirectorySource(directory), &config, options.task);
  const size_t most = std::min(most_positions(config), kTokensOfWord * settings.max_words);
  text.limit = {.tokens = std::min(limit.value_or(most), most), .notice = ""};
  text.notices.insert(text.notices.begin(), notices.begin(), notices.end());
  std::unique_ptr<ModelSources> label_encoder;
  if (settings.labels) {
    label_encoder = std::make_unique<ModelSources>(find_label_encoder(directory, *settings.labels, options));
    // The recurrent layer is in the reference's files, which does not use it.
    left_out.insert(left_out.end(), {"token_rep_layer.labels_encoder.*", "rnn.*"});
  }
  return {.directory = directory.string(),
          .family = family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = Checkpoint::open(directory, options.copy_weights),
          .experiment = std::move(experiment),
          .left_out = std::move(left_out),
          .gliner = std::move(settings),
          .prefix = "token_rep_layer.bert_layer.model.",
          .label_encoder = std::move(label_encoder)};
}

}  // namespace

ModelSources find_sources(const std::filesystem::path& directory, const PositionReplacement& positions,
                          const LoadOptions& options) {
  std::vector<std::string> notices;
  if (auto settings = read_gliner_settings(DirectorySource(directory), notices)) {
    return find_gliner(directory, std::move(*settings), std::move(notices), positions, options);
  }
  const StaticKind kind = static_kind(DirectorySource(directory), options.task);
  return kind != StaticKind::kNone ? find_static_model(directory, kind, positions, options)
                                   : find_encoder(directory, positions, options);
}

ModelSources builtin_sources(const PositionReplacement& positions, const LoadOptions& options) {
  const MemorySource files = builtin_files();
  ModelConfig config = read_config(files);
  const Family* family = family_of(config);
  std::vector<std::string> left_out;
  if (options.layers) left_out = keep_first_layers(config, *family, *options.layers, "built-in model");
  std::string experiment = replace_positions(config, *family, positions);
  TextSettings text =
      read_text_settings(read_builtin_tokenizer(files, options.tokenizer), files, &config, options.task);
  return {.directory = std::nullopt,
          .family = family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = Checkpoint::from_memory(builtin_safetensors(), "built-in model"),
          .experiment = std::move(experiment),
          .left_out = std::move(left_out)};
}

WeightReaderOptions module_options(const LoadOptions& options) {
  return {.ignore_unexpected = options.ignore_unexpected, .check_finite = options.check_tensors};
}

}  // namespace bert
