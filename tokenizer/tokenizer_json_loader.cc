#include "tokenizer/tokenizer_json_loader.h"

#include <algorithm>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "tokenizer/lowercase_option.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/tokenizer_json.h"

namespace bert {
namespace {

// A key of tokenizer_config.json against what tokenizer.json does; true where the first shall hold.
bool config_key_holds(const char* key, bool config_value, const char* json_name, bool json_value,
                      const TokenizerOptions& options, std::vector<std::string>& notices) {
  if (config_value == json_value) return false;
  const std::string both = std::string("'tokenizer_config.json' says ") + key + " " + true_or_false(config_value) +
                           ", 'tokenizer.json' " + json_name + " " + true_or_false(json_value);
  if (!options.tokenizer_config_wins) {
    throw Error(ErrorCode::kInvalidFile, both + ": expected the same, or a choice (tokenizer_config_wins)");
  }
  notices.push_back(both + "; the first holds");
  return true;
}

void apply_prefix_space(const JsonObject& config, const TokenizerOptions& options, TokenizerSettings& settings) {
  ByteLevel* const rules = settings.splitter.byte_level();
  const auto wanted = config.nullable_boolean("add_prefix_space");
  if (rules == nullptr || !wanted ||
      !config_key_holds("add_prefix_space", *wanted, "add_prefix_space", rules->add_prefix_space, options,
                        settings.notices)) {
    return;
  }
  rules->add_prefix_space = *wanted;
  if (settings.post_processor.trimming) settings.post_processor.trimming->add_prefix_space = *wanted;
}

void apply_config(const JsonObject& config, const TokenizerOptions& options, TokenizerJson& file) {
  std::vector<std::string>& notices = file.settings.notices;
  apply_prefix_space(config, options, file.settings);
  bool changed = false;
  BertNormalizerFields fields = file.bert_normalizer.value_or(BertNormalizerFields());
  if (const auto lowercase = config.nullable_boolean("do_lower_case");
      lowercase && config_key_holds("do_lower_case", *lowercase, "lowercase", file.settings.normalizer.lowercases(),
                                    options, notices)) {
    fields.lowercase = *lowercase;
    changed = true;
  }
  const bool strips = file.settings.normalizer.strips_accents();
  if (const auto strip = config.nullable_boolean("strip_accents");
      strip && config_key_holds("strip_accents", *strip, "strip_accents", strips, options, notices)) {
    fields.strip_accents = *strip;
    changed = true;
  }
  if (const auto split = config.nullable_boolean("tokenize_chinese_chars");
      split && config_key_holds("tokenize_chinese_chars", *split, "handle_chinese_chars",
                                file.settings.normalizer.splits_ideographs(), options, notices)) {
    fields.split_cjk = *split;
    changed = true;
  }
  if (!changed) return;
  if (!file.bert_normalizer) {
    throw Error(ErrorCode::kUnsupported,
                "'tokenizer.json': its normalizer is no BertNormalizer, so "
                "'tokenizer_config.json' cannot change it");
  }
  file.settings.normalizer =
      bert_normalizer(fields.clean_text, fields.split_cjk, fields.strip_accents, fields.lowercase);
}

// The tokens of tokenizer.json hold; tokenizer_config.json may repeat them, or add some where it wins.
void merge_listed_tokens(const JsonObject& config, const TokenizerOptions& options, TokenizerJson& file) {
  for (const ListedToken& listed : read_added_tokens_decoder(config)) {
    const std::string& content = listed.token.content;
    bool known = false;
    for (const ListedToken& entry : file.added_tokens) {
      if (entry.token.content != content) continue;
      known = true;
      if (entry.id != listed.id && !options.tokenizer_config_wins) {
        refuse_file(kTokenizerConfig, "added_tokens_decoder has " + quote(content) + " with id " +
                                          std::to_string(*listed.id) + ", 'tokenizer.json' with id " +
                                          std::to_string(*entry.id) + ", expected the same");
      }
    }
    if (known || content.empty()) continue;
    if (!options.tokenizer_config_wins) {
      refuse_file(kTokenizerConfig,
                  "added_tokens_decoder has " + quote(content) +
                      ", which 'tokenizer.json' does not have: expected the same, or a choice (tokenizer_config_wins)");
    }
    file.added_tokens.push_back(listed);
    file.settings.notices.push_back("added token " + quote(content) + " is in 'tokenizer_config.json' alone; it holds");
  }
}

// A special token where no file names it: `usual`, else the one of the families' that the vocabulary has.
std::string usual_token(const TokenizerFamilies& families, const TokenizerJson& file, const std::string& usual,
                        std::string_view TokenizerFamily::*of_family) {
  const auto known = [&](std::string_view token) {
    const auto& listed = file.added_tokens;
    return file.settings.vocabulary.id(token).has_value() ||
           std::any_of(listed.begin(), listed.end(), [&](const auto& entry) { return entry.token.content == token; });
  };
  if (known(usual)) return usual;
  for (const NamedTokenizer& named : families.all()) {
    if (known(named.family->*of_family)) return std::string(named.family->*of_family);
  }
  return usual;
}

}  // namespace

TokenizerSettings settings_from_tokenizer_json(std::string_view text, const TokenizerFamilies& families,
                                               const SmallFiles& files, const TokenizerOptions& options) {
  TokenizerJson file = read_tokenizer_json(text, kTokenizerJson, families);
  TokenizerSettings& settings = file.settings;
  SpecialTokens special = SpecialTokens::of(*families.usual(TokenizerFiles::kWordPiece));
  special.padding.content = usual_token(families, file, file.pad_token, &TokenizerFamily::padding);
  special.mask.content = usual_token(families, file, special.mask.content, &TokenizerFamily::mask);
  special.unknown.content = usual_token(families, file, special.unknown.content, &TokenizerFamily::unknown);
  if (files.special_tokens_map) special.read(files.special_tokens_map->object());
  if (files.config) {
    const JsonObject config = files.config->object();
    settings.model_max_length = read_model_max_length(config);
    note_left_to_the_caller(config, settings.notices);
    special.read(config);
    apply_config(config, options, file);
    merge_listed_tokens(config, options, file);
  }
  const bool lowers = settings.normalizer.lowercases();
  check_lowercase_option(options, lowers, quote(kTokenizerJson) + " says lowercase " + true_or_false(lowers));
  std::vector<AddedToken> tokens;
  for (const ListedToken& entry : file.added_tokens) tokens.push_back(entry.token);
  settings.added_tokens = AddedTokens(settings.vocabulary, settings.normalizer, tokens, kTokenizerJson);
  for (const ListedToken& entry : file.added_tokens) {
    const auto id = settings.added_tokens.id(entry.token.content);
    if (id && entry.id && static_cast<uint64_t>(*id) != *entry.id) {
      settings.notices.push_back("added token " + quote(entry.token.content) + " is listed with id " +
                                 std::to_string(*entry.id) + ", but has " + std::to_string(*id) +
                                 ", as in the reference");
    }
  }
  if (const auto pad = settings.id(special.padding.content)) settings.pad_token.id = *pad;
  settings.mask_id = settings.id(special.mask.content);
  settings.unknown_id = settings.id(special.unknown.content);
  return std::move(file.settings);
}

}  // namespace bert
