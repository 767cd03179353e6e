#include "tokenizer/model/vocabulary.h"

#include <algorithm>
#include <cstring>

#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {

namespace {

// config.json allows vocabularies up to 2^24; this limits the memory.
constexpr uint64_t kMaxVocabulary = 1u << 24;

void check_token(std::string_view token, uint64_t id, std::string_view source) {
  if (id >= kMaxVocabulary) {
    refuse_file(source, "token " + quote(token) + " has id " + std::to_string(id) + ", expected less than " +
                            std::to_string(kMaxVocabulary));
  }
  if (token.size() > StringTable::kMaxLength) {
    refuse_file(source, "token " + quote(token) + " has " + std::to_string(token.size()) + " bytes, expected at most " +
                            std::to_string(StringTable::kMaxLength));
  }
}

// Returns the length without the white space at the end. line: valid UTF-8.
size_t length_without_space(std::string_view line) {
  size_t end = line.size();
  while (end > 0) {
    size_t begin = end - 1;
    while ((static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80) --begin;
    if (!unicode::is_space(decode_utf8(line, begin).code_point)) break;
    end = begin;
  }
  return end;
}

}  // namespace

Vocabulary Vocabulary::from_lines(std::string_view text, std::string_view source) {
  if (const auto position = find_invalid_utf8(text)) {
    refuse_file(source, "not valid UTF-8 at byte " + std::to_string(*position));
  }
  Vocabulary result;
  result.arena_.assign(text.begin(), text.end());
  result.arena_.push_back('\0');  // gives a blank line at the end an address
  const char* line = result.arena_.data();
  const char* const end = line + text.size();
  const size_t lines = static_cast<size_t>(std::count(line, end, '\n')) + 1;
  if (lines > kMaxVocabulary) refuse_file(source, "more than " + std::to_string(kMaxVocabulary) + " lines");
  result.tokens_.reserve(lines);
  result.table_.reset(lines);
  while (line < end) {
    const void* found = std::memchr(line, '\n', static_cast<size_t>(end - line));
    const char* const next = found == nullptr ? end : static_cast<const char*>(found);
    size_t length = static_cast<size_t>(next - line);
    length = length_without_space({line, length});
    if (length > StringTable::kMaxLength) {
      refuse_file(source, "line " + std::to_string(result.tokens_.size() + 1) + " has " + std::to_string(length) +
                              " bytes, expected at most " + std::to_string(StringTable::kMaxLength));
    }
    const std::string_view token(line, length);
    const int32_t earlier = result.table_.insert(token, static_cast<int32_t>(result.tokens_.size()));
    if (earlier != StringTable::kAbsent) result.tokens_[static_cast<size_t>(earlier)] = {};
    result.tokens_.push_back(token);
    line = next + 1;
  }
  result.size_ = result.table_.size();
  return result;
}

void Vocabulary::reserve(size_t count, size_t bytes, size_t id_end) {
  arena_.resize(bytes + 1);  // gives an empty token an address
  tokens_.resize(id_end);
  table_.reset(count);
}

int32_t Vocabulary::place(std::string_view token, size_t id) {
  char* const begin = arena_.data() + used_;
  std::copy(token.begin(), token.end(), begin);
  used_ += token.size();
  ++size_;
  tokens_[id] = {begin, token.size()};
  return table_.insert(tokens_[id], static_cast<int32_t>(id));
}

Vocabulary Vocabulary::from_pairs(const std::vector<std::pair<std::string_view, uint64_t>>& tokens,
                                  std::string_view source) {
  size_t bytes = 0;
  uint64_t id_end = 0;
  for (const auto& [token, id] : tokens) {
    check_token(token, id, source);
    bytes += token.size();
    id_end = std::max(id_end, id + 1);
  }
  Vocabulary result;
  result.reserve(tokens.size(), bytes, id_end);
  for (const auto& [token, id] : tokens) {
    if (result.has(static_cast<int32_t>(id))) {
      refuse_file(source,
                  "id " + std::to_string(id) + " belongs to " + quote(result.tokens_[id]) + " and to " + quote(token));
    }
    if (result.place(token, id) != StringTable::kAbsent) refuse_file(source, "duplicate key " + quote(token));
  }
  return result;
}

Vocabulary Vocabulary::from_list(const std::vector<std::string_view>& tokens, std::string_view source) {
  size_t bytes = 0;
  for (size_t id = 0; id < tokens.size(); ++id) {
    check_token(tokens[id], id, source);
    bytes += tokens[id].size();
  }
  Vocabulary result;
  result.reserve(tokens.size(), bytes, tokens.size());
  for (size_t id = 0; id < tokens.size(); ++id) result.place(tokens[id], id);
  return result;
}

std::optional<int32_t> Vocabulary::id(std::string_view token) const {
  const int32_t id = table_.find(token);
  return id == StringTable::kAbsent ? std::nullopt : std::optional(id);
}

std::string_view Vocabulary::token(int32_t id) const {
  return has(id) ? tokens_[static_cast<size_t>(id)] : std::string_view();
}

}  // namespace bert
