#include "tokenizer/loader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/json_object.h"
#include "engine/base/quote.h"
#include "tokenizer/family.h"
#include "tokenizer/sentencepiece_conversion.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/tokenizer_json_model.h"
#include "tokenizer/tokenizer_json_parser.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxSmallFile = size_t{16} << 20;
constexpr size_t kMaxTokenizerJson = size_t{256} << 20;
// Above it model_max_length stands for "none": Python writes int(1e30).
constexpr double kNoLimit = 1e6;

constexpr char kVocabulary[] = "vocab.txt", kVocabularyJson[] = "vocab.json", kMerges[] = "merges.txt",
               kModelConfig[] = "config.json", kConfig[] = "tokenizer_config.json", kTokenizerJson[] = "tokenizer.json",
               kSpecialTokensMap[] = "special_tokens_map.json", kAddedTokens[] = "added_tokens.json";

// A SentencePiece file has one of these names.
constexpr std::array kSentencePieceNames = {"sentencepiece.bpe.model", "spiece.model"};

// The files that stand beside a vocabulary.
struct SmallFiles {
  std::optional<JsonDocument> config, special_tokens_map, added_tokens;
};

// The texts of the files that hold a vocabulary, and the name of the first, which errors say.
struct VocabularyFiles {
  std::string text;
  std::string merges = {};
  const char* name = kVocabulary;
};

std::optional<JsonDocument> parse_if_there(const std::optional<std::string>& text, const char* name) {
  if (!text) return std::nullopt;
  JsonDocument document = parse_json(*text, name);
  JsonObject(document.root(), name);
  return document;
}

SmallFiles read_small_files(const fs::path& directory) {
  const auto read = [&](const char* name) {
    return parse_if_there(read_text_file_if_there(directory / name, kMaxSmallFile), name);
  };
  return {read(kConfig), read(kSpecialTokensMap), read(kAddedTokens)};
}

std::string yes_or_no(bool value) { return value ? "true" : "false"; }

std::optional<size_t> read_model_max_length(const JsonObject& config) {
  const auto value = config.nullable("model_max_length");
  if (!value) return std::nullopt;
  const auto length = value->number();
  if (!length) config.refuse("model_max_length", "a number");
  if (*length < 1) config.refuse("model_max_length", "at least 1");
  return *length < kNoLimit ? std::optional(static_cast<size_t>(*length)) : std::nullopt;
}

// --cased and --uncased against what a file says of lower case.
// says: what stands against the option.
void check_lowercase_option(const TokenizerOptions& options, bool lowercase, const std::string& says) {
  if (!options.lowercase || *options.lowercase == lowercase) return;
  throw Error(ErrorCode::kInvalidArgument,
              std::string(*options.lowercase ? "lower case" : "cased text") + " was asked for, but " + says);
}

bool ends_as_bert(std::string_view name) {
  return name.ends_with("BertTokenizer") || name.ends_with("BertTokenizerFast") || name == "PreTrainedTokenizerFast";
}

// The family that tokenizer_config.json names; null where it names none that is known.
const TokenizerFamily* named_family(const JsonObject& config, std::vector<std::string>& notices) {
  const auto name = config.nullable_string("tokenizer_class");
  if (!name) return nullptr;
  if (is_other_tokenizer(*name)) {
    throw Error(ErrorCode::kUnsupported, quote(config.source()) + ": tokenizer_class " + quote(*name) +
                                             " is not supported, expected BertTokenizer or one that works the same");
  }
  const TokenizerFamily* const family = tokenizer_of_class(*name);
  if (family == nullptr && !ends_as_bert(*name)) {
    notices.push_back(quote(config.source()) + ": tokenizer_class " + quote(*name) +
                      " is not known; the files that are there decide");
  }
  return family;
}

// What the reference's fast tokenizer does not look at, though the file says otherwise.
void note_ignored(const JsonObject& config, std::vector<std::string>& notices) {
  if (!config.nullable_boolean("do_basic_tokenize").value_or(true)) {
    notices.push_back(quote(config.source()) + ": do_basic_tokenize false is ignored, as by the reference");
  }
  if (const auto never = config.find("never_split"); never && never->is_array() && !never->empty()) {
    notices.push_back(quote(config.source()) + ": never_split is ignored, as by the reference");
  }
}

// What the reference does by itself where the file says so, and this library where its caller asks for it.
void note_left_to_the_caller(const JsonObject& config, std::vector<std::string>& notices) {
  const auto note = [&](const std::string& what) {
    notices.push_back(quote(config.source()) + ": " + what + " is not done unless it is asked for");
  };
  if (config.nullable_string("truncation_side") == "left") note("truncation_side left");
  if (config.nullable_boolean("split_special_tokens").value_or(false)) note("split_special_tokens true");
}

bool resolve_lowercase(const JsonObject* config, const TokenizerOptions& options, std::vector<std::string>& notices) {
  if (config != nullptr) {
    if (const auto lowercase = config->nullable_boolean("do_lower_case")) {
      check_lowercase_option(options, *lowercase, quote(kConfig) + " says do_lower_case " + yes_or_no(*lowercase));
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

// The tokens that the files list, then the special ones, then those of the model's own file; the vocabulary decides
// their ids, and differences are told.
AddedTokens resolve_added_tokens(TokenizerSettings& settings, const std::vector<ListedToken>& listed,
                                 const SpecialTokens& special, const std::vector<ListedToken>& of_the_file) {
  std::vector<std::string>& notices = settings.notices;
  std::vector<AddedToken> tokens;
  for (const ListedToken& entry : listed) tokens.push_back(entry.token);
  for (const AddedToken& token : special.in_order()) tokens.push_back(token);
  for (const ListedToken& entry : of_the_file) tokens.push_back(entry.token);
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

// What every kind reads of the small files: the special tokens, and the listed ones.
struct SpecialAndListed {
  SpecialTokens special;
  std::vector<ListedToken> listed;
};

SpecialAndListed read_tokens(const TokenizerFamily& family, const SmallFiles& files) {
  SpecialAndListed tokens{SpecialTokens::of(family), {}};
  if (files.config) {
    const JsonObject config{files.config->root(), kConfig};
    tokens.special.read(config);
    tokens.listed = read_added_tokens_decoder(config);
  }
  if (tokens.listed
          .empty()) {  // the older way to list added tokens; not read where the newer is there, as in the reference
    if (files.special_tokens_map) tokens.special.read({files.special_tokens_map->root(), kSpecialTokensMap});
    if (files.added_tokens)
      tokens.listed = read_added_tokens_file({files.added_tokens->root(), kAddedTokens}, tokens.special);
  }
  return tokens;
}

void read_wordpiece(const VocabularyFiles& files, const JsonObject* config, const SpecialTokens& special,
                    const TokenizerOptions& options, TokenizerSettings& settings) {
  bool split_cjk = true;
  std::optional<bool> strip_accents;
  if (config != nullptr) {
    note_ignored(*config, settings.notices);
    split_cjk = config->nullable_boolean("tokenize_chinese_chars").value_or(true);
    strip_accents = config->nullable_boolean("strip_accents");
  }
  const bool lowercase = resolve_lowercase(config, options, settings.notices);
  settings.normalizer = bert_normalizer(true, split_cjk, strip_accents, lowercase);
  settings.splitter = kBertPreTokenizer;
  settings.decoder.steps = {WordPieceDecoder()};
  settings.vocabulary = Vocabulary::from_lines(files.text, files.name);
  settings.model = WordPieceSettings{.unknown_token = special.unknown.content};
  if (!settings.vocabulary.id(special.unknown.content)) {
    refuse_file(files.name, "the unknown token " + quote(special.unknown.content) + " is not in the vocabulary");
  }
}

// vocab.json is {"token": id}; merges.txt has two tokens a line, after a line that begins with #version.
void read_byte_level_bpe(const VocabularyFiles& files, const JsonObject* config, TokenizerSettings& settings) {
  ParsedTokenizerJson parsed = parse_vocabulary_json(files.text, files.name);
  settings.vocabulary = read_vocabulary({parsed.document.root(), files.name}, parsed);
  settings.model = BpeSettings{.merges = parse_merges(files.merges, kMerges)};
  const bool add_prefix_space = config != nullptr && config->nullable_boolean("add_prefix_space").value_or(false);
  settings.splitter.add(ByteLevel{.add_prefix_space = add_prefix_space});
  settings.decoder.steps = {ByteLevelDecoder()};
  settings.post_processor.trimming = SpanTrimming{add_prefix_space};
}

void read_sentencepiece(const VocabularyFiles& files, const TokenizerFamily& family, const JsonObject* config,
                        const TokenizerOptions& options, TokenizerSettings& settings,
                        std::vector<ListedToken>& listed) {
  const SentencePieceFile file = read_sentencepiece_file(files.text, files.name);
  TextPreparation preparation;
  if (family.pieces.prepared) {
    preparation.lowercase = resolve_lowercase(config, options, settings.notices);
    preparation.keep_accents = config != nullptr && config->nullable_boolean("keep_accents").value_or(false);
  }
  ConvertedModel model = convert_model(file, family, files.name);
  settings.vocabulary = std::move(model.vocabulary);
  settings.model = std::move(model.settings);
  settings.normalizer = convert_normalizer(file, family, preparation, files.name);
  settings.splitter.add(Metaspace());
  settings.decoder.steps = {MetaspaceDecoder()};
  // Control pieces and those of the user's own are found whole, unless the family or a file says more of them.
  using Type = SentencePieceFile::PieceType;
  for (const auto& piece : file.pieces) {
    if (piece.type != Type::kControl && piece.type != Type::kUserDefined) continue;
    listed.push_back({{.content = piece.text, .special = piece.type == Type::kControl}, std::nullopt});
  }
}

TokenizerSettings from_vocabulary_files(const TokenizerFamily& family, const VocabularyFiles& files,
                                        const SmallFiles& small_files, const TokenizerOptions& options,
                                        std::vector<std::string> notices) {
  TokenizerSettings settings;
  settings.source = files.name;
  settings.notices = std::move(notices);
  std::optional<JsonObject> config;
  if (small_files.config) config.emplace(small_files.config->root(), kConfig);
  const JsonObject* const config_or_null = config ? &*config : nullptr;
  if (config) {
    settings.model_max_length = read_model_max_length(*config);
    note_left_to_the_caller(*config, settings.notices);
  }
  const auto [special, listed] = read_tokens(family, small_files);
  std::vector<ListedToken> of_the_file;
  switch (family.files) {
    case TokenizerFiles::kWordPiece:
      read_wordpiece(files, config_or_null, special, options, settings);
      break;
    case TokenizerFiles::kByteLevelBpe:
      read_byte_level_bpe(files, config_or_null, settings);
      break;
    case TokenizerFiles::kSentencePiece:
      read_sentencepiece(files, family, config_or_null, options, settings, of_the_file);
      break;
  }
  const bool lowers = settings.normalizer.lowercases();
  check_lowercase_option(
      options, lowers, quote(files.name) + " is of a tokenizer that " + (lowers ? "lower-cases" : "keeps upper case"));
  settings.added_tokens = resolve_added_tokens(settings, listed, special, of_the_file);
  const auto id_of = [&](const AddedToken& token, const char* key) {
    const auto id = settings.added_tokens.id(token.content);
    if (!id) refuse_file(kConfig, std::string(key) + " is empty, expected a token");
    return *id;
  };
  const auto trimming = settings.post_processor.trimming;
  settings.post_processor = family_template(family.template_kind, id_of(special.classifier, "cls_token"),
                                            id_of(special.separator, "sep_token"));
  settings.post_processor.trimming = trimming;
  settings.pad_token.id = id_of(special.padding, "pad_token");
  settings.mask_id = settings.added_tokens.id(special.mask.content);
  settings.unknown_id = settings.added_tokens.id(special.unknown.content);
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

// A special token where no file names it: `usual`, else the one of the families' that the vocabulary has.
std::string usual_token(const TokenizerJson& file, const std::string& usual,
                        std::string_view TokenizerFamily::*of_family) {
  const auto known = [&](std::string_view token) {
    const auto& listed = file.added_tokens;
    return file.settings.vocabulary.id(token).has_value() ||
           std::any_of(listed.begin(), listed.end(), [&](const auto& entry) { return entry.token.content == token; });
  };
  if (known(usual)) return usual;
  for (const TokenizerFamily* family : tokenizer_families()) {
    if (known(family->*of_family)) return std::string(family->*of_family);
  }
  return usual;
}

TokenizerSettings from_tokenizer_json(std::string_view text, const SmallFiles& files, const TokenizerOptions& options) {
  TokenizerJson file = read_tokenizer_json(text, kTokenizerJson);
  TokenizerSettings& settings = file.settings;
  SpecialTokens special = SpecialTokens::of(*usual_tokenizer(TokenizerFiles::kWordPiece));
  special.padding.content = usual_token(file, file.pad_token, &TokenizerFamily::padding);
  special.mask.content = usual_token(file, special.mask.content, &TokenizerFamily::mask);
  special.unknown.content = usual_token(file, special.unknown.content, &TokenizerFamily::unknown);
  if (files.special_tokens_map) special.read({files.special_tokens_map->root(), kSpecialTokensMap});
  if (files.config) {
    const JsonObject config{files.config->root(), kConfig};
    settings.model_max_length = read_model_max_length(config);
    note_left_to_the_caller(config, settings.notices);
    special.read(config);
    apply_config(config, options, file);
    merge_listed_tokens(config, options, file);
  }
  const bool lowers = settings.normalizer.lowercases();
  check_lowercase_option(options, lowers, quote(kTokenizerJson) + " says lowercase " + yes_or_no(lowers));
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

// The family that the files name: tokenizer_class, else model_type of the model's own config.json.
const TokenizerFamily* find_family(const fs::path& directory, const SmallFiles& files,
                                   std::vector<std::string>& notices) {
  if (files.config) {
    if (const auto* family = named_family({files.config->root(), kConfig}, notices)) return family;
  }
  const auto text = read_text_file_if_there(directory / kModelConfig, kMaxSmallFile);
  if (!text) return nullptr;
  const JsonDocument json = parse_json(*text, kModelConfig);
  const auto type = JsonObject(json.root(), kModelConfig).nullable_string("model_type");
  return type ? tokenizer_of_model(*type) : nullptr;
}

std::optional<VocabularyFiles> read_vocabulary_files(const fs::path& directory, TokenizerFiles kind) {
  const auto read = [&](const char* name) { return read_text_file_if_there(directory / name, kMaxTokenizerJson); };
  if (kind == TokenizerFiles::kSentencePiece) {
    for (const char* name : kSentencePieceNames) {
      if (auto text = read(name)) return VocabularyFiles{.text = std::move(*text), .name = name};
    }
    return std::nullopt;
  }
  if (kind == TokenizerFiles::kWordPiece) {
    auto text = read_text_file_if_there(directory / kVocabulary, kMaxSmallFile);
    return text ? std::optional(VocabularyFiles{.text = std::move(*text)}) : std::nullopt;
  }
  auto text = read(kVocabularyJson), merges = read(kMerges);
  if (!text && !merges) return std::nullopt;
  if (!text || !merges) {
    throw Error(ErrorCode::kNotFound, quote(directory.string()) + ": no " + (text ? kMerges : kVocabularyJson) +
                                          ", expected it beside " + (text ? kVocabularyJson : kMerges));
  }
  return VocabularyFiles{.text = std::move(*text), .merges = std::move(*merges), .name = kVocabularyJson};
}

[[noreturn]] void refuse_directory(const fs::path& directory) {
  constexpr char kExpected[] = "tokenizer.json, vocab.txt, vocab.json with merges.txt, or a SentencePiece file";
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) {
    throw Error(ErrorCode::kNotFound, quote(directory.string()) + ": not a directory, expected one with " + kExpected);
  }
  throw Error(ErrorCode::kNotFound, quote(directory.string()) + ": no tokenizer, expected " + kExpected);
}

}  // namespace

TokenizerSettings load_settings(const fs::path& directory, const TokenizerOptions& options) {
  if (const auto text = read_text_file_if_there(directory / kTokenizerJson, kMaxTokenizerJson)) {
    return from_tokenizer_json(*text, read_small_files(directory), options);
  }
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) refuse_directory(directory);
  const SmallFiles small_files = read_small_files(directory);
  std::vector<std::string> notices;
  const TokenizerFamily* named = find_family(directory, small_files, notices);
  using enum TokenizerFiles;
  for (const TokenizerFiles kind : {kWordPiece, kByteLevelBpe, kSentencePiece}) {
    if (named != nullptr && named->files != kind) continue;
    const auto files = read_vocabulary_files(directory, kind);
    if (!files) continue;
    const TokenizerFamily* const family = named != nullptr ? named : usual_tokenizer(kind);
    if (family == nullptr) {
      throw Error(ErrorCode::kUnsupported, quote((directory / files->name).string()) +
                                               ": how its ids count differs by model, and no tokenizer_class in " +
                                               "'tokenizer_config.json' or model_type in 'config.json' says which");
    }
    return from_vocabulary_files(*family, *files, small_files, options, std::move(notices));
  }
  refuse_directory(directory);
}

TokenizerSettings settings_from_vocabulary(std::string_view vocabulary, std::string_view tokenizer_config,
                                           const TokenizerOptions& options) {
  SmallFiles files;
  if (!tokenizer_config.empty()) files.config = parse_if_there(std::string(tokenizer_config), kConfig);
  std::vector<std::string> notices;
  const TokenizerFamily* named = files.config ? named_family({files.config->root(), kConfig}, notices) : nullptr;
  if (named == nullptr || named->files != TokenizerFiles::kWordPiece)
    named = usual_tokenizer(TokenizerFiles::kWordPiece);
  return from_vocabulary_files(*named, {.text = std::string(vocabulary)}, files, options, std::move(notices));
}

}  // namespace bert
