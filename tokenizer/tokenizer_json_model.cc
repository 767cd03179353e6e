#include "tokenizer/tokenizer_json_model.h"

#include <cmath>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

// A file of before 2020 names no type: the first that its fields fit, in the reference's order.
std::string model_type(const JsonObject& model) {
  if (const auto type = model.optional_string("type")) return *type;
  if (model.has("merges")) return "BPE";
  if (model.has("max_input_chars_per_word")) return "WordPiece";
  const auto vocab = model.json.find("vocab");
  return vocab != model.json.end() && vocab->is_array() ? "Unigram" : "WordLevel";
}

JsonModel read_wordpiece(const JsonObject& model, ParsedTokenizerJson& parsed) {
  WordPieceSettings settings;
  settings.unknown_token = model.required_string("unk_token");
  settings.continuing_prefix = model.required_string("continuing_subword_prefix");
  settings.max_chars_per_word = model.required_unsigned("max_input_chars_per_word", INT32_MAX);
  JsonModel result{read_vocabulary(model.required_object("vocab"), parsed), settings};
  if (!result.vocabulary.id(settings.unknown_token)) {
    refuse_file(model.source, "the unknown token " + quote(settings.unknown_token) + " is not in the vocabulary");
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> read_merges(const JsonObject& model,
                                                             const ParsedTokenizerJson& parsed) {
  const auto found = model.json.find("merges");
  if (found == model.json.end() || !found->is_array()) model.refuse("merges", "an array");
  std::vector<std::pair<std::string, std::string>> merges(parsed.merges.begin(), parsed.merges.end());
  for (const Json& entry : *found) {
    if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
      merges.emplace_back(entry[0].get<std::string>(), entry[1].get<std::string>());
      continue;
    }
    const auto merge = split_merge(entry.is_string() ? entry.get<std::string_view>() : std::string_view());
    if (!merge) {
      refuse_file(model.source, model.name("merges") + "[" + std::to_string(merges.size()) + "]: found " +
                                    json_excerpt(entry) + ", expected two tokens");
    }
    merges.emplace_back(merge->first, merge->second);
  }
  return merges;
}

JsonModel read_bpe(const JsonObject& model, ParsedTokenizerJson& parsed) {
  const auto dropout = model.json.find("dropout");
  if (dropout != model.json.end() && !dropout->is_null() && *dropout != 0.0) {
    refuse_component(model, "with dropout " + json_excerpt(*dropout));
  }
  BpeSettings settings;
  settings.merges = read_merges(model, parsed);
  settings.unknown_token = model.optional_string("unk_token");
  settings.continuing_prefix = model.optional_string("continuing_subword_prefix").value_or("");
  settings.end_suffix = model.optional_string("end_of_word_suffix").value_or("");
  settings.fuse_unknown = model.bool_or("fuse_unk", false);
  settings.byte_fallback = model.bool_or("byte_fallback", false);
  settings.ignore_merges = model.bool_or("ignore_merges", false);
  return {read_vocabulary(model.required_object("vocab"), parsed), std::move(settings)};
}

JsonModel read_unigram(const JsonObject& model, ParsedTokenizerJson& parsed) {
  const auto vocab = model.json.find("vocab");
  if (vocab == model.json.end() || !vocab->is_array()) model.refuse("vocab", "an array of tokens and scores");
  for (size_t i = 0; i < vocab->size(); ++i) {
    const Json& entry = (*vocab)[i];
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number() ||
        !std::isfinite(entry[1].get<double>())) {
      refuse_file(model.source, model.name("vocab") + "[" + std::to_string(i) + "]: found " + json_excerpt(entry) +
                                    ", expected a token and its score");
    }
    parsed.scored_vocabulary.emplace_back(entry[0].get_ref<const std::string&>(), entry[1].get<double>());
  }
  if (parsed.scored_vocabulary.empty()) model.refuse("vocab", "at least one token");
  UnigramSettings settings;
  std::vector<std::string_view> tokens;
  for (const auto& [token, score] : parsed.scored_vocabulary) {
    tokens.push_back(token);
    settings.scores.push_back(score);
  }
  // Without one the reference fails on the first character that no token covers.
  settings.unknown_id = static_cast<int32_t>(model.required_unsigned("unk_id", tokens.size() - 1));
  settings.byte_fallback = model.bool_or("byte_fallback", false);
  return {Vocabulary::from_list(tokens, model.source), std::move(settings)};
}

}  // namespace

Vocabulary read_vocabulary(const JsonObject& vocab, ParsedTokenizerJson& parsed) {
  for (const auto& [token, id] : vocab.check().json.items()) {
    if (!id.is_number_unsigned()) vocab.refuse(token, "an id");
    parsed.vocabulary.emplace_back(token, id.get<uint64_t>());
  }
  return Vocabulary::from_pairs(parsed.vocabulary, vocab.source);
}

JsonModel read_model(const JsonObject& model, ParsedTokenizerJson& parsed) {
  const std::string type = model_type(model);
  if (type == "WordPiece") return read_wordpiece(model, parsed);
  if (type == "BPE") return read_bpe(model, parsed);
  if (type == "Unigram") return read_unigram(model, parsed);
  throw Error(ErrorCode::kUnsupported,
              quote(model.source) + ": model " + quote(type) + " is not supported, expected WordPiece, BPE or Unigram");
}

}  // namespace bert
