#include "tokenizer/tokenizer_json_loader.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "tokenizer/lowercase_option.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/tokenizer_json.h"

namespace bert {
namespace {

// The family whose class the reference loads: tokenizer_class, else the class of config.json's model_type. Null for a
// class that takes tokenizer.json as it is.
const TokenizerFamily* loaded_family(const FileSource& files, const SmallFiles& small_files,
                                     const TokenizerFamilies& families) {
  if (small_files.config) {
    const auto name = small_files.config->object().nullable_string("tokenizer_class");
    if (name) return families.of_class(*name);
  }
  const auto config = read_small_file(files, kModelConfig);
  const auto type = config ? config->object().nullable_string("model_type") : std::nullopt;
  return type ? families.of_model(*type) : nullptr;
}

// A value of tokenizer.json that the reference replaces.
template <class Value>
void replace(Value& value, Value by, const char* name, const std::string& text, std::vector<std::string>& notices) {
  if (value == by) return;
  value = by;
  notices.push_back("'tokenizer.json': " + std::string(name) + " is replaced by " + text +
                    ", as the reference's tokenizer class does");
}

// The WordPiece classes make the normalizer anew, from tokenizer_config.json and their own defaults.
void rebuild_normalizer(const JsonObject* config, TokenizerJson& file) {
  const auto read = [&](const char* key) { return config == nullptr ? std::nullopt : config->nullable_boolean(key); };
  std::vector<std::string>& notices = file.settings.notices;
  BertNormalizerFields fields = file.bert_normalizer.value_or(BertNormalizerFields());
  if (!file.bert_normalizer)
    notices.push_back(
        "'tokenizer.json': its normalizer is replaced by a BertNormalizer, as the reference's tokenizer class does");
  const bool lowercase = read("do_lower_case").value_or(true),
             split_cjk = read("tokenize_chinese_chars").value_or(true);
  const auto strip = read("strip_accents");
  replace(fields.clean_text, true, "clean_text", "true", notices);
  replace(fields.lowercase, lowercase, "lowercase", true_or_false(lowercase), notices);
  replace(fields.split_cjk, split_cjk, "handle_chinese_chars", true_or_false(split_cjk), notices);
  replace(fields.strip_accents, strip, "strip_accents", strip ? true_or_false(*strip) : "null", notices);
  file.settings.normalizer =
      bert_normalizer(fields.clean_text, fields.split_cjk, fields.strip_accents, fields.lowercase);
}

// The byte-level classes take these two from tokenizer_config.json and their own defaults.
void rebuild_byte_level(const JsonObject* config, TokenizerSettings& settings) {
  const auto read = [&](const char* key) { return config == nullptr ? std::nullopt : config->nullable_boolean(key); };
  ByteLevel* const rules = settings.splitter.byte_level();
  if (rules == nullptr) return;
  const bool prefix = read("add_prefix_space").value_or(false), trims = read("trim_offsets").value_or(true);
  replace(rules->add_prefix_space, prefix, "add_prefix_space", true_or_false(prefix), settings.notices);
  auto& trimming = settings.post_processor.trimming;
  if (trimming.has_value() != trims) {
    settings.notices.push_back("'tokenizer.json': trim_offsets is replaced by " + true_or_false(trims) +
                               ", as the reference's tokenizer class does");
  }
  trimming = trims ? std::optional(SpanTrimming{prefix}) : std::nullopt;
}

// The file's model, where the reference's class expects another kind of model.
void note_other_model(const char* model, const char* reference, std::vector<std::string>& notices) {
  notices.push_back("'tokenizer.json': its " + std::string(model) + " model is used; transformers 5 " + reference +
                    " for this tokenizer class");
}

void apply_class(const TokenizerFamily* family, const JsonObject* config, TokenizerJson& file) {
  TokenizerSettings& settings = file.settings;
  const bool is_wordpiece = std::holds_alternative<WordPieceSettings>(settings.model);
  const bool is_bpe = std::holds_alternative<BpeSettings>(settings.model);
  if (family != nullptr && family->files == TokenizerFiles::kWordPiece && is_wordpiece) {
    return rebuild_normalizer(config, file);
  }
  if (family != nullptr && family->files == TokenizerFiles::kByteLevelBpe && is_bpe) {
    return rebuild_byte_level(config, settings);
  }
  if (family != nullptr && family->files == TokenizerFiles::kWordPiece && !is_bpe) {
    note_other_model("Unigram", "makes a WordPiece model of the same vocabulary", settings.notices);
  }
  if (family != nullptr && family->files == TokenizerFiles::kByteLevelBpe) {
    note_other_model(is_wordpiece ? "WordPiece" : "Unigram", "makes a BPE model of the same vocabulary",
                     settings.notices);
  }
  if (family != nullptr && family->files == TokenizerFiles::kSentencePiece && is_wordpiece) {
    note_other_model("WordPiece", "rejects the file", settings.notices);
  }
  if (config == nullptr) return;
  const auto note = [&](const char* key, bool applied) {
    if (config->nullable_boolean(key).value_or(applied) == applied) return;
    settings.notices.push_back("'tokenizer_config.json': " + std::string(key) + " " + true_or_false(!applied) +
                               " is not applied, as by the reference: 'tokenizer.json' decides");
  };
  note("do_lower_case", settings.normalizer.lowercases());
  note("strip_accents", settings.normalizer.strips_accents());
  note("tokenize_chinese_chars", settings.normalizer.splits_ideographs());
  if (const ByteLevel* const rules = settings.splitter.byte_level()) note("add_prefix_space", rules->add_prefix_space);
}

// The tokens of tokenizer.json come first; tokenizer_config.json may repeat them, or add some.
void merge_listed_tokens(const JsonObject& config, TokenizerJson& file) {
  for (const ListedToken& listed : read_added_tokens_decoder(config)) {
    const std::string& content = listed.token.content;
    const auto known = std::find_if(file.added_tokens.begin(), file.added_tokens.end(),
                                    [&](const ListedToken& entry) { return entry.token.content == content; });
    if (known != file.added_tokens.end()) {
      if (known->id == listed.id) continue;
      refuse_file(kTokenizerConfig, "added_tokens_decoder has " + quote(content) + " with id " +
                                        std::to_string(*listed.id) + ", 'tokenizer.json' with id " +
                                        std::to_string(*known->id) + ", expected the same");
    }
    if (content.empty()) continue;
    file.added_tokens.push_back(listed);
    file.settings.notices.push_back("added token " + quote(content) +
                                    " is in 'tokenizer_config.json' alone; it is added");
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

TokenizerSettings settings_from_tokenizer_json(std::string_view text, const FileSource& source,
                                               const TokenizerFamilies& families, const SmallFiles& files,
                                               const TokenizerOptions& options) {
  TokenizerJson file = read_tokenizer_json(text, kTokenizerJson, families);
  TokenizerSettings& settings = file.settings;
  SpecialTokens special = SpecialTokens::of(*families.usual(TokenizerFiles::kWordPiece));
  special.padding.content = usual_token(families, file, file.pad_token, &TokenizerFamily::padding);
  special.mask.content = usual_token(families, file, special.mask.content, &TokenizerFamily::mask);
  special.unknown.content = usual_token(families, file, special.unknown.content, &TokenizerFamily::unknown);
  if (files.special_tokens_map) special.read(files.special_tokens_map->object());
  std::optional<JsonObject> config;
  if (files.config) config.emplace(files.config->object());
  apply_class(loaded_family(source, files, families), config ? &*config : nullptr, file);
  if (config) {
    settings.model_max_length = read_model_max_length(*config);
    note_left_to_the_caller(*config, settings.notices);
    special.read(*config);
    merge_listed_tokens(*config, file);
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
