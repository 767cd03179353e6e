#include "tokenizer/tokenizer_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "tokenizer/json_fields.h"
#include "tokenizer/tokenizer_json_parser.h"

namespace bert {
namespace {

using Kind = TemplatePiece::Kind;

[[noreturn]] void unsupported(const JsonObject& object, const std::string& what) {
  throw Error(ErrorCode::kUnsupported, quote(object.source) + ": " + object.where + " " + what + " is not supported");
}

std::string type_of(const JsonObject& object) { return object.check().required_string("type"); }

// The component `key` of the file; nullopt where it is null or absent.
std::optional<JsonObject> component(const JsonObject& file, const char* key) {
  const auto found = file.json.find(key);
  if (found == file.json.end() || found->is_null()) return std::nullopt;
  return file.required_object(key);
}

// The elements of a Sequence, each with its place in the file.
std::vector<JsonObject> elements(const JsonObject& sequence, const char* key) {
  const auto found = sequence.json.find(key);
  if (found == sequence.json.end() || !found->is_array()) sequence.refuse(key, "an array");
  std::vector<JsonObject> result;
  for (size_t i = 0; i < found->size(); ++i) {
    result.push_back({(*found)[i], sequence.source, sequence.name(key) + "[" + std::to_string(i) + "]"});
  }
  return result;
}

BertNormalizerFields read_bert_normalizer(const JsonObject& object) {
  return {object.bool_or("clean_text", true), object.bool_or("handle_chinese_chars", true),
          object.optional_bool("strip_accents"), object.bool_or("lowercase", true)};
}

Normalizer read_normalizer(const JsonObject& object);

// Elements one after the other are one Normalizer where their steps come in its order; lower case may stand anywhere.
Normalizer read_normalizer_sequence(const JsonObject& object) {
  Normalizer all;
  int last_step = -1;
  for (const JsonObject& element : elements(object, "normalizers")) {
    const Normalizer next = read_normalizer(element);
    const std::array<bool, 4> steps = {next.clean_text, next.split_cjk, next.decompose,
                                       next.strip_nonspacing || next.strip_marks};
    for (int step = 0; step < 4; ++step) {
      if (!steps[static_cast<size_t>(step)]) continue;
      if (step < last_step) unsupported(element, "in this order of normalizers");
      last_step = step;
    }
    all.clean_text |= next.clean_text;
    all.split_cjk |= next.split_cjk;
    all.decompose |= next.decompose;
    all.strip_nonspacing |= next.strip_nonspacing;
    all.strip_marks |= next.strip_marks;
    all.lowercase |= next.lowercase;
  }
  return all;
}

Normalizer read_normalizer(const JsonObject& object) {
  const std::string type = type_of(object);
  if (type == "BertNormalizer") {
    const BertNormalizerFields fields = read_bert_normalizer(object);
    return bert_normalizer(fields.clean_text, fields.split_cjk, fields.strip_accents, fields.lowercase);
  }
  if (type == "Lowercase") return {.lowercase = true};
  if (type == "NFD") return {.decompose = true};
  if (type == "StripAccents") return {.strip_marks = true};
  if (type == "Sequence") return read_normalizer_sequence(object);
  unsupported(object, quote(type));
}

PreTokenizer read_pre_tokenizer(const JsonObject& object) {
  const std::string type = type_of(object);
  if (type == "BertPreTokenizer") return kBertPreTokenizer;
  if (type == "WhitespaceSplit") return {.split_spaces = true};
  if (type == "Whitespace") return {.split_word_classes = true};
  if (type == "Punctuation") {
    const std::string behavior = object.optional_string("behavior").value_or("Isolated");
    if (behavior != "Isolated") unsupported(object, "'Punctuation' with behavior " + quote(behavior));
    return {.isolate_punctuation = true};
  }
  if (type != "Sequence") unsupported(object, quote(type));
  PreTokenizer all;
  for (const JsonObject& element : elements(object, "pretokenizers")) {
    const PreTokenizer next = read_pre_tokenizer(element);
    if (next.split_word_classes) unsupported(element, "'Whitespace' in a sequence");
    all.split_spaces |= next.split_spaces;
    all.isolate_punctuation |= next.isolate_punctuation;
  }
  return all;
}

int32_t read_id(const JsonObject& object, const char* key) {
  return static_cast<int32_t>(object.required_unsigned(key, INT32_MAX));
}

// ["[SEP]", 102]
int32_t read_token_pair(const JsonObject& object, const char* key) {
  const auto found = object.json.find(key);
  if (found == object.json.end() || !found->is_array() || found->size() != 2 || !(*found)[1].is_number_unsigned() ||
      (*found)[1].get<uint64_t>() > INT32_MAX) {
    object.refuse(key, "a token and its id");
  }
  return (*found)[1].get<int32_t>();
}

// The ids that a special token of a template stands for.
std::vector<int32_t> template_ids(const JsonObject& processor, const std::string& name) {
  const JsonObject token = processor.required_object("special_tokens").required_object(name);
  const auto ids = token.json.find("ids");
  if (ids == token.json.end() || !ids->is_array()) token.refuse("ids", "an array");
  std::vector<int32_t> result;
  for (const Json& id : *ids) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() > INT32_MAX) token.refuse("ids", "ids");
    result.push_back(id.get<int32_t>());
  }
  return result;
}

std::vector<TemplatePiece> read_template(const JsonObject& processor, const char* key) {
  std::vector<TemplatePiece> pieces;
  for (const JsonObject& piece : elements(processor, key)) {
    piece.check();
    const bool sequence = piece.has("Sequence");
    const JsonObject body = piece.required_object(sequence ? "Sequence" : "SpecialToken");
    const std::string name = body.required_string("id");
    const int32_t type_id = read_id(body, "type_id");
    if (sequence) {
      if (name != "A" && name != "B") body.refuse("id", "A or B");
      pieces.push_back({name == "A" ? Kind::kText : Kind::kPair, type_id});
      continue;
    }
    for (const int32_t id : template_ids(processor, name)) pieces.push_back({Kind::kToken, type_id, id});
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

PostProcessor read_post_processor(const JsonObject& object) {
  const std::string type = type_of(object);
  if (type == "BertProcessing") {
    return bert_template(read_token_pair(object, "cls"), read_token_pair(object, "sep"));
  }
  if (type == "TemplateProcessing") return {read_template(object, "single"), read_template(object, "pair")};
  if (type == "Sequence") {
    const auto processors = elements(object, "processors");
    if (processors.size() == 1) return read_post_processor(processors[0]);
  }
  unsupported(object, quote(type));
}

Decoder read_decoder(const JsonObject& object) {
  const std::string type = type_of(object);
  if (type != "WordPiece") unsupported(object, quote(type));
  return {true, object.required_string("prefix"), object.required_bool("cleanup")};
}

// A file of before 2020 names no type: the first that its fields fit, in the reference's order.
std::string model_type(const JsonObject& model) {
  if (const auto type = model.optional_string("type")) return *type;
  if (model.has("merges")) return "BPE";
  if (model.has("max_input_chars_per_word")) return "WordPiece";
  const auto vocab = model.json.find("vocab");
  return vocab != model.json.end() && vocab->is_array() ? "Unigram" : "WordLevel";
}

void read_model(const JsonObject& model, ParsedTokenizerJson& parsed, TokenizerSettings& settings) {
  const std::string type = model_type(model);
  if (type != "WordPiece") {
    throw Error(ErrorCode::kUnsupported,
                quote(model.source) + ": model " + quote(type) + " is not supported, expected WordPiece");
  }
  settings.model.unknown_token = model.required_string("unk_token");
  settings.model.continuing_prefix = model.required_string("continuing_subword_prefix");
  settings.model.max_chars_per_word = model.required_unsigned("max_input_chars_per_word", INT32_MAX);
  const JsonObject vocab = model.required_object("vocab");
  // The fast parser took the vocabulary out; what it left, it found strange.
  for (const auto& [token, id] : vocab.json.items()) {
    if (!id.is_number_unsigned()) vocab.refuse(token, "an id");
    parsed.vocabulary.emplace_back(token, id.get<uint64_t>());
  }
  settings.vocabulary = Vocabulary::from_pairs(parsed.vocabulary, model.source);
  if (!settings.vocabulary.id(settings.model.unknown_token)) {
    refuse_file(model.source, "the unknown token " + quote(settings.model.unknown_token) + " is not in the vocabulary");
  }
}

std::vector<ListedToken> read_listed_tokens(const JsonObject& file) {
  std::vector<ListedToken> tokens;
  if (!file.has("added_tokens")) return tokens;
  for (const JsonObject& element : elements(file, "added_tokens")) {
    tokens.push_back({read_added_token(element, false), element.required_unsigned("id", UINT32_MAX)});
  }
  // The reference adds them in the file's order, which is the order of the ids in every file it writes.
  return tokens;
}

void note_unapplied(const JsonObject& file, TokenizerJson& result) {
  std::string names;
  if (const auto truncation = component(file, "truncation")) {
    const auto length = truncation->json.find("max_length");
    names = "truncation (max_length " + (length == truncation->json.end() ? "missing" : json_excerpt(*length)) + ")";
  }
  if (const auto padding = component(file, "padding")) {
    names += names.empty() ? "padding" : " and padding";
    if (const auto token = padding->optional_string("pad_token")) result.pad_token = *token;
    if (padding->has("pad_id")) result.settings.pad_token.id = read_id(*padding, "pad_id");
    if (padding->has("pad_type_id")) result.settings.pad_token.type_id = read_id(*padding, "pad_type_id");
  }
  if (!names.empty()) {
    result.settings.notices.push_back(quote(file.source) + ": its own " + names +
                                      " is not applied; length and padding are the caller's");
  }
}

}  // namespace

TokenizerJson read_tokenizer_json(std::string_view text, std::string_view source) {
  ParsedTokenizerJson parsed = parse_tokenizer_json(text, source);
  const JsonObject file = JsonObject{parsed.json, source}.check();
  if (const auto version = file.optional_string("version"); version && *version != "1.0") file.refuse("version", "1.0");
  TokenizerJson result;
  TokenizerSettings& settings = result.settings;
  settings.source = source;
  read_model(file.required_object("model"), parsed, settings);
  if (const auto normalizer = component(file, "normalizer")) {
    settings.normalizer = read_normalizer(*normalizer);
    if (type_of(*normalizer) == "BertNormalizer") result.bert_normalizer = read_bert_normalizer(*normalizer);
  }
  if (const auto rules = component(file, "pre_tokenizer")) settings.pre_tokenizer = read_pre_tokenizer(*rules);
  if (const auto processor = component(file, "post_processor"))
    settings.post_processor = read_post_processor(*processor);
  settings.decoder.wordpiece = false;
  if (const auto decoder = component(file, "decoder")) settings.decoder = read_decoder(*decoder);
  result.added_tokens = read_listed_tokens(file);
  note_unapplied(file, result);
  return result;
}

}  // namespace bert
