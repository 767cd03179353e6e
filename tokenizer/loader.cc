#include "tokenizer/loader.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/quote.h"
#include "tokenizer/json_fields.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/tokenizer_json.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxSmallFile = size_t{16} << 20;
constexpr size_t kMaxTokenizerJson = size_t{256} << 20;
// Above it model_max_length stands for "none": Python writes int(1e30).
constexpr double kNoLimit = 1e6;

constexpr char kVocabulary[] = "vocab.txt", kConfig[] = "tokenizer_config.json", kTokenizerJson[] = "tokenizer.json",
               kSpecialTokensMap[] = "special_tokens_map.json", kAddedTokens[] = "added_tokens.json";

// The texts of the files that stand beside a vocabulary.
struct SmallFiles {
  std::optional<Json> config, special_tokens_map, added_tokens;
};

std::optional<Json> parse_if_there(const std::optional<std::string>& text, const char* name) {
  if (!text) return std::nullopt;
  Json json = parse_json(*text, name);
  JsonObject{json, name}.check();
  return json;
}

SmallFiles read_small_files(const fs::path& directory) {
  const auto read = [&](const char* name) {
    return parse_if_there(read_text_file_if_there(directory / name, kMaxSmallFile), name);
  };
  return {read(kConfig), read(kSpecialTokensMap), read(kAddedTokens)};
}

std::string yes_or_no(bool value) { return value ? "true" : "false"; }

std::optional<size_t> read_model_max_length(const JsonObject& config) {
  const auto found = config.json.find("model_max_length");
  if (found == config.json.end() || found->is_null()) return std::nullopt;
  if (!found->is_number()) config.refuse("model_max_length", "a number");
  const auto length = found->get<double>();
  if (!(length >= 1)) config.refuse("model_max_length", "at least 1");
  return length < kNoLimit ? std::optional(static_cast<size_t>(length)) : std::nullopt;
}

// --cased and --uncased against what a file says of lower case.
void check_lowercase_option(const TokenizerOptions& options, bool lowercase, const char* file, const char* key) {
  if (!options.lowercase || *options.lowercase == lowercase) return;
  throw Error(ErrorCode::kInvalidArgument, std::string(*options.lowercase ? "lower case" : "cased text") +
                                               " was asked for, but " + quote(file) + " says " + key + " " +
                                               yes_or_no(lowercase));
}

// Classes with a vocab.txt that cut words, or put a template around them, in another way.
constexpr std::array kOtherClasses = {"BertJapanese", "RoFormer", "Funnel", "Splinter",
                                      "ProphetNet",   "Tapas",    "RemBert"};

bool ends_as_bert(std::string_view name) {
  return name.ends_with("BertTokenizer") || name.ends_with("BertTokenizerFast") || name == "PreTrainedTokenizerFast";
}

void check_tokenizer_class(const JsonObject& config, std::vector<std::string>& notices) {
  const auto name = config.optional_string("tokenizer_class");
  if (!name) return;
  for (const std::string_view other : kOtherClasses) {
    if (!name->starts_with(other)) continue;
    throw Error(ErrorCode::kUnsupported, quote(config.source) + ": tokenizer_class " + quote(*name) +
                                             " is not supported, expected BertTokenizer or one that works the same");
  }
  if (!ends_as_bert(*name)) {
    notices.push_back(quote(config.source) + ": tokenizer_class " + quote(*name) + " is read as BertTokenizer");
  }
}

// What the reference's fast tokenizer does not look at, though the file says otherwise.
void note_ignored(const JsonObject& config, std::vector<std::string>& notices) {
  if (!config.bool_or("do_basic_tokenize", true)) {
    notices.push_back(quote(config.source) + ": do_basic_tokenize false is ignored, as by the reference");
  }
  const auto never = config.json.find("never_split");
  if (never != config.json.end() && never->is_array() && !never->empty()) {
    notices.push_back(quote(config.source) + ": never_split is ignored, as by the reference");
  }
}

bool resolve_lowercase(const JsonObject* config, const TokenizerOptions& options, std::vector<std::string>& notices) {
  if (config != nullptr) {
    if (const auto lowercase = config->optional_bool("do_lower_case")) {
      check_lowercase_option(options, *lowercase, kConfig, "do_lower_case");
      return *lowercase;
    }
  }
  if (options.lowercase) return *options.lowercase;
  notices.push_back(
      config == nullptr
          ? "no 'tokenizer_config.json': the text is lower-cased, as the reference does"
          : "'tokenizer_config.json' has no do_lower_case: the text is lower-cased, as the reference does");
  return true;
}

// The tokens that the files list, then the special ones; the vocabulary decides their ids, and differences are told.
AddedTokens resolve_added_tokens(const TokenizerSettings& settings, const std::vector<ListedToken>& listed,
                                 const SpecialTokens& special, std::vector<std::string>& notices) {
  std::vector<AddedToken> tokens;
  for (const ListedToken& entry : listed) tokens.push_back(entry.token);
  for (const AddedToken& token : special.in_order()) tokens.push_back(token);
  AddedTokens added(settings.vocabulary, settings.normalizer, tokens, settings.source);
  for (const ListedToken& entry : listed) {
    const auto id = added.id(entry.token.content);
    if (id && entry.id && static_cast<uint64_t>(*id) != *entry.id) {
      notices.push_back("added token " + quote(entry.token.content) + " is listed with id " +
                        std::to_string(*entry.id) + ", but the vocabulary gives it " + std::to_string(*id) +
                        ", which holds");
    }
  }
  for (const AddedToken& token : special.in_order()) {
    if (token.content.empty() || settings.vocabulary.id(token.content)) continue;
    notices.push_back("special token " + quote(token.content) + " is not in " + quote(settings.source) +
                      " and has id " + std::to_string(*added.id(token.content)) + " past its end");
  }
  return added;
}

TokenizerSettings from_vocabulary_files(std::string_view vocabulary, const SmallFiles& files,
                                        const TokenizerOptions& options) {
  TokenizerSettings settings;
  settings.source = kVocabulary;
  std::optional<JsonObject> config;
  if (files.config) config.emplace(JsonObject{*files.config, kConfig});
  const JsonObject* const config_or_null = config ? &*config : nullptr;
  bool split_cjk = true;
  std::optional<bool> strip_accents;
  SpecialTokens special = SpecialTokens::defaults();
  std::vector<ListedToken> listed;
  if (config) {
    check_tokenizer_class(*config, settings.notices);
    note_ignored(*config, settings.notices);
    split_cjk = config->bool_or("tokenize_chinese_chars", true);
    strip_accents = config->optional_bool("strip_accents");
    settings.model_max_length = read_model_max_length(*config);
    special.read(*config);
    listed = read_added_tokens_decoder(*config);
  }
  if (listed.empty()) {  // the older way to list added tokens; not read where the newer is there, as in the reference
    if (files.special_tokens_map) special.read({*files.special_tokens_map, kSpecialTokensMap});
    if (files.added_tokens) listed = read_added_tokens_file({*files.added_tokens, kAddedTokens}, special);
  }
  const bool lowercase = resolve_lowercase(config_or_null, options, settings.notices);
  settings.normalizer = bert_normalizer(true, split_cjk, strip_accents, lowercase);
  settings.splitter = kBertPreTokenizer;
  settings.decoder.steps = {WordPieceDecoder()};
  settings.vocabulary = Vocabulary::from_lines(vocabulary, kVocabulary);
  settings.model = WordPieceSettings{.unknown_token = special.unknown.content};
  if (!settings.vocabulary.id(special.unknown.content)) {
    refuse_file(kVocabulary, "the unknown token " + quote(special.unknown.content) + " is not in the vocabulary");
  }
  settings.added_tokens = resolve_added_tokens(settings, listed, special, settings.notices);
  const auto id_of = [&](const AddedToken& token, const char* key) {
    const auto id = settings.added_tokens.id(token.content);
    if (!id) refuse_file(kConfig, std::string(key) + " is empty, expected a token");
    return *id;
  };
  settings.post_processor =
      bert_template(id_of(special.classifier, "cls_token"), id_of(special.separator, "sep_token"));
  settings.pad_token.id = id_of(special.padding, "pad_token");
  return settings;
}

// A key of tokenizer_config.json against what tokenizer.json does; true where the first shall hold.
bool config_key_holds(const char* key, bool config_value, const char* json_name, bool json_value,
                      const TokenizerOptions& options, std::vector<std::string>& notices) {
  if (config_value == json_value) return false;
  const std::string both = std::string("'tokenizer_config.json' says ") + key + " " + yes_or_no(config_value) +
                           ", 'tokenizer.json' " + json_name + " " + yes_or_no(json_value);
  if (!options.tokenizer_config_wins) {
    throw Error(ErrorCode::kInvalidFile, both + ": expected the same, or a choice (tokenizer_config_wins)");
  }
  notices.push_back(both + "; the first holds");
  return true;
}

void apply_config(const JsonObject& config, const TokenizerOptions& options, TokenizerJson& file) {
  std::vector<std::string>& notices = file.settings.notices;
  bool changed = false;
  BertNormalizerFields fields = file.bert_normalizer.value_or(BertNormalizerFields());
  if (const auto lowercase = config.optional_bool("do_lower_case");
      lowercase && config_key_holds("do_lower_case", *lowercase, "lowercase", file.settings.normalizer.lowercases(),
                                    options, notices)) {
    fields.lowercase = *lowercase;
    changed = true;
  }
  const bool strips = file.settings.normalizer.strips_accents();
  if (const auto strip = config.optional_bool("strip_accents");
      strip && config_key_holds("strip_accents", *strip, "strip_accents", strips, options, notices)) {
    fields.strip_accents = *strip;
    changed = true;
  }
  if (const auto split = config.optional_bool("tokenize_chinese_chars");
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
        refuse_file(kConfig, "added_tokens_decoder has " + quote(content) + " with id " + std::to_string(*listed.id) +
                                 ", 'tokenizer.json' with id " + std::to_string(*entry.id) + ", expected the same");
      }
    }
    if (known || content.empty()) continue;
    if (!options.tokenizer_config_wins) {
      refuse_file(kConfig,
                  "added_tokens_decoder has " + quote(content) +
                      ", which 'tokenizer.json' does not have: expected the same, or a choice (tokenizer_config_wins)");
    }
    file.added_tokens.push_back(listed);
    file.settings.notices.push_back("added token " + quote(content) + " is in 'tokenizer_config.json' alone; it holds");
  }
}

TokenizerSettings from_tokenizer_json(std::string_view text, const SmallFiles& files, const TokenizerOptions& options) {
  TokenizerJson file = read_tokenizer_json(text, kTokenizerJson);
  TokenizerSettings& settings = file.settings;
  SpecialTokens special = SpecialTokens::defaults();
  special.padding.content = file.pad_token;
  if (files.special_tokens_map) special.read({*files.special_tokens_map, kSpecialTokensMap});
  if (files.config) {
    const JsonObject config{*files.config, kConfig};
    settings.model_max_length = read_model_max_length(config);
    special.read(config);
    apply_config(config, options, file);
    merge_listed_tokens(config, options, file);
  }
  check_lowercase_option(options, settings.normalizer.lowercases(), kTokenizerJson, "lowercase");
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
  const auto added = settings.added_tokens.id(special.padding.content);
  const auto pad = added ? added : settings.vocabulary.id(special.padding.content);
  if (pad) settings.pad_token.id = *pad;
  return std::move(file.settings);
}

[[noreturn]] void refuse_directory(const fs::path& directory) {
  if (!fs::is_directory(directory)) {
    throw Error(ErrorCode::kNotFound,
                quote(directory.string()) + ": not a directory, expected one with tokenizer.json or vocab.txt");
  }
  constexpr std::array<std::pair<const char*, const char*>, 5> kOthers = {{{"merges.txt", "byte-level BPE"},
                                                                           {"spiece.model", "SentencePiece"},
                                                                           {"sentencepiece.bpe.model", "SentencePiece"},
                                                                           {"spm.model", "SentencePiece"},
                                                                           {"tokenizer.model", "SentencePiece"}}};
  for (const auto& [name, kind] : kOthers) {
    std::error_code ignored;
    if (!fs::exists(directory / name, ignored)) continue;
    throw Error(ErrorCode::kUnsupported,
                quote((directory / name).string()) + ": a " + kind +
                    " tokenizer is not supported, expected WordPiece (tokenizer.json or vocab.txt)");
  }
  throw Error(ErrorCode::kNotFound, quote(directory.string()) + ": no tokenizer.json and no vocab.txt");
}

}  // namespace

TokenizerSettings load_settings(const fs::path& directory, const TokenizerOptions& options) {
  if (const auto text = read_text_file_if_there(directory / kTokenizerJson, kMaxTokenizerJson)) {
    return from_tokenizer_json(*text, read_small_files(directory), options);
  }
  if (const auto text = read_text_file_if_there(directory / kVocabulary, kMaxSmallFile)) {
    return from_vocabulary_files(*text, read_small_files(directory), options);
  }
  refuse_directory(directory);
}

TokenizerSettings settings_from_vocabulary(std::string_view vocabulary, std::string_view tokenizer_config,
                                           const TokenizerOptions& options) {
  SmallFiles files;
  if (!tokenizer_config.empty()) files.config = parse_if_there(std::string(tokenizer_config), kConfig);
  return from_vocabulary_files(vocabulary, files, options);
}

}  // namespace bert
