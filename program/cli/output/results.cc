#include "program/cli/output/results.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "program/cli/output/console.h"

namespace bert::cli {
namespace {

std::vector<std::string> tokens_of(const Encoding& encoding, const Tokenizer& tokenizer) {
  std::vector<std::string> tokens;
  for (const int32_t id : encoding.ids) tokens.emplace_back(tokenizer.token(id));
  return tokens;
}

// Returns "id" in its best numpy type: an integer, or text for everything else.
Array id_array(const std::string& json) {
  const nlohmann::json id = nlohmann::json::parse(json);
  if (id.is_number_integer() && !(id.is_number_unsigned() && id.get<uint64_t>() > INT64_MAX)) {
    const int64_t value[] = {id.get<int64_t>()};
    return make_array("id", value, {});
  }
  const std::string text[] = {id.is_string() ? id.get<std::string>() : json};
  return make_array("id", text, {});
}

void add_offsets(JsonWriter& object, std::string_view name, const std::vector<Offset>& offsets) {
  append_list(object.member(name), offsets, [](std::string& text, const Offset& offset) {
    text += '[';
    append_number(text, offset.begin);
    text += ',';
    append_number(text, offset.end);
    text += ']';
  });
}

Array offsets_array(const char* name, const std::vector<Offset>& offsets) {
  std::vector<int64_t> numbers;
  for (const Offset& offset : offsets) {
    numbers.push_back(static_cast<int64_t>(offset.begin));
    numbers.push_back(static_cast<int64_t>(offset.end));
  }
  return make_array(name, std::span<const int64_t>(numbers), {offsets.size(), 2});
}

std::vector<size_t> attention_shape(const ModelConfig& config, size_t queries, size_t tokens) {
  return {config.attention_layers(), config.num_attention_heads, queries, tokens};
}

std::vector<Array> begin_arrays(const Sequence& sequence) {
  std::vector<Array> arrays;
  if (!sequence.source.id.empty()) arrays.push_back(id_array(sequence.source.id));
  if (sequence.input.window.has_value()) {
    const int64_t window[] = {static_cast<int64_t>(*sequence.input.window)};
    arrays.push_back(make_array("window", window, {}));
  }
  if (!sequence.positions.empty()) {
    const std::string positions[] = {sequence.positions};
    arrays.push_back(make_array("positions", positions, {}));
  }
  return arrays;
}

}  // namespace

void JsonResults::add(std::string object) {
  if (!is_document_) {
    output_.write(object += '\n');
  } else if (count_ == 0) {
    first_ = std::move(object);
  } else {
    if (first_.has_value()) {
      output_.write("[\n");
      output_.write(*first_);
      first_.reset();
    }
    output_.write(",\n");
    output_.write(object);
  }
  ++count_;
}

void JsonResults::finish() {
  if (!is_document_) return;
  if (first_.has_value()) output_.write(*first_ + "\n");
  if (count_ == 0) output_.write("[]\n");
  if (count_ > 1) output_.write("\n]\n");
}

JsonWriter begin_result(const ItemSource& source) {
  JsonWriter object;
  if (!source.id.empty()) object.member("id") += source.id;
  for (const KeptMember& kept : source.kept) object.member(kept.name) += kept.json;
  return object;
}

JsonWriter begin_result(const Sequence& sequence) {
  JsonWriter object = begin_result(sequence.source);
  if (sequence.input.window.has_value()) object.number("window", *sequence.input.window);
  if (!sequence.positions.empty()) object.string("positions", sequence.positions);
  return object;
}

std::string error_object(const Sequence& sequence) {
  JsonWriter object = begin_result(sequence);
  if (sequence.source.line > 0) object.number("line", sequence.source.line);
  if (!sequence.source.file.empty()) object.string("file", sequence.source.file);
  object.string("error", sequence.error->what());
  return object.take();
}

void add_token_counts(JsonWriter& object, const Sequence& sequence) {
  object.number("truncated_tokens", sequence.tokens.encoding.truncated_tokens);
  object.number("unknown_tokens", sequence.tokens.unknown_tokens);
}

void add_offset_unit(JsonWriter& object, const Sequence& sequence) {
  if (sequence.units != nullptr) object.string("offset_unit", name(sequence.units->unit()));
}

void add_encoding(JsonWriter& object, const Sequence& sequence, const Model& model) {
  add_encoding(object, sequence, model.has_tokenizer() ? &model.tokenizer() : nullptr);
}

void add_encoding(JsonWriter& object, const Sequence& sequence, const Tokenizer* tokenizer) {
  const Encoding& encoding = sequence.tokens.encoding;
  if (tokenizer != nullptr) {
    append_list(object.member("tokens"), encoding.ids,
                [&](std::string& text, int32_t id) { append_string(text, tokenizer->token(id)); });
  }
  object.numbers<int32_t>("ids", encoding.ids);
  object.numbers<int32_t>("type_ids", encoding.type_ids);
  if (!sequence.tokens.from_text) {
    object.numbers<uint8_t>("attention_mask", std::vector<uint8_t>(encoding.size(), 1));
    return;
  }
  object.numbers<uint8_t>("attention_mask", encoding.attention_mask);
  object.numbers<uint8_t>("special_tokens_mask", encoding.special_tokens_mask);
  append_list(object.member("word_ids"), encoding.word_ids, [](std::string& text, int32_t word) {
    if (word == kNoWord) {
      text += "null";
    } else {
      append_number(text, word);
    }
  });
  if (sequence.units != nullptr) {
    add_offsets(object, "offsets", sequence.units->offsets(encoding));
    add_offset_unit(object, sequence);
  } else {
    add_offsets(object, "offsets", encoding.offsets);
    add_offsets(object, "code_point_offsets", encoding.code_point_offsets);
  }
  add_token_counts(object, sequence);
}

std::vector<Array> encoding_arrays(const Sequence& sequence, const Model& model) {
  const Encoding& encoding = sequence.tokens.encoding;
  const size_t tokens = encoding.size();
  std::vector<Array> arrays = begin_arrays(sequence);
  if (model.has_tokenizer()) {
    arrays.push_back(make_array("tokens", tokens_of(encoding, model.tokenizer()), {tokens}));
  }
  arrays.push_back(make_array("ids", std::span<const int32_t>(encoding.ids), {tokens}));
  arrays.push_back(make_array("type_ids", std::span<const int32_t>(encoding.type_ids), {tokens}));
  const std::vector<uint8_t> ones(tokens, 1);
  arrays.push_back(make_array("attention_mask", sequence.tokens.from_text ? encoding.attention_mask : ones, {tokens}));
  if (!sequence.tokens.from_text) return arrays;
  arrays.push_back(make_array("special_tokens_mask", std::span<const uint8_t>(encoding.special_tokens_mask), {tokens}));
  arrays.push_back(make_array("word_ids", std::span<const int32_t>(encoding.word_ids), {tokens}));
  if (sequence.units != nullptr) {
    arrays.push_back(offsets_array("offsets", sequence.units->offsets(encoding)));
    const std::string unit[] = {std::string(name(sequence.units->unit()))};
    arrays.push_back(make_array("offset_unit", unit, {}));
  } else {
    arrays.push_back(offsets_array("offsets", encoding.offsets));
    arrays.push_back(offsets_array("code_point_offsets", encoding.code_point_offsets));
  }
  const auto count = [&](const char* name, size_t value) {
    const int64_t number[] = {static_cast<int64_t>(value)};
    arrays.push_back(make_array(name, number, {}));
  };
  count("truncated_tokens", encoding.truncated_tokens);
  count("unknown_tokens", sequence.tokens.unknown_tokens);
  return arrays;
}

void add_attentions(JsonWriter& object, std::span<const float> weights, const ModelConfig& config, size_t queries,
                    size_t tokens) {
  append_tensor(object.member("attentions"), weights, attention_shape(config, queries, tokens));
}

Array attentions_array(std::span<const float> weights, const ModelConfig& config, size_t queries, size_t tokens) {
  return make_array("attentions", weights, attention_shape(config, queries, tokens));
}

std::vector<Array> error_arrays(const Sequence& sequence) {
  std::vector<Array> arrays = begin_arrays(sequence);
  if (sequence.source.line > 0) {
    const int64_t line[] = {static_cast<int64_t>(sequence.source.line)};
    arrays.push_back(make_array("line", line, {}));
  }
  const std::string error[] = {sequence.error->what()};
  arrays.push_back(make_array("error", error, {}));
  return arrays;
}

std::string result_title(const Sequence& sequence) {
  const ItemSource& source = sequence.source;
  std::string title = place_of(source);
  if (!source.id.empty()) title += ", id " + one_line(source.id);
  if (sequence.input.window.has_value()) title += ", window " + std::to_string(*sequence.input.window);
  return title;
}

}  // namespace bert::cli
