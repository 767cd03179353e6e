#include "tasks/labels/label_forms.h"

#include <map>
#include <utility>

#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "models/config/config.h"
#include "tasks/labels/gliclass/gliclass.h"
#include "tasks/labels/gliner/gliner.h"
#include "tasks/labels/gliner2/gliner2.h"

namespace bert {
namespace {

// The limit of tokens, in tokens per word, if the encoder's positions have none: the reference has no limit then, and a
// word can have any number of tokens. Labels count too.
constexpr size_t kTokensOfWord = 16;

// The default limit of tokens that gliclass reads of a text.
constexpr size_t kTokensOfClasses = 1024;

// GLiNER2's limit if the encoder's positions have none; the reference has no limit then.
constexpr size_t kTokensOfSchemas = 1 << 14;

// Returns the directory of a model that another model's files name: in the hub's cache, or a directory.
std::filesystem::path named_directory(const std::string& given, const std::string& named, const std::string& what,
                                      const std::filesystem::path& directory) {
  if (!given.empty()) return find_model(given);
  if (named.empty()) {
    throw Error(ErrorCode::kNotFound, quote_path(utf8(directory)) + " has no " + what + " and names no encoder, " +
                                          "expected one of them, or the option encoder");
  }
  try {
    return find_model(named);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    throw Error(ErrorCode::kNotFound, quote_path(utf8(directory)) + " has no " + what + ", expected it there, or " +
                                          quote(named) + " in the hub's cache or as the option encoder");
  }
}

bool has_tokenizer_config(const std::filesystem::path& directory) {
  return DirectorySource(directory).read("tokenizer_config.json", kMaxModelFile).has_value();
}

// Returns the settings that all forms share.
ModelForm labelled_form(const std::filesystem::path& directory, const LoadOptions& options) {
  return {.directory = utf8(directory),
          .settings = std::make_shared<const DirectorySource>(directory),
          .tokenizer_place = directory,
          .weights_place = directory,
          .adapter = adapter_directory(options),
          .tokenizer = options.tokenizer,
          .needs_tokenizer = true};
}

// Returns the form of the labels' encoder in the same file. named: the model whose tokenizer it uses, unless
// labels_tokenizer has one. Only its pooled tokens are used, whatever modules its own directory has.
ModelForm label_encoder_form(const std::filesystem::path& directory, ModelConfig config, const std::string& named,
                             std::string_view prefix) {
  std::filesystem::path place = directory / "labels_tokenizer";
  if (!has_tokenizer_config(place)) place = named_directory("", named, "tokenizer of labels", directory);
  return {.directory = utf8(directory),
          .settings = std::make_shared<const MemorySource>(std::map<std::string, std::string_view>(), utf8(directory)),
          .tokenizer_place = place,
          .weights_place = directory,
          .needs_tokenizer = true,
          .config = std::move(config),
          .prefix = prefix,
          .left_out = {"*"}};
}

ModelForm gliner_label_encoder(const std::filesystem::path& directory, const GlinerEncoder& labels) {
  std::vector<std::string> notices;
  const char* what = "configuration of the labels' encoder";
  ModelConfig config = labels.config
                           ? *labels.config
                           : read_config(DirectorySource(named_directory("", labels.name, what, directory)), &notices);
  ModelForm form =
      label_encoder_form(directory, std::move(config), labels.name, "token_rep_layer.labels_encoder.model.");
  form.notices = std::move(notices);
  return form;
}

// Returns tensors of tasks that this library does not offer, and of candidates that the settings do not use.
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

size_t chosen_limit(const char* option, const std::optional<size_t>& chosen, size_t of_file, size_t most) {
  const size_t limit = chosen.value_or(of_file);
  if (limit >= 1 && limit <= most) return limit;
  throw Error(ErrorCode::kInvalidArgument, std::string(option) + ": found " + std::to_string(limit) +
                                               ", expected from 1 to " + std::to_string(most));
}

}  // namespace

std::optional<ModelForm> gliner_form(const std::filesystem::path& directory, const LoadOptions& options) {
  std::vector<std::string> notices;
  std::optional<GlinerSettings> settings = read_gliner_settings(DirectorySource(directory), notices);
  if (!settings) return std::nullopt;
  settings->max_words = chosen_limit("max_words", options.max_words, settings->max_words, GlinerSettings::kMostWords);
  settings->max_width = chosen_limit("max_width", options.max_width, settings->max_width, GlinerSettings::kMostWidth);
  ModelForm form = labelled_form(directory, options);
  form.has_gliner_options = true;
  form.notices = std::move(notices);
  const auto encoder_place = [&](const char* what) {
    return named_directory(options.encoder, settings->text.name, what, directory);
  };
  const bool has_tokenizer = has_tokenizer_config(directory);
  try {
    form.config = settings->text.config ? *settings->text.config
                                        : read_config(DirectorySource(encoder_place("encoder_config")), &form.notices);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound || !has_tokenizer) throw;
    form.config = error;
  }
  if (!has_tokenizer) form.tokenizer_place = encoder_place("tokenizer");
  if (settings->text.config && has_tokenizer && !options.encoder.empty()) {
    form.notices.push_back(quote_path(utf8(directory)) + ": has its encoder's configuration and tokenizer, so " +
                           quote_path(options.encoder) + " is not used as its encoder");
  }
  auto* config = std::get_if<ModelConfig>(&form.config);
  if (!settings->labels && !settings->label_token_id) {
    form.tokenizer.added_special_tokens = {"[FLERT]", settings->label_token, settings->separator_token};
    form.vocabulary = VocabularyOf::kTokenizer;
  } else if (!settings->text.config && settings->vocab_size && config != nullptr) {
    config->vocab_size = *settings->vocab_size;
  }
  form.max_tokens = kTokensOfWord * settings->max_words;
  form.prefix = "token_rep_layer.bert_layer.model.";
  if (settings->labels) {
    form.second_encoder = [directory, labels = *settings->labels] { return gliner_label_encoder(directory, labels); };
    // The reference's files contain the recurrent layer, which the reference does not use.
    form.left_out = {"token_rep_layer.labels_encoder.*", "rnn.*"};
  }
  form.read_extension = [settings = std::move(*settings)](const ModelConfig& encoder, const Tokenizer& read_by,
                                                          WeightReader& weights) {
    return std::make_unique<const Gliner>(settings, encoder, read_by, weights);
  };
  return form;
}

std::optional<ModelForm> gliner2_form(const std::filesystem::path& directory, const LoadOptions& options) {
  const std::optional<Gliner2Settings> settings = read_gliner2_settings(DirectorySource(directory));
  if (!settings) return std::nullopt;
  ModelForm form = labelled_form(directory, options);
  form.config = read_config(DirectorySource(directory / kGliner2EncoderFolder), &form.notices);
  form.vocabulary = VocabularyOf::kWeights;
  form.tokenizer.added_special_tokens = Gliner2::markers();
  form.max_tokens = kTokensOfSchemas;
  form.has_tokenizer_limit = false;
  form.prefix = "encoder.";
  form.left_out = unused_tensors(*settings);
  form.read_extension = [settings = *settings](const ModelConfig& encoder, const Tokenizer&, WeightReader& weights) {
    return std::make_unique<const Gliner2>(settings, encoder.hidden_size, weights);
  };
  return form;
}

std::optional<ModelForm> gliclass_form(const std::filesystem::path& directory, const LoadOptions& options) {
  std::vector<std::string> notices;
  std::optional<ClassSettings> settings = read_class_settings(DirectorySource(directory), notices);
  if (!settings) return std::nullopt;
  ModelForm form = labelled_form(directory, options);
  form.notices = std::move(notices);
  form.config = settings->text;
  form.max_tokens = kTokensOfClasses;
  form.prefix = "model.encoder_model.";
  if (settings->labels) {
    form.second_encoder = [directory, config = *settings->labels, named = settings->label_model] {
      return label_encoder_form(directory, config, named, "model.label_encoder.");
    };
    // The reference's files contain a recurrent layer, which the reference uses only in uni-encoders.
    form.left_out = {"model.label_encoder.*", "model.lstm.*"};
  }
  form.read_extension = [settings = std::move(*settings)](const ModelConfig&, const Tokenizer& read_by,
                                                          WeightReader& weights) {
    return std::make_unique<const GliClass>(settings, read_by, weights);
  };
  return form;
}

}  // namespace bert
