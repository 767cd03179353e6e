#include "tokenizer/files/tokenizer_class.h"

#include <string>
#include <utility>
#include <variant>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "tokenizer/files/sentencepiece_conversion.h"

namespace bert {
namespace {

// The expression of Qwen2Tokenizer.
constexpr char kQwen2Expression[] =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";

void note_replaced(const std::string& what, const std::string& by, std::vector<std::string>& notices) {
  notices.push_back("'tokenizer.json': " + what + " is replaced by " + by);
}

// Replaces a value of tokenizer.json by the class's; `text` describes the new value.
template <class Value>
void replace(Value& value, Value by, const char* name, const std::string& text, std::vector<std::string>& notices) {
  if (value == by) return;
  value = std::move(by);
  note_replaced(name, text + ", as the reference's tokenizer class does", notices);
}

// Replaces a part of tokenizer.json by the class's.
template <class Part>
void replace_part(Part& part, Part by, const char* name, std::vector<std::string>& notices) {
  if (part == by) return;
  part = std::move(by);
  note_replaced("its " + std::string(name), "that of the reference's tokenizer class", notices);
}

std::optional<bool> find_switch(const JsonObject* config, const char* key) {
  if (config == nullptr) return std::nullopt;
  return config->nullable_boolean(key);
}

bool read_switch(const JsonObject* config, const char* key, bool by_default) {
  return find_switch(config, key).value_or(by_default);
}

// The WordPiece classes take the normalizer's fields from tokenizer_config.json or their own defaults.
void rebuild_bert_normalizer(const JsonObject* config, TokenizerJson& file) {
  std::vector<std::string>& notices = file.settings.notices;
  BertNormalizerFields fields = file.bert_normalizer.value_or(BertNormalizerFields());
  if (!file.bert_normalizer) {
    note_replaced("its normalizer", "a BertNormalizer, as the reference's tokenizer class does", notices);
  }
  const bool lowercase = read_switch(config, "do_lower_case", true);
  const bool split_cjk = read_switch(config, "tokenize_chinese_chars", true);
  const auto strip = find_switch(config, "strip_accents");
  replace(fields.clean_text, true, "clean_text", "true", notices);
  replace(fields.lowercase, lowercase, "lowercase", true_or_false(lowercase), notices);
  replace(fields.split_cjk, split_cjk, "handle_chinese_chars", true_or_false(split_cjk), notices);
  replace(fields.strip_accents, strip, "strip_accents", strip ? true_or_false(*strip) : "null", notices);
  file.settings.lists_lowercase = false;
  file.settings.normalizer =
      bert_normalizer(fields.clean_text, fields.split_cjk, fields.strip_accents, fields.lowercase);
}

void rebuild_wordpiece(const JsonObject* config, const SpecialTokens& special, TokenizerJson& file) {
  TokenizerSettings& settings = file.settings;
  rebuild_bert_normalizer(config, file);
  replace_part(settings.pre_tokenizer, PreTokenizer(kBertPreTokenizer), "pre-tokenizer", settings.notices);
  replace_part(settings.decoder, Decoder{{WordPieceDecoder()}}, "decoder", settings.notices);
  auto& model = std::get<WordPieceSettings>(settings.model);
  const WordPieceSettings usual;
  replace(model.continuing_prefix, usual.continuing_prefix, "continuing_subword_prefix", quote(usual.continuing_prefix),
          settings.notices);
  replace(model.max_chars_per_word, usual.max_chars_per_word, "max_input_chars_per_word",
          std::to_string(usual.max_chars_per_word), settings.notices);
  replace(model.unknown_token, special.unknown.content, "unk_token", quote(special.unknown.content), settings.notices);
  if (!settings.vocabulary.id(model.unknown_token)) {
    refuse_file(config != nullptr ? config->source() : settings.source,
                "unk_token: found " + quote(model.unknown_token) + ", expected a token of the vocabulary");
  }
}

// The byte-level classes take two switches from tokenizer_config.json or their own defaults.
void rebuild_byte_level(const JsonObject* config, TokenizerSettings& settings) {
  std::vector<std::string>& notices = settings.notices;
  auto& model = std::get<BpeSettings>(settings.model);
  replace(model.unknown_token, std::optional<std::string>(), "unk_token", "null", notices);
  replace(model.continuing_prefix, std::string(), "continuing_subword_prefix", "\"\"", notices);
  replace(model.end_suffix, std::string(), "end_of_word_suffix", "\"\"", notices);
  replace(model.fuse_unknown, false, "fuse_unk", "false", notices);
  replace(model.byte_fallback, false, "byte_fallback", "false", notices);
  replace(model.ignore_merges, false, "ignore_merges", "false", notices);
  const bool prefix = read_switch(config, "add_prefix_space", false);
  const bool trims = read_switch(config, "trim_offsets", true);
  if (ByteLevel* const rules = settings.pre_tokenizer.byte_level()) {
    replace(rules->add_prefix_space, prefix, "add_prefix_space", true_or_false(prefix), notices);
  }
  PreTokenizer pre_tokenizer;
  pre_tokenizer.add(ByteLevel{.add_prefix_space = prefix});
  replace_part(settings.normalizer, Normalizer(), "normalizer", notices);
  settings.lists_lowercase = false;
  replace_part(settings.pre_tokenizer, std::move(pre_tokenizer), "pre-tokenizer", notices);
  replace_part(settings.decoder, Decoder{{ByteLevelDecoder()}}, "decoder", notices);
  auto& trimming = settings.post_processor.trimming;
  if (trimming.has_value() != trims) {
    note_replaced("trim_offsets", true_or_false(trims) + ", as the reference's tokenizer class does", notices);
  }
  trimming = trims ? std::optional(SpanTrimming{prefix}) : std::nullopt;
}

// The Unigram classes create their parts from tokenizer_config.json, their own defaults, and the file's table.
void rebuild_pieces(const TokenizerFamily& family, const JsonObject* config, const SpecialTokens& special,
                    TokenizerSettings& settings) {
  const PieceText text = family.pieces.text;
  const PieceTextOptions options = read_piece_text_options(config, text);
  PieceTextSettings made = piece_text_settings(text, options, settings.normalizer.charsmap());
  settings.lists_lowercase = options.lowercase;
  replace_part(settings.normalizer, std::move(made.normalizer), "normalizer", settings.notices);
  replace_part(settings.pre_tokenizer, std::move(made.pre_tokenizer), "pre-tokenizer", settings.notices);
  replace_part(settings.decoder, std::move(made.decoder), "decoder", settings.notices);
  if (!family.keeps_json_template) settings.post_processor.trimming.reset();
  auto& model = std::get<UnigramSettings>(settings.model);
  int64_t usual = family.pieces.unknown_id;
  if (config != nullptr) usual = config->nullable_integer("unk_id", {.min = 0, .max = INT32_MAX}).value_or(usual);
  const int32_t unknown = unknown_piece(family, special, static_cast<int32_t>(usual), settings);
  replace(model.unknown_id, std::optional(unknown), "unk_id", std::to_string(unknown), settings.notices);
  replace(model.byte_fallback, false, "byte_fallback", "false", settings.notices);
}

// Applies the class's own normalizer and pre-tokenizer. The reference creates no LlamaTokenizer from a file with
// ByteLevel.
void apply_class_text(UnappliedText text, const JsonObject* config, TokenizerSettings& settings) {
  if (text == UnappliedText::kLlama && settings.pre_tokenizer.byte_level() != nullptr) return;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  Metaspace words = {.split = text != UnappliedText::kLlama};
  const bool is_legacy = text != UnappliedText::kLlama || read_switch(config, "legacy", false);
  if (!is_legacy) words.prepend = Metaspace::Prepend::kFirst;
  if (text == UnappliedText::kMBart) {
    pre_tokenizer.add(BertSplitRules{.split_spaces = true});
  } else if (!read_switch(config, "add_prefix_space", true)) {
    words.prepend = Metaspace::Prepend::kNever;
  }
  if (text == UnappliedText::kBigBird) {
    normalizer.add(Replacement{Pattern::regular_expression(" {2,}", "BigBirdTokenizer"), "\u2581"});
  }
  pre_tokenizer.add(words);
  replace_part(settings.normalizer, std::move(normalizer), "normalizer", settings.notices);
  replace_part(settings.pre_tokenizer, std::move(pre_tokenizer), "pre-tokenizer", settings.notices);
}

// Adds a notice that the file's model is used although the reference's class expects another.
void note_other_model(const char* model, const char* reference, std::vector<std::string>& notices) {
  notices.push_back("'tokenizer.json': its " + std::string(model) + " model is used; transformers 5 " + reference +
                    " for this tokenizer class");
}

}  // namespace

TokenizerClass class_beside_json(const FileSource& files, const SideFiles& side_files,
                                 const TokenizerFamilies& families, std::vector<std::string>& notices) {
  constexpr TokenizerClass kAsItIs = {.family = nullptr, .has_segments = false};
  const auto config = read_side_file(files, kModelConfig);
  const auto type = config ? config->object().nullable_string("model_type") : std::nullopt;
  const TokenizerFamily* const of_type = type ? families.of_model(*type) : nullptr;
  if (of_type != nullptr && of_type->json_reading == JsonReading::kAlwaysAsIs) return kAsItIs;
  const auto name = named_class(side_files, config ? &*config : nullptr);
  if (!name) {
    if (of_type == nullptr) return {};
    if (of_type->json_reading == JsonReading::kByClass) return {of_type, of_type->has_segments};
    return {nullptr, false, of_type->unapplied_text_of_type};
  }
  const TokenizerFamily* const family = families.of_class(name->name);
  if (family == nullptr) note_unknown_class(*name, "'tokenizer.json' is taken as it is", notices);
  if (family == nullptr) return kAsItIs;
  if (family->json_reading != JsonReading::kByClass) return {nullptr, false, family->unapplied_text};
  return {family, family->has_segments_if_named};
}

bool rebuilds(const TokenizerFamily* family, TokenizerSettings& settings) {
  if (family == nullptr) return false;
  const bool is_wordpiece = std::holds_alternative<WordPieceSettings>(settings.model);
  const bool is_bpe = std::holds_alternative<BpeSettings>(settings.model);
  const bool is_unigram = std::holds_alternative<UnigramSettings>(settings.model);
  const char* const name = is_wordpiece ? "WordPiece" : is_bpe ? "BPE" : is_unigram ? "Unigram" : "WordLevel";
  switch (family->files) {
    case TokenizerFiles::kWordPiece:
      if (is_wordpiece) return true;
      note_other_model(name, "makes a WordPiece model of the same vocabulary", settings.notices);
      return false;
    case TokenizerFiles::kByteLevelBpe:
      if (is_bpe) return true;
      note_other_model(name, "makes a BPE model of the same vocabulary", settings.notices);
      return false;
    case TokenizerFiles::kSentencePiece:
      if (is_unigram) return true;
      note_other_model(name, "rejects the file", settings.notices);
      return false;
    case TokenizerFiles::kTokenList:
    case TokenizerFiles::kTokenizerJson:
      break;
  }
  return false;
}

void rebuild(const TokenizerFamily& family, const JsonObject* config, const SpecialTokens& special,
             TokenizerJson& file) {
  switch (family.files) {
    case TokenizerFiles::kWordPiece:
      rebuild_wordpiece(config, special, file);
      file.settings.post_processor.trimming = family.trims_spans ? std::optional(SpanTrimming{false}) : std::nullopt;
      break;
    case TokenizerFiles::kByteLevelBpe:
      rebuild_byte_level(config, file.settings);
      break;
    case TokenizerFiles::kSentencePiece:
      rebuild_pieces(family, config, special, file.settings);
      break;
    case TokenizerFiles::kTokenList:
    case TokenizerFiles::kTokenizerJson:
      break;
  }
}

int32_t unknown_piece(const TokenizerFamily& family, const SpecialTokens& special, int32_t usual,
                      const TokenizerSettings& settings) {
  const auto& scores = std::get<UnigramSettings>(settings.model).scores;
  const auto named = settings.vocabulary.id(special.unknown.content);
  int32_t id = usual;
  switch (family.pieces.unknown) {
    case UnknownPiece::kFixed:
      id = family.pieces.unknown_id;
      break;
    case UnknownPiece::kNamed:
      id = named.value_or(0);
      break;
    case UnknownPiece::kNamedWithoutScore:
      if (named && scores[static_cast<size_t>(*named)] == 0) id = *named;
  }
  if (static_cast<size_t>(id) >= scores.size()) {
    refuse_file(settings.source, "the unknown token's id is " + std::to_string(id) + ", expected less than the " +
                                     std::to_string(scores.size()) + " tokens of the vocabulary");
  }
  return id;
}

void note_unapplied_switches(const JsonObject& config, TokenizerSettings& settings) {
  const auto note = [&](const char* key, bool applied) {
    if (config.nullable_boolean(key).value_or(applied) == applied) return;
    settings.notices.push_back("'tokenizer_config.json': " + std::string(key) + " " + true_or_false(!applied) +
                               " is not applied, as by the reference: 'tokenizer.json' decides");
  };
  note("do_lower_case", settings.normalizer.lowercases());
  note("strip_accents", settings.normalizer.strips_accents());
  note("tokenize_chinese_chars", settings.normalizer.splits_ideographs());
  if (const ByteLevel* const rules = settings.pre_tokenizer.byte_level())
    note("add_prefix_space", rules->add_prefix_space);
}

void note_unapplied_text(UnappliedText text, const JsonObject* config, TokenizerSettings& settings) {
  if (text == UnappliedText::kNone) return;
  if (text != UnappliedText::kQwen2 && text != UnappliedText::kGemma) return apply_class_text(text, config, settings);
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  if (text == UnappliedText::kQwen2) {
    const bool prefix = read_switch(config, "add_prefix_space", false);
    if (ByteLevel* const rules = settings.pre_tokenizer.byte_level()) {
      replace(rules->add_prefix_space, prefix, "add_prefix_space", true_or_false(prefix), settings.notices);
    }
    normalizer.add(NormalForm{.composed = true});
    pre_tokenizer.add(PatternSplit{Pattern::regular_expression(kQwen2Expression, "Qwen2Tokenizer")});
    pre_tokenizer.add(ByteLevel{.add_prefix_space = prefix, .split = false});
  } else {
    normalizer.add(Replacement{Pattern::text(" "), "\u2581"});
    pre_tokenizer.add(PatternSplit{Pattern::text(" "), SplitBehavior::kMergedWithPrevious});
  }
  const bool same_normalizer = settings.normalizer == normalizer, same_words = settings.pre_tokenizer == pre_tokenizer;
  if (same_normalizer && same_words) return;
  const std::string what = same_normalizer ? "pre-tokenizer is"
                           : same_words    ? "normalizer is"
                                           : "normalizer and pre-tokenizer are";
  settings.notices.push_back("'tokenizer.json': its " + what + " used; transformers 5 makes those of " +
                             (text == UnappliedText::kQwen2 ? "Qwen2Tokenizer" : "GemmaTokenizer") + " itself");
}

PostProcessor class_template(const TokenizerFamily& family, const SpecialTokens& special,
                             const TokenizerSettings& settings) {
  const auto id_of = [&](const AddedToken& token, const char* key) {
    const auto id = settings.id(token.content);
    if (token.content.empty() || !id) {
      refuse_file(settings.source,
                  "no token " + quote(token.content) + ", expected the " + key + " that the template needs");
    }
    return *id;
  };
  if (family.template_kind == TemplateKind::kEnds) {
    PostProcessor ends = family_template(family.template_kind, 0, id_of(special.end, "eos_token"));
    ends.trimming = settings.post_processor.trimming;
    return ends;
  }
  PostProcessor made = family.template_has_ends
                           ? family_template(family.template_kind, id_of(special.beginning, "bos_token"),
                                             id_of(special.end, "eos_token"))
                           : family_template(family.template_kind, id_of(special.classifier, "cls_token"),
                                             id_of(special.separator, "sep_token"));
  made.trimming = settings.post_processor.trimming;
  return made;
}

std::string true_or_false(bool value) { return value ? "true" : "false"; }

void check_lowercase_option(const TokenizerOptions& options, bool lowercase, const std::string& says) {
  if (!options.lowercase || *options.lowercase == lowercase) return;
  throw Error(ErrorCode::kInvalidArgument,
              std::string(*options.lowercase ? "lower case" : "cased text") + " was requested, but " +
                  (options.lowercase_first ? "the model's Transformer module says do_lower_case true" : says));
}

}  // namespace bert
