// The C interface's calls from texts to tokens, and back.
#include "bindings/c/c_api.h"
#include "engine/base/quote.h"
#include "models/pipeline/computation.h"

namespace bert::c_api {
namespace {

TokenizeOptions tokenize_options(const bert_tokenize_options* given) {
  const bert_tokenize_options known = known_part(given);
  static constexpr Truncation kTruncations[] = {Truncation::kLongestFirst, Truncation::kOnlyFirst,
                                                Truncation::kOnlySecond, Truncation::kError};
  TokenizeOptions options;
  options.max_length = known.max_length;
  options.truncation = kTruncations[index_of(known.truncation, std::size(kTruncations), "truncation")];
  options.add_special_tokens = known.without_special_tokens == 0;
  if (known.split_special_tokens != 0) options.split_special_tokens = known.split_special_tokens > 0;
  return options;
}

// Copies the text and a zero byte to the buffer. Throws TooSmall if there is no room; *bytes is the text's size.
void give_text(std::string_view text, char* buffer, size_t capacity, size_t* bytes) {
  if (bytes != nullptr) *bytes = text.size();
  check_room(buffer == nullptr ? 0 : capacity, text.size() + 1, "bytes of text");
  std::copy(text.begin(), text.end(), buffer);
  buffer[text.size()] = '\0';
}

const Tokenizer& tokenizer_of(const bert_tokenizer* tokenizer) { return *need(tokenizer, "tokenizer").tokenizer; }

}  // namespace
}  // namespace bert::c_api

using namespace bert;
using namespace bert::c_api;

bert_status bert_tokenize(const bert_tokenizer* handle, const char* text, size_t text_bytes, const char* pair,
                          size_t pair_bytes, const bert_tokenize_options* options, bert_tokens* tokens) {
  return guard([&] {
    need(tokens, "tokens");
    constexpr size_t kFirstBytes = offsetof(bert_tokens, truncated_tokens) + sizeof(size_t);
    const bert_tokens to = known_part(tokens, kFirstBytes);
    TokenizeOptions chosen = tokenize_options(options);
    const OffsetUnit unit = offset_unit(known_part(options).offset_unit);
    chosen.code_point_offsets = to.code_point_begins != nullptr || to.code_point_ends != nullptr;
    chosen.only_ids = !chosen.code_point_offsets && to.offset_begins == nullptr && to.offset_ends == nullptr &&
                      to.word_ids == nullptr && to.sequence_ids == nullptr;
    const std::string_view first = text_of(text, text_bytes, "text");
    const Tokenizer& tokenizer = tokenizer_of(handle);
    const std::string_view second = pair == nullptr ? "" : text_of(pair, pair_bytes, "pair");
    const Encoding encoding =
        pair == nullptr ? tokenizer.tokenize(first, chosen) : tokenizer.tokenize(first, second, chosen);
    tokens->size = encoding.size();
    tokens->truncated_tokens = encoding.truncated_tokens;
    if (to.struct_bytes >= offsetof(bert_tokens, code_point_begins)) {
      tokens->unknown_tokens = count_unknown(tokenizer, encoding);
    }
    check_room(to.capacity, encoding.size(), "tokens");
    copy_if_wanted(encoding.ids, to.ids);
    copy_if_wanted(encoding.type_ids, to.type_ids);
    copy_if_wanted(encoding.special_tokens_mask, to.special_tokens_mask);
    copy_if_wanted(encoding.word_ids, to.word_ids);
    copy_if_wanted(encoding.sequence_ids, to.sequence_ids);
    if (chosen.only_ids) return;
    const OffsetUnits in_text(first, unit), in_pair(second, unit);
    for (size_t i = 0; i < encoding.size(); ++i) {
      const OffsetUnits& units = encoding.sequence_ids[i] == 1 ? in_pair : in_text;
      if (to.offset_begins != nullptr) to.offset_begins[i] = units.before(encoding.offsets[i].begin);
      if (to.offset_ends != nullptr) to.offset_ends[i] = units.before(encoding.offsets[i].end);
      if (to.code_point_begins != nullptr) to.code_point_begins[i] = encoding.code_point_offsets[i].begin;
      if (to.code_point_ends != nullptr) to.code_point_ends[i] = encoding.code_point_offsets[i].end;
    }
  });
}

bert_status bert_token_text(const bert_tokenizer* handle, int32_t id, char* buffer, size_t capacity, size_t* bytes) {
  return guard([&] {
    const Tokenizer& tokenizer = tokenizer_of(handle);
    const std::string_view text = tokenizer.token(id);
    if (text.empty() && tokenizer.id("") != id) {  // a blank line of vocab.txt is a token with an empty text
      throw Error(ErrorCode::kNotFound, "no token has the id " + std::to_string(id));
    }
    give_text(text, buffer, capacity, bytes);
  });
}

bert_status bert_token_id(const bert_tokenizer* tokenizer, const char* token, size_t token_bytes, int32_t* id) {
  return guard([&] {
    need(id, "id");
    const std::string_view text = text_of(token, token_bytes, "token");
    const std::optional<int32_t> found = tokenizer_of(tokenizer).id(text);
    if (!found) throw Error(ErrorCode::kNotFound, "the vocabulary has no token " + quote(text));
    *id = *found;
  });
}

bert_status bert_decode(const bert_tokenizer* tokenizer, const int32_t* ids, size_t count, int skip_special_tokens,
                        char* buffer, size_t capacity, size_t* bytes) {
  return guard([&] {
    if (count > 0) need(ids, "ids");
    give_text(tokenizer_of(tokenizer).decode({ids, count}, skip_special_tokens != 0), buffer, capacity, bytes);
  });
}

bert_status bert_model_prompt(const bert_model* handle, const char* name, char* buffer, size_t capacity,
                              size_t* bytes) {
  return guard([&] {
    const Model& model = need(handle, "model").model;
    give_text(name == nullptr ? model.prompt() : model.prompt(name), buffer, capacity, bytes);
  });
}
