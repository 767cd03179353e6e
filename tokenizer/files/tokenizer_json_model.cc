#include "tokenizer/files/tokenizer_json_model.h"

#include <cmath>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

// Returns the type of a model without one, as in files from before 2020: the first that fits its fields, in the
// reference's order.
std::string model_type(const JsonObject& model) {
  if (const auto type = model.nullable_string("type")) return *type;
  if (model.has("merges")) return "BPE";
  if (model.has("max_input_chars_per_word")) return "WordPiece";
  const auto vocab = model.find("vocab");
  return vocab && vocab->is_array() ? "Unigram" : "WordLevel";
}

JsonModel read_wordpiece(const JsonObject& model, ParsedTokenizerJson& parsed) {
  WordPieceSettings settings;
  settings.unknown_token = model.required_string("unk_token");
  settings.continuing_prefix = model.required_string("continuing_subword_prefix");
  settings.max_chars_per_word = model.required_integer("max_input_chars_per_word", INT32_MAX);
  JsonModel result{read_vocabulary(model.required_object("vocab"), parsed), settings};
  if (!result.vocabulary.id(settings.unknown_token)) {
    refuse_file(model.source(), "the unknown token " + quote(settings.unknown_token) + " is not in the vocabulary");
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> read_merges(const JsonObject& model,
                                                             const ParsedTokenizerJson& parsed) {
  std::vector<std::pair<std::string, std::string>> merges(parsed.merges.begin(), parsed.merges.end());
  for (const Json entry : model.required_array("merges")) {
    if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
      merges.emplace_back(entry[0].string(), entry[1].string());
      continue;
    }
    const auto merge = split_merge(entry.is_string() ? entry.string() : std::string_view());
    if (!merge) {
      refuse_file(model.source(), model.name("merges") + "[" + std::to_string(merges.size()) + "]: found " +
                                      json_excerpt(entry) + ", expected two tokens");
    }
    merges.emplace_back(merge->first, merge->second);
  }
  return merges;
}

JsonModel read_bpe(const JsonObject& model, ParsedTokenizerJson& parsed) {
  if (const auto dropout = model.nullable("dropout"); dropout && dropout->number() != 0) {
    refuse_component(model, "with dropout " + json_excerpt(*dropout));
  }
  BpeSettings settings;
  settings.merges = read_merges(model, parsed);
  settings.unknown_token = model.nullable_string("unk_token");
  settings.continuing_prefix = model.nullable_string("continuing_subword_prefix").value_or("");
  settings.end_suffix = model.nullable_string("end_of_word_suffix").value_or("");
  settings.fuse_unknown = model.nullable_boolean("fuse_unk").value_or(false);
  settings.byte_fallback = model.nullable_boolean("byte_fallback").value_or(false);
  settings.ignore_merges = model.nullable_boolean("ignore_merges").value_or(false);
  return {read_vocabulary(model.required_object("vocab"), parsed), std::move(settings)};
}

JsonModel read_unigram(const JsonObject& model, ParsedTokenizerJson& parsed) {
  for (const Json entry : model.required_array("vocab", "an array of tokens and scores")) {
    const bool is_pair = entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_number();
    const double score = is_pair ? reference_double(entry[1].string()) : 0;
    if (!is_pair || !std::isfinite(score)) {
      refuse_file(model.source(), model.name("vocab") + "[" + std::to_string(parsed.scored_vocabulary.size()) +
                                      "]: found " + json_excerpt(entry) + ", expected a token and its score");
    }
    parsed.scored_vocabulary.emplace_back(entry[0].string(), score);
  }
  if (parsed.scored_vocabulary.empty()) model.refuse("vocab", "at least one token");
  UnigramSettings settings;
  std::vector<std::string_view> tokens;
  for (const auto& [token, score] : parsed.scored_vocabulary) {
    tokens.push_back(token);
    settings.scores.push_back(score);
  }
  const auto unknown = model.nullable_integer("unk_id", {.min = 0, .max = static_cast<int64_t>(tokens.size()) - 1});
  settings.unknown_id = unknown ? std::optional(static_cast<int32_t>(*unknown)) : std::nullopt;
  settings.byte_fallback = model.nullable_boolean("byte_fallback").value_or(false);
  return {Vocabulary::from_list(tokens, model.source()), std::move(settings)};
}

JsonModel read_word_level(const JsonObject& model, ParsedTokenizerJson& parsed) {
  WordLevelSettings settings{model.required_string("unk_token")};
  return {read_vocabulary(model.required_object("vocab"), parsed), std::move(settings)};
}

}  // namespace

Vocabulary read_vocabulary(const JsonObject& vocab, ParsedTokenizerJson& parsed) {
  for (const auto& [token, value] : vocab.json().members()) {
    const auto id = value.unsigned_integer();
    if (!id) vocab.refuse(token, "an id");
    parsed.vocabulary.emplace_back(token, *id);
  }
  return Vocabulary::from_pairs(parsed.vocabulary, vocab.source());
}

JsonModel read_model(const JsonObject& model, ParsedTokenizerJson& parsed) {
  const std::string type = model_type(model);
  if (type == "WordPiece") return read_wordpiece(model, parsed);
  if (type == "BPE") return read_bpe(model, parsed);
  if (type == "Unigram") return read_unigram(model, parsed);
  if (type == "WordLevel") return read_word_level(model, parsed);
  throw Error(ErrorCode::kUnsupported, quote_path(model.source()) + ": model " + quote(type) +
                                           " is not supported, expected WordPiece, BPE, Unigram or WordLevel");
}

}  // namespace bert
