#include "tokenizer/files/tokenizer_json_text.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "engine/base/quote.h"
#include "engine/base/utf8.h"
#include "tokenizer/settings.h"

namespace bert {
namespace {

using Kind = TemplatePiece::Kind;

// Reads {"String": "x"} or {"Regex": " {2,}"}.
Pattern read_pattern(const JsonObject& object) {
  const JsonObject pattern = object.required_object("pattern");
  if (!pattern.has("Regex")) return Pattern::text(pattern.required_string("String"));
  return Pattern::regular_expression(pattern.required_string("Regex"),
                                     quote_path(object.source()) + ": " + object.name("pattern"));
}

std::shared_ptr<const Charsmap> read_charsmap(const JsonObject& object) {
  const auto bytes = decode_base64(object.required_string("precompiled_charsmap"));
  if (!bytes) object.refuse("precompiled_charsmap", "base64");
  return std::make_shared<const Charsmap>(*bytes, object.source());
}

void add_normalizers(const JsonObject& object, Normalizer& normalizer) {
  const std::string type = type_of(object);
  if (type == "Sequence") {
    for (const JsonObject& element : elements(object, "normalizers")) add_normalizers(element, normalizer);
  } else if (type == "BertNormalizer") {
    const BertNormalizerFields fields = read_bert_normalizer(object);
    normalizer.add(bert_normalizer(fields.clean_text, fields.split_cjk, fields.strip_accents, fields.lowercase));
  } else if (type == "Lowercase") {
    normalizer.add(BertNormalizer{.lowercase = true});
  } else if (type == "StripAccents") {
    normalizer.add(BertNormalizer{.strip_marks = true});
  } else if (type == "NFD") {
    normalizer.add(BertNormalizer{.decompose = true});
  } else if (type == "NFC") {
    normalizer.add(NormalForm{.composed = true});
  } else if (type == "NFKD") {
    normalizer.add(NormalForm{.compatibility = true});
  } else if (type == "NFKC") {
    normalizer.add(NormalForm{.compatibility = true, .composed = true});
  } else if (type == "Replace") {
    normalizer.add(Replacement{read_pattern(object), object.required_string("content")});
  } else if (type == "Strip") {
    normalizer.add(StrippedEnds{object.nullable_boolean("strip_left").value_or(true),
                                object.nullable_boolean("strip_right").value_or(true)});
  } else if (type == "Prepend") {
    normalizer.add(Prepended{object.required_string("prepend")});
  } else if (type == "ByteLevel") {
    normalizer.add(ByteMapped());
  } else if (type == "Nmt") {
    normalizer.add(CleanedControls());
  } else if (type == "Precompiled") {
    normalizer.add(read_charsmap(object));
  } else {
    refuse_component(object, quote(type));
  }
}

Metaspace read_metaspace(const JsonObject& object) {
  Metaspace rules;
  rules.mark = required_character(object, "replacement");
  const std::string scheme = object.nullable_string("prepend_scheme").value_or("always");
  if (scheme == "never") {
    rules.prepend = Metaspace::Prepend::kNever;
  } else if (scheme == "first") {
    rules.prepend = Metaspace::Prepend::kFirst;
  } else if (scheme != "always") {
    object.refuse("prepend_scheme", "always, first or never");
  }
  if (!object.nullable_boolean("add_prefix_space").value_or(true) && scheme != "never") {
    object.refuse("add_prefix_space", "true, as prepend_scheme is " + scheme);
  }
  rules.split = object.nullable_boolean("split").value_or(true);
  return rules;
}

constexpr char kBehaviors[] = "Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous";

std::optional<SplitBehavior> read_behavior(const JsonObject& object) {
  const auto name = object.nullable_string("behavior");
  if (!name) return std::nullopt;
  if (*name == "Removed") return SplitBehavior::kRemoved;
  if (*name == "Isolated") return SplitBehavior::kIsolated;
  if (*name == "MergedWithPrevious") return SplitBehavior::kMergedWithPrevious;
  if (*name == "MergedWithNext") return SplitBehavior::kMergedWithNext;
  if (*name == "Contiguous") return SplitBehavior::kContiguous;
  object.refuse("behavior", kBehaviors);
}

FixedLengthSplit read_fixed_length(const JsonObject& object) {
  if (!object.has("length")) return {};
  const size_t characters = object.required_integer("length", std::numeric_limits<size_t>::max());
  if (characters == 0) object.refuse("length", "at least 1");
  return {characters};
}

void add_pre_tokenizers(const JsonObject& object, PreTokenizer& pre_tokenizer) {
  const std::string type = type_of(object);
  if (type == "Sequence") {
    for (const JsonObject& element : elements(object, "pretokenizers")) add_pre_tokenizers(element, pre_tokenizer);
  } else if (type == "BertPreTokenizer") {
    pre_tokenizer.add(kBertPreTokenizer);
  } else if (type == "WhitespaceSplit") {
    pre_tokenizer.add(BertSplitRules{.split_spaces = true});
  } else if (type == "Whitespace") {
    pre_tokenizer.add(BertSplitRules{.split_word_classes = true});
  } else if (type == "Punctuation") {
    const SplitBehavior behavior = read_behavior(object).value_or(SplitBehavior::kIsolated);
    if (behavior == SplitBehavior::kIsolated) {
      pre_tokenizer.add(BertSplitRules{.isolate_punctuation = true});
    } else {
      pre_tokenizer.add(PunctuationSplit{behavior});
    }
  } else if (type == "Split") {
    const auto behavior = read_behavior(object);
    if (!behavior) object.refuse("behavior", kBehaviors);
    pre_tokenizer.add(PatternSplit{read_pattern(object), *behavior, object.required_boolean("invert")});
  } else if (type == "CharDelimiterSplit") {
    std::string delimiter;
    append_utf8(delimiter, required_character(object, "delimiter"));
    pre_tokenizer.add(PatternSplit{Pattern::text(delimiter), SplitBehavior::kRemoved});
  } else if (type == "Metaspace") {
    pre_tokenizer.add(read_metaspace(object));
  } else if (type == "ByteLevel") {
    pre_tokenizer.add(ByteLevel{object.nullable_boolean("add_prefix_space").value_or(true),
                                object.nullable_boolean("use_regex").value_or(true)});
  } else if (type == "Digits") {
    pre_tokenizer.add(DigitSplit{object.nullable_boolean("individual_digits").value_or(false)});
  } else if (type == "UnicodeScripts") {
    pre_tokenizer.add(ScriptSplit());
  } else if (type == "FixedLength") {
    pre_tokenizer.add(read_fixed_length(object));
  } else {
    refuse_component(object, quote(type));
  }
}

// Reads ["[SEP]", 102].
int32_t read_token_pair(const JsonObject& object, const char* key) {
  const auto pair = object.find(key);
  const auto id = pair && pair->is_array() && pair->size() == 2 ? (*pair)[1].unsigned_integer() : std::nullopt;
  if (!id || *id > INT32_MAX) object.refuse(key, "a token and its id");
  return static_cast<int32_t>(*id);
}

// Returns the ids of a template's special token.
std::vector<int32_t> template_ids(const JsonObject& token) {
  std::vector<int32_t> result;
  for (const Json value : token.required_array("ids")) {
    const auto id = value.unsigned_integer();
    if (!id || *id > INT32_MAX) token.refuse("ids", "ids");
    result.push_back(static_cast<int32_t>(*id));
  }
  return result;
}

std::vector<TemplatePiece> read_template(const JsonObject& processor, const char* key) {
  const auto special_tokens = processor.nullable_object("special_tokens");
  std::unordered_map<std::string_view, Json> tokens;
  if (special_tokens) {
    for (const auto [name, token] : special_tokens->json().members()) tokens.emplace(name, token);
  }
  std::vector<TemplatePiece> pieces;
  for (const JsonObject& piece : elements(processor, key)) {
    const bool sequence = piece.has("Sequence");
    const JsonObject body = piece.required_object(sequence ? "Sequence" : "SpecialToken");
    const std::string name = body.required_string("id");
    const int32_t type_id = read_id(body, "type_id");
    if (sequence) {
      if (name != "A" && name != "B") body.refuse("id", "A or B");
      pieces.push_back({name == "A" ? Kind::kText : Kind::kPair, type_id});
      continue;
    }
    const auto token = tokens.find(name);
    if (token == tokens.end()) processor.required_object("special_tokens").refuse(name, "an object");
    for (const int32_t id : template_ids({token->second, processor.source(), special_tokens->name(name)})) {
      pieces.push_back({Kind::kToken, type_id, id});
    }
  }
  const auto count = [&](Kind kind) {
    return std::count_if(pieces.begin(), pieces.end(), [&](const TemplatePiece& piece) { return piece.kind == kind; });
  };
  const bool for_pair = key == std::string_view("pair");
  if (count(Kind::kText) != 1 || count(Kind::kPair) != (for_pair ? 1 : 0)) {
    processor.refuse(key, for_pair ? "A once and B once" : "A once and no B");
  }
  return pieces;
}

void add_decoders(const JsonObject& object, Decoder& decoder) {
  const std::string type = type_of(object);
  if (type == "Sequence") {
    for (const JsonObject& element : elements(object, "decoders")) add_decoders(element, decoder);
  } else if (type == "WordPiece") {
    decoder.steps.push_back(WordPieceDecoder{object.required_string("prefix"), object.required_boolean("cleanup")});
  } else if (type == "ByteLevel") {
    decoder.steps.push_back(ByteLevelDecoder());
  } else if (type == "Metaspace") {
    const Metaspace rules = read_metaspace(object);
    decoder.steps.push_back(MetaspaceDecoder{rules.mark, rules.prepend != Metaspace::Prepend::kNever});
  } else if (type == "BPEDecoder") {
    decoder.steps.push_back(SuffixDecoder{object.nullable_string("suffix").value_or("</w>")});
  } else if (type == "Replace") {
    decoder.steps.push_back(ReplaceDecoder{read_pattern(object), object.required_string("content")});
  } else if (type == "ByteFallback") {
    decoder.steps.push_back(ByteFallbackDecoder());
  } else if (type == "Fuse") {
    decoder.steps.push_back(FuseDecoder());
  } else if (type == "Strip") {
    decoder.steps.push_back(StripDecoder{required_character(object, "content"),
                                         object.required_integer("start", UINT32_MAX),
                                         object.required_integer("stop", UINT32_MAX)});
  } else {
    refuse_component(object, quote(type));
  }
}

}  // namespace

BertNormalizerFields read_bert_normalizer(const JsonObject& object) {
  return {object.nullable_boolean("clean_text").value_or(true),
          object.nullable_boolean("handle_chinese_chars").value_or(true), object.nullable_boolean("strip_accents"),
          object.nullable_boolean("lowercase").value_or(true)};
}

Normalizer read_normalizer(const JsonObject& object) {
  Normalizer normalizer;
  add_normalizers(object, normalizer);
  return normalizer;
}

bool lists_lowercase(const JsonObject& normalizer) {
  const auto is_lowercase = [](const JsonObject& one) { return type_of(one) == "Lowercase"; };
  if (type_of(normalizer) != "Sequence") return is_lowercase(normalizer);
  const std::vector<JsonObject> parts = elements(normalizer, "normalizers");
  return std::any_of(parts.begin(), parts.end(), is_lowercase);
}

PreTokenizer read_pre_tokenizer(const JsonObject& object) {
  PreTokenizer pre_tokenizer;
  add_pre_tokenizers(object, pre_tokenizer);
  return pre_tokenizer;
}

PostProcessor read_post_processor(const JsonObject& object, const TokenizerFamilies& families) {
  const std::string type = type_of(object);
  const auto trimming = [&]() -> std::optional<SpanTrimming> {
    if (!object.nullable_boolean("trim_offsets").value_or(true)) return std::nullopt;
    return SpanTrimming{object.nullable_boolean("add_prefix_space").value_or(true)};
  };
  if (const TokenizerFamily* family = families.of_processing(type)) {
    PostProcessor result =
        family_template(family->template_kind, read_token_pair(object, "cls"), read_token_pair(object, "sep"));
    if (family->template_kind != TemplateKind::kBert) result.trimming = trimming();
    return result;
  }
  if (type == "TemplateProcessing") {
    return {read_template(object, "single"), read_template(object, "pair"), std::nullopt};
  }
  if (type == "ByteLevel") {
    PostProcessor result;
    result.trimming = trimming();
    return result;
  }
  if (type == "Sequence") {
    const auto processors = elements(object, "processors");
    if (processors.size() == 1) return read_post_processor(processors[0], families);
    // First spans are trimmed, then the template is applied: the order of every file that has both.
    if (processors.size() == 2 && type_of(processors[0]) == "ByteLevel" &&
        type_of(processors[1]) == "TemplateProcessing") {
      PostProcessor result = read_post_processor(processors[1], families);
      result.trimming = read_post_processor(processors[0], families).trimming;
      return result;
    }
    refuse_component(object, "'Sequence' of anything but one processor, or ByteLevel and TemplateProcessing,");
  }
  refuse_component(object, quote(type));
}

Decoder read_decoder(const JsonObject& object) {
  Decoder decoder;
  add_decoders(object, decoder);
  return decoder;
}

int32_t read_id(const JsonObject& object, const char* key) {
  return static_cast<int32_t>(object.required_integer(key, INT32_MAX));
}

}  // namespace bert
