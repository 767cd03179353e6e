#include "tokenizer/files/tokenizer_json.h"

#include <utility>

#include "engine/base/quote.h"
#include "engine/base/utf8.h"
#include "tokenizer/files/tokenizer_json_model.h"
#include "tokenizer/files/tokenizer_json_parser.h"
#include "tokenizer/model/byte_level.h"

namespace bert {
namespace {

std::vector<ListedToken> read_listed_tokens(const JsonObject& file) {
  std::vector<ListedToken> tokens;
  if (!file.has("added_tokens")) return tokens;
  for (const JsonObject& element : elements(file, "added_tokens")) {
    tokens.push_back({read_added_token(element, false), element.required_integer("id", UINT32_MAX)});
  }
  // The reference adds tokens in the file's order, which is the order of the ids in every file that it writes.
  return tokens;
}

// Adds a notice if a byte-level model lacks a token for a byte and has no unknown token: such characters are dropped.
void note_missing_bytes(TokenizerSettings& settings, std::string_view source) {
  const BpeSettings* const model = std::get_if<BpeSettings>(&settings.model);
  if (model == nullptr || model->unknown_token || settings.pre_tokenizer.byte_level() == nullptr) return;
  int missing = 0;
  for (int byte = 0; byte < 256; ++byte) {
    std::string character;
    append_utf8(character, char_of_byte(static_cast<char>(byte)));
    missing += !settings.vocabulary.id(character);
  }
  if (missing == 0) return;
  settings.notices.push_back(quote_path(source) + ": " + std::to_string(missing) +
                             " of the 256 bytes have no token; they vanish from texts, as in the reference");
}

void read_truncation_and_padding(const JsonObject& file, TokenizerJson& result) {
  std::string& names = result.unapplied;
  if (const auto truncation = file.nullable_object("truncation")) {
    const std::string direction = truncation->nullable_string("direction").value_or("Right");
    if (direction != "Left" && direction != "Right") truncation->refuse("direction", "Left or Right");
    if (direction == "Left") result.settings.truncation_direction = Direction::kLeft;
    const auto length = truncation->find("max_length");
    names = "truncation (max_length " + (length ? json_excerpt(*length) : "missing") + ")";
    const auto tokens = length ? length->unsigned_integer() : std::nullopt;
    if (tokens) result.truncation_length = static_cast<size_t>(*tokens);
  }
  if (const auto padding = file.nullable_object("padding")) {
    names += names.empty() ? "padding" : " and padding";
    if (const auto token = padding->nullable_string("pad_token")) result.pad_token = *token;
    if (padding->has("pad_id")) result.settings.pad_token.id = read_id(*padding, "pad_id");
    if (padding->has("pad_type_id")) result.settings.pad_token.type_id = read_id(*padding, "pad_type_id");
  }
}

}  // namespace

TokenizerJson read_tokenizer_json(std::string_view text, std::string_view source, const TokenizerFamilies& families,
                                  ScoreNumbers scores) {
  ParsedTokenizerJson parsed = parse_tokenizer_json(text, source, scores);
  const JsonObject file(parsed.document.root(), source);
  if (const auto version = file.nullable_string("version"); version && *version != "1.0") file.refuse("version", "1.0");
  TokenizerJson result;
  TokenizerSettings& settings = result.settings;
  settings.source = source;
  settings.notices = parsed.notices;
  JsonModel model = read_model(file.required_object("model"), parsed);
  settings.vocabulary = std::move(model.vocabulary);
  settings.model = std::move(model.settings);
  if (const auto normalizer = file.nullable_object("normalizer")) {
    settings.normalizer = read_normalizer(*normalizer);
    settings.lists_lowercase = lists_lowercase(*normalizer);
    if (type_of(*normalizer) == "BertNormalizer") result.bert_normalizer = read_bert_normalizer(*normalizer);
  }
  if (const auto rules = file.nullable_object("pre_tokenizer")) settings.pre_tokenizer = read_pre_tokenizer(*rules);
  if (const auto processor = file.nullable_object("post_processor"))
    settings.post_processor = read_post_processor(*processor, families);
  note_missing_bytes(settings, source);
  if (const auto decoder = file.nullable_object("decoder")) settings.decoder = read_decoder(*decoder);
  result.added_tokens = read_listed_tokens(file);
  read_truncation_and_padding(file, result);
  return result;
}

}  // namespace bert
