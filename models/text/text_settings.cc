#include "models/text/text_settings.h"

#include <limits>
#include <utility>

#include "engine/base/utf8_path.h"
#include "models/config/config.h"
#include "models/config/positions.h"
#include "models/sentence/task_adapters.h"

namespace bert {
namespace {

// Adds ModelConfig::projected_size as the first module.
void project_tokens(size_t hidden_size, size_t projected_size, SentenceSettings& settings) {
  const DenseModule dense{.of = VectorOf::kToken,
                          .in = hidden_size,
                          .out = projected_size,
                          .bias = false,
                          .activation = Activation::kIdentity,
                          .activation_name = "Identity"};
  settings.modules.insert(settings.modules.begin(), {"", dense});
  if (settings.pooling_refusal) return;
  settings.pooling.modules.insert(settings.pooling.modules.begin(), describe_module(settings.modules.front()));
}

// Pools the last token: without modules.json, the reference does so for a causal language model.
void pool_last_token(SentenceSettings& settings) {
  settings.modules = {{"", PoolingModule{.modes = {PoolingMode::kLastToken}}}};
  settings.pooling.modes = {PoolingMode::kLastToken};
}

bool is_causal_language_model(const ModelConfig& config) {
  return config.causal_attention && !config.architectures.empty() && config.architectures[0].ends_with("ForCausalLM");
}

}  // namespace

LengthLimit resolve_length_limit(const LengthLimits& limits) {
  const std::optional<size_t>& said = limits.sentence ? limits.sentence : limits.tokenizer;
  if (!limits.positions || (said && *said <= *limits.positions)) return {.tokens = said, .notice = ""};
  if (!said) return {.tokens = limits.positions, .notice = ""};
  return {.tokens = limits.positions,
          .notice = "the model's files allow " + std::to_string(*said) + " tokens, its position table has " +
                    std::to_string(*limits.positions) + ": the limit is lowered to that"};
}

TextSettings read_text_settings(TokenizerOrError tokenizer, const FileSource& files, const ModelConfig* config,
                                const std::optional<std::string>& task, StaticFile static_file) {
  const size_t projected = config == nullptr ? 0 : config->projected_size;
  const size_t width = config == nullptr || projected > 0 ? projected : config->hidden_size;
  SentenceSettings sentence = read_sentence_settings(files, width, task, static_file);
  const bool is_undeclared = !sentence.pooling.declared && !sentence.pooling_refusal;
  if (is_undeclared && config != nullptr && is_causal_language_model(*config)) pool_last_token(sentence);
  if (projected > 0) project_tokens(config->hidden_size, projected, sentence);
  const std::optional<size_t> adapter =
      choose_adapter(config == nullptr ? std::nullopt : config->adapters, task, files.name(), sentence);
  std::optional<size_t> positions;
  // Unlimited positions do not raise the limit, but a caller can ask for more.
  if (config != nullptr) positions = longest_sequence(*config).value_or(config->max_position_embeddings);
  std::vector<std::string> notices;
  std::optional<size_t> tokenizer_limit;
  if (const auto* found = std::get_if<Tokenizer>(&tokenizer)) {
    notices = found->notices();
    tokenizer_limit = found->model_max_length();
    if (config != nullptr && config->type_vocab_size > 1 && !found->has_segments()) {
      notices.push_back(
          "the second text of a pair has segment 0: token_type_ids is not among the tokenizer's model_input_names "
          "(tokenizer_config.json), as transformers 5 reads them");
    }
  } else {
    notices.push_back(std::get<Error>(tokenizer).what() + std::string("; only ids can be encoded, no texts"));
  }
  LengthLimit limit =
      resolve_length_limit({.sentence = sentence.max_length, .tokenizer = tokenizer_limit, .positions = positions});
  notices.insert(notices.end(), sentence.notices.begin(), sentence.notices.end());
  if (!limit.notice.empty()) notices.push_back(limit.notice);
  return {std::move(tokenizer), std::move(sentence), std::move(limit), adapter, std::move(notices)};
}

void set_unknown_id(TextSettings& settings) {
  const auto* tokenizer = std::get_if<Tokenizer>(&settings.tokenizer);
  for (SentenceModule& module : settings.sentence.modules) {
    auto* rows = std::get_if<StaticModule>(&module.kind);
    if (rows == nullptr || !rows->leaves_unknown_out || tokenizer == nullptr) continue;
    rows->unknown_id = tokenizer->model_unknown_id();
  }
}

void set_static(StaticKind kind, TokenizerOptions& options) {
  if (kind == StaticKind::kRows) {
    options.of_static_model = true;
  } else {
    options.special_tokens = false;
  }
}

TokenizerOrError load_tokenizer_if_any(const std::filesystem::path& directory, const TokenizerOptions& options) {
  try {
    return Tokenizer::load(directory, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound && error.code() != ErrorCode::kUnsupported) throw;
    return error;
  }
}

std::filesystem::path encoder_directory(const std::filesystem::path& directory,
                                        const std::optional<std::string>& task) {
  const std::string folder = read_transformer_directory(DirectorySource(directory), task);
  return folder.empty() ? directory : directory / path_of(folder);
}

Tokenizer read_builtin_tokenizer(const FileSource& files, const TokenizerOptions& options) {
  const std::string vocabulary = files.read("vocab.txt", kMaxModelFile).value_or("");
  const std::string config = files.read("tokenizer_config.json", kMaxModelFile).value_or("");
  return Tokenizer::from_vocabulary(vocabulary, config, options);
}

size_t most_positions(const ModelConfig& config) {
  return longest_sequence(config).value_or(std::numeric_limits<int32_t>::max());
}

}  // namespace bert
