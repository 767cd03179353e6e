#include "models/model/label_sources.h"

#include <algorithm>
#include <utility>

#include "engine/base/quote.h"
#include "models/config/config.h"
#include "models/labels/gliclass.h"
#include "models/labels/gliner.h"
#include "models/labels/gliner2.h"
#include "models/model/encoder_change.h"

namespace bert {
namespace {

// The reference has no limit of tokens where the encoder's positions have none, and a word can have any number. Labels
// count too.
constexpr size_t kTokensOfWord = 16;

// What gliclass reads of a text unless it is asked for another number.
constexpr size_t kTokensOfClasses = 1024;

// Of GLiNER2 where the encoder's positions have no limit: the reference has none then.
constexpr size_t kTokensOfSchemas = 1 << 14;

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

void put_first(std::vector<std::string>& notices, const std::vector<std::string>& more) {
  notices.insert(notices.begin(), more.begin(), more.end());
}

// The encoder of labels in the same file. named: the model whose tokenizer it has, unless that is in labels_tokenizer.
ModelSources find_label_encoder(const std::filesystem::path& directory, ModelConfig config, const std::string& named,
                                std::string_view prefix, const LoadOptions& options) {
  std::filesystem::path place = directory / "labels_tokenizer";
  if (!has_tokenizer_config(place)) place = named_directory("", named, "tokenizer of labels", directory);
  TextSettings text =
      read_text_settings(Tokenizer::load(place, {}), MemorySource({}, directory.string()), &config, std::nullopt);
  // The pooled tokens are what is used of it, whatever modules its own directory has.
  const Family* family = find_family(config.model_type, config.position_embedding_type);
  return {.directory = directory.string(),
          .family = family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = Checkpoint::open(directory, options.copy_weights),
          .left_out = {"*"},
          .prefix = prefix};
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
  EncoderChange change = change_encoder(config, positions, options.layers, directory.string());
  const std::optional<size_t> limit = tokenizer.model_max_length();
  TextSettings text = read_text_settings(std::move(tokenizer), DirectorySource(directory), &config, options.task);
  const size_t most = std::min(most_positions(config), kTokensOfWord * settings.max_words);
  text.limit = {.tokens = std::min(limit.value_or(most), most), .notice = ""};
  std::unique_ptr<ModelSources> label_encoder;
  if (settings.labels) {
    GlinerEncoder& labels = *settings.labels;
    if (!labels.config) {
      const char* what = "configuration of the labels' encoder";
      labels.config = read_config(DirectorySource(named_directory("", labels.name, what, directory)), &notices);
    }
    label_encoder = std::make_unique<ModelSources>(
        find_label_encoder(directory, *labels.config, labels.name, "token_rep_layer.labels_encoder.model.", options));
    // The recurrent layer is in the reference's files, which does not use it.
    change.left_out.insert(change.left_out.end(), {"token_rep_layer.labels_encoder.*", "rnn.*"});
  }
  put_first(text.notices, notices);
  ReadLabelLayers read_labels = [settings = std::move(settings)](const ModelConfig& encoder, const Tokenizer& read_by,
                                                                 WeightReader& weights) {
    return std::make_unique<const Gliner>(settings, encoder, read_by, weights);
  };
  return {.directory = directory.string(),
          .family = change.family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = Checkpoint::open(directory, options.copy_weights),
          .experiment = std::move(change.experiment),
          .left_out = std::move(change.left_out),
          .read_labels = std::move(read_labels),
          .prefix = "token_rep_layer.bert_layer.model.",
          .label_encoder = std::move(label_encoder)};
}

ModelSources find_gliclass(const std::filesystem::path& directory, ClassSettings settings,
                           const std::vector<std::string>& notices, const PositionReplacement& positions,
                           const LoadOptions& options) {
  ModelConfig config = settings.text;
  EncoderChange change = change_encoder(config, positions, options.layers, directory.string());
  Tokenizer tokenizer = Tokenizer::load(directory, options.tokenizer);
  const std::optional<size_t> limit = tokenizer.model_max_length();
  TextSettings text = read_text_settings(std::move(tokenizer), DirectorySource(directory), &config, options.task);
  const size_t most = std::min(most_positions(config), kTokensOfClasses);
  text.limit = {.tokens = std::min(limit.value_or(most), most), .notice = ""};
  put_first(text.notices, notices);
  std::unique_ptr<ModelSources> label_encoder;
  if (settings.labels) {
    label_encoder = std::make_unique<ModelSources>(
        find_label_encoder(directory, *settings.labels, settings.label_model, "model.label_encoder.", options));
    // A recurrent layer is in the reference's files, which uses it only in uni-encoders.
    change.left_out.insert(change.left_out.end(), {"model.label_encoder.*", "model.lstm.*"});
  }
  ReadLabelLayers read_labels = [settings = std::move(settings)](const ModelConfig&, const Tokenizer& read_by,
                                                                 WeightReader& weights) {
    return std::make_unique<const GliClass>(settings, read_by, weights);
  };
  return {.directory = directory.string(),
          .family = change.family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = Checkpoint::open(directory, options.copy_weights),
          .experiment = std::move(change.experiment),
          .left_out = std::move(change.left_out),
          .read_labels = std::move(read_labels),
          .prefix = "model.encoder_model.",
          .label_encoder = std::move(label_encoder)};
}

// The rows of the word embedding in the file, of which the reference makes as many.
std::optional<size_t> stored_vocabulary(const Checkpoint& checkpoint) {
  std::optional<size_t> rows;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    const bool is_table = tensor.name.starts_with("encoder.") && tensor.name.ends_with("word_embeddings.weight");
    if (is_table && tensor.shape.size() == 2) rows = tensor.shape[0];
  }
  return rows;
}

// Tensors of what is not offered, and of candidates that the settings do not use.
std::vector<std::string> unused_tensors(const Gliner2Settings& settings) {
  if (!settings.boundaries) return {};
  std::vector<std::string> unused = {"record_decoder.*", "relation_scorer.*", "boundary_head.candidate_encoder.*"};
  if (settings.boundaries->shares_candidates) {
    unused.insert(unused.end(), {"boundary_head.boundary_proposer.*", "boundary_head.pair_scorer.*"});
  } else {
    unused.insert(unused.end(), {"boundary_head.shared_pool_builder.*", "boundary_head.shared_pool_scorer.*"});
  }
  return unused;
}

ModelSources find_gliner2(const std::filesystem::path& directory, const Gliner2Settings& settings,
                          const PositionReplacement& positions, const LoadOptions& options) {
  std::vector<std::string> notices;
  ModelConfig config = read_config(DirectorySource(directory / kGliner2EncoderFolder), &notices);
  Checkpoint checkpoint = Checkpoint::open(directory, options.copy_weights);
  config.vocab_size = stored_vocabulary(checkpoint).value_or(config.vocab_size);
  EncoderChange change = change_encoder(config, positions, options.layers, directory.string());
  for (std::string& name : unused_tensors(settings)) change.left_out.push_back(std::move(name));
  TokenizerOptions tokenizer_options = options.tokenizer;
  tokenizer_options.added_special_tokens = Gliner2::markers();
  TextSettings text = read_text_settings(Tokenizer::load(directory, tokenizer_options), DirectorySource(directory),
                                         &config, options.task);
  text.limit = {.tokens = std::min(most_positions(config), kTokensOfSchemas), .notice = ""};
  put_first(text.notices, notices);
  ReadLabelLayers read_labels = [settings](const ModelConfig& encoder, const Tokenizer&, WeightReader& weights) {
    return std::make_unique<const Gliner2>(settings, encoder.hidden_size, weights);
  };
  return {.directory = directory.string(),
          .family = change.family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = std::move(checkpoint),
          .experiment = std::move(change.experiment),
          .left_out = std::move(change.left_out),
          .read_labels = std::move(read_labels),
          .prefix = "encoder."};
}

}  // namespace

std::optional<ModelSources> find_label_sources(const std::filesystem::path& directory,
                                               const PositionReplacement& positions, const LoadOptions& options) {
  std::vector<std::string> notices;
  const DirectorySource files(directory);
  if (auto settings = read_gliner_settings(files, notices)) {
    return find_gliner(directory, std::move(*settings), std::move(notices), positions, options);
  }
  if (auto settings = read_gliner2_settings(files)) {
    return find_gliner2(directory, *settings, positions, options);
  }
  if (auto settings = read_class_settings(files, notices)) {
    return find_gliclass(directory, std::move(*settings), notices, positions, options);
  }
  return std::nullopt;
}

}  // namespace bert
