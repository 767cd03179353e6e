#include "tokenizer/files/vocabulary_files.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "tokenizer/files/sentencepiece_conversion.h"
#include "tokenizer/files/special_tokens.h"
#include "tokenizer/files/tokenizer_class.h"
#include "tokenizer/files/tokenizer_json_model.h"
#include "tokenizer/files/tokenizer_json_parser.h"

namespace bert {
namespace {

constexpr size_t kMaxVocabularyBytes = size_t{256} << 20;
constexpr char kVocabulary[] = "vocab.txt", kVocabularyJson[] = "vocab.json", kMerges[] = "merges.txt";

// A SentencePiece file has one of these names.
constexpr std::array kSentencePieceNames = {"sentencepiece.bpe.model", "spiece.model", "spm.model"};

// Adds notices for settings that the reference's fast tokenizer ignores.
void note_ignored(const JsonObject& config, std::vector<std::string>& notices) {
  if (!config.nullable_boolean("do_basic_tokenize").value_or(true)) {
    notices.push_back(quote_path(config.source()) + ": do_basic_tokenize false is ignored, as by the reference");
  }
  if (const auto never = config.find("never_split"); never && never->is_array() && !never->empty()) {
    notices.push_back(quote_path(config.source()) + ": never_split is ignored, as by the reference");
  }
}

bool resolve_lowercase(const JsonObject* config, const TokenizerOptions& options, std::vector<std::string>& notices) {
  if (config != nullptr) {
    if (const auto lowercase = config->nullable_boolean("do_lower_case")) {
      check_lowercase_option(options, *lowercase,
                             quote_path(config->source()) + " says do_lower_case " + true_or_false(*lowercase));
      return *lowercase;
    }
  }
  if (options.lowercase) return *options.lowercase;
  notices.push_back(config == nullptr ? "no 'tokenizer_config.json': the text is lower-cased, as the reference does"
                                      : quote_path(config->source()) +
                                            " has no do_lower_case: the text is lower-cased, as the reference does");
  return true;
}

// Adds the tokens that the files list, then the special tokens; the vocabulary decides their ids, and differences are
// reported.
AddedTokens resolve_added_tokens(TokenizerSettings& settings, const std::vector<ListedToken>& listed,
                                 const SpecialTokens& special) {
  std::vector<std::string>& notices = settings.notices;
  std::vector<AddedToken> tokens;
  special.append_to(tokens, listed);
  AddedTokens added(settings.vocabulary, settings.normalizer, tokens, settings.source);
  for (const ListedToken& entry : listed) {
    const auto id = added.id(entry.token.content);
    if (id && entry.id && static_cast<uint64_t>(*id) != *entry.id) {
      notices.push_back("added token " + quote(entry.token.content) + " is listed with id " +
                        std::to_string(*entry.id) + ", but the vocabulary gives it " + std::to_string(*id) +
                        ", which holds");
    }
  }
  for (const AddedToken& token : std::span(tokens).subspan(listed.size())) {
    if (settings.vocabulary.id(token.content)) continue;
    notices.push_back("special token " + quote(token.content) + " is not in " + quote_path(settings.source) +
                      " and has id " + std::to_string(*added.id(token.content)) + " past its end");
  }
  return added;
}

// The data that every kind reads from the side files: the special tokens and the listed tokens.
struct SpecialAndListed {
  SpecialTokens special;
  std::vector<ListedToken> listed;
};

SpecialAndListed read_tokens(const TokenizerFamily& family, const SideFiles& files) {
  SpecialAndListed tokens{SpecialTokens::of(family), {}};
  if (files.config) {
    const JsonObject config = files.config->object();
    tokens.special.read(config, SpecialTokens::File::kConfig);
    tokens.listed = read_added_tokens_decoder(config);
    if (config.has("added_tokens_decoder")) return tokens;
  }
  // This older format of added tokens is not read if the newer one exists, as in the reference.
  if (files.special_tokens_map) tokens.special.read(files.special_tokens_map->object(), SpecialTokens::File::kMap);
  if (files.added_tokens) tokens.listed = read_added_tokens_file(files.added_tokens->object(), tokens.special);
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
  settings.pre_tokenizer = kBertPreTokenizer;
  settings.decoder.steps = {WordPieceDecoder()};
  settings.vocabulary = Vocabulary::from_lines(files.text, files.name);
  settings.model = WordPieceSettings{.unknown_token = special.unknown.content};
  if (!settings.vocabulary.id(special.unknown.content)) {
    refuse_file(files.name, "the unknown token " + quote(special.unknown.content) + " is not in the vocabulary");
  }
}

// Returns the tokens of the file, which are all added tokens.
std::vector<ListedToken> read_token_list(const VocabularyFiles& files, const SpecialTokens& special,
                                         TokenizerSettings& settings) {
  settings.vocabulary = Vocabulary::from_lines(files.text, files.name);
  settings.model = WordLevelSettings{special.unknown.content};
  settings.pre_tokenizer = BertSplitRules{.split_spaces = true};
  std::vector<ListedToken> tokens;
  for (size_t id = 0; id < settings.vocabulary.size(); ++id) {
    tokens.push_back({{.content = std::string(settings.vocabulary.token(static_cast<int32_t>(id)))}, std::nullopt});
  }
  return tokens;
}

// Reads vocab.json, {"token": id}, and merges.txt, with two tokens per line after a line that begins with #version.
void read_byte_level_bpe(const VocabularyFiles& files, const JsonObject* config, const SpecialAndListed& tokens,
                         TokenizerSettings& settings) {
  ParsedTokenizerJson parsed = parse_vocabulary_json(files.text, files.name);
  settings.vocabulary = read_vocabulary({parsed.document.root(), files.name}, parsed);
  settings.model = BpeSettings{.merges = parse_merges(files.merges, files.merges_name)};
  if (!files.merges.starts_with("#version")) {
    settings.notices.push_back(quote_path(files.merges_name) +
                               " has no #version line: its first line is a merge, as in transformers 5; "
                               "version 4 skips it");
  }
  const AddedToken& mask = tokens.special.mask;
  const bool is_listed = std::any_of(tokens.listed.begin(), tokens.listed.end(),
                                     [&](const ListedToken& entry) { return entry.token.content == mask.content; });
  if (!mask.lstrip && !mask.content.empty() && !is_listed) {
    settings.notices.push_back("the space before " + quote(mask.content) +
                               " is not part of it, as in transformers 5; version 4 takes it");
  }
  const bool add_prefix_space = config != nullptr && config->nullable_boolean("add_prefix_space").value_or(false);
  settings.pre_tokenizer.add(ByteLevel{.add_prefix_space = add_prefix_space});
  settings.decoder.steps = {ByteLevelDecoder()};
  if (config == nullptr || config->nullable_boolean("trim_offsets").value_or(true)) {
    settings.post_processor.trimming = SpanTrimming{add_prefix_space};
  }
}

// Throws Error unless the files' special tokens have the names of the family's own pieces, which the reference would
// rename.
void check_names_of_pieces(const TokenizerFamily& family, const SpecialTokens& special, std::string_view source) {
  const auto check = [&](const char* key, const AddedToken& token, std::string_view expected) {
    if (token.content == expected) return;
    throw Error(ErrorCode::kUnsupported, std::string(key) + " " + quote(token.content) + " for " + quote_path(source) +
                                             " is not supported, expected " + quote(expected));
  };
  if (family.pieces.leading.empty()) return;
  check("mask_token", special.mask, family.mask);
  check("pad_token", special.padding, family.padding);
  check("unk_token", special.unknown, family.unknown);
  const bool has_ends = std::any_of(family.pieces.leading.begin(), family.pieces.leading.end(),
                                    [&](const ScoredToken& own) { return own.token == family.beginning; });
  if (!has_ends) return;
  check("bos_token", special.beginning, family.beginning);
  check("eos_token", special.end, family.end);
}

// Throws Error for fields that make the reference replace the template that a family's class would keep.
void check_template_fields(const TokenizerFamily& family, const JsonObject* config, std::string_view source) {
  if (config == nullptr || !family.keeps_json_template) return;
  for (const char* const key : {"add_bos_token", "add_eos_token"}) {
    if (!config->has(key)) continue;
    throw Error(ErrorCode::kUnsupported, quote_path(config->source()) + ": " + key + " is not supported beside " +
                                             quote_path(source) + ", expected no such field, or a tokenizer.json");
  }
}

// Returns the tokens after the pieces of a SentencePiece file.
std::vector<std::string> read_extra_tokens(const TokenizerFamily& family, const JsonObject* config) {
  constexpr int64_t kMost = 65536;
  auto count = static_cast<int64_t>(family.pieces.extra_ids);
  if (count > 0 && config != nullptr)
    count = config->nullable_integer("extra_ids", {.min = 0, .max = kMost}).value_or(count);
  return extra_tokens(static_cast<size_t>(count));
}

void read_sentencepiece(const VocabularyFiles& files, const TokenizerFamily& family, const JsonObject* config,
                        const TokenizerOptions& options, SpecialTokens& special, TokenizerSettings& settings) {
  check_names_of_pieces(family, special, files.name);
  check_template_fields(family, config, files.name);
  const SentencePieceFile file = read_sentencepiece_file(files.text, files.name);
  PieceTextOptions text = read_piece_text_options(config, family.pieces.text);
  if (family.pieces.text == PieceText::kPrepared) {
    text.lowercase = resolve_lowercase(config, options, settings.notices);
  }
  const std::vector<std::string> extra = read_extra_tokens(family, config);
  ConvertedModel model = convert_model(file, family, files.name, extra);
  settings.vocabulary = std::move(model.vocabulary);
  const int32_t usual = *model.settings.unknown_id;
  settings.model = std::move(model.settings);
  std::get<UnigramSettings>(settings.model).unknown_id = unknown_piece(family, special, usual, settings);
  std::shared_ptr<const Charsmap> charsmap;
  if (!file.charsmap.empty()) charsmap = std::make_shared<const Charsmap>(file.charsmap, files.name);
  PieceTextSettings made = piece_text_settings(family.pieces.text, text, std::move(charsmap));
  settings.normalizer = std::move(made.normalizer);
  settings.lists_lowercase = text.lowercase;
  settings.pre_tokenizer = std::move(made.pre_tokenizer);
  settings.decoder = std::move(made.decoder);
  // Control and user-defined pieces are matched whole, unless a file defines other additional tokens.
  std::vector<AddedToken> of_the_file;
  using Type = SentencePieceFile::PieceType;
  for (const auto& piece : file.pieces) {
    if (piece.type != Type::kControl && piece.type != Type::kUserDefined) continue;
    of_the_file.push_back({.content = piece.text, .special = piece.type == Type::kControl});
  }
  for (const std::string& token : extra) of_the_file.push_back({.content = token, .special = true});
  special.set_additional(of_the_file);
}

}  // namespace

std::optional<VocabularyFiles> read_vocabulary_files(const FileSource& files, TokenizerFiles kind) {
  const auto read = [&](const char* name, size_t max_bytes = kMaxVocabularyBytes) {
    auto text = files.read(name, max_bytes);
    if (text && text->empty()) {
      throw Error(ErrorCode::kInvalidFile,
                  quote_path(files.display_name(name)) + ": found an empty file, expected a vocabulary");
    }
    return text;
  };
  if (kind == TokenizerFiles::kSentencePiece) {
    for (const char* name : kSentencePieceNames) {
      if (auto text = read(name)) return VocabularyFiles{.text = std::move(*text), .name = files.display_name(name)};
    }
    return std::nullopt;
  }
  if (kind == TokenizerFiles::kWordPiece || kind == TokenizerFiles::kTokenList) {
    auto text = read(kVocabulary, kMaxModelFile);
    return text ? std::optional(VocabularyFiles{.text = std::move(*text), .name = files.display_name(kVocabulary)})
                : std::nullopt;
  }
  auto text = read(kVocabularyJson), merges = files.read(kMerges, kMaxVocabularyBytes);
  if (!text && !merges) return std::nullopt;
  if (!text || !merges) {
    throw Error(ErrorCode::kNotFound, quote_path(files.name()) + ": no " + (text ? kMerges : kVocabularyJson) +
                                          ", expected it beside " + (text ? kVocabularyJson : kMerges));
  }
  return VocabularyFiles{.text = std::move(*text),
                         .name = files.display_name(kVocabularyJson),
                         .merges = std::move(*merges),
                         .merges_name = files.display_name(kMerges)};
}

TokenizerSettings settings_from_vocabulary(const TokenizerFamily& family, const VocabularyFiles& files,
                                           const SideFiles& side_files, const TokenizerOptions& options,
                                           std::vector<std::string> notices) {
  TokenizerSettings settings;
  settings.source = files.name;
  settings.has_segments = named_class(side_files, nullptr) ? family.has_segments_if_named : family.has_segments;
  settings.notices = std::move(notices);
  std::optional<JsonObject> config;
  if (side_files.config) config.emplace(side_files.config->object());
  const JsonObject* const config_or_null = config ? &*config : nullptr;
  SpecialAndListed tokens = read_tokens(family, side_files);
  SpecialTokens& special = tokens.special;
  switch (family.files) {
    case TokenizerFiles::kWordPiece:
      read_wordpiece(files, config_or_null, special, options, settings);
      if (family.trims_spans) settings.post_processor.trimming = SpanTrimming{false};
      break;
    case TokenizerFiles::kByteLevelBpe:
      read_byte_level_bpe(files, config_or_null, tokens, settings);
      break;
    case TokenizerFiles::kSentencePiece:
      read_sentencepiece(files, family, config_or_null, options, special, settings);
      break;
    case TokenizerFiles::kTokenList:
      tokens.listed = read_token_list(files, special, settings);
      break;
    case TokenizerFiles::kTokenizerJson:  // this kind has no such files
      break;
  }
  if (config) read_call_defaults(*config, settings);
  const bool lowers = settings.normalizer.lowercases() || options.lowercase_first;
  check_lowercase_option(
      options, lowers,
      quote_path(files.name) + " is of a tokenizer that " + (lowers ? "lower-cases" : "keeps upper case"));
  settings.added_tokens = resolve_added_tokens(settings, tokens.listed, special);
  settings.post_processor = class_template(family, special, settings);
  const auto pad = settings.id(special.padding.content.empty() ? family.padding : special.padding.content);
  settings.pad_token.id = pad.value_or(0);
  settings.mask_id = settings.added_tokens.id(special.mask.content);
  settings.unknown_id = settings.added_tokens.id(special.unknown.content);
  return settings;
}

}  // namespace bert
