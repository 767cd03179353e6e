#include "tokenizer/post_processor/post_processor.h"

#include <algorithm>
#include <string>

#include "bert/error.h"

namespace bert {
namespace {

constexpr size_t kMaxPaddedTokens = size_t{1} << 30;

}  // namespace

PostProcessor family_template(TemplateKind kind, int32_t classifier, int32_t separator) {
  using Kind = TemplatePiece::Kind;
  const int32_t pair_type = kind == TemplateKind::kBert ? 1 : 0;
  PostProcessor result;
  if (kind == TemplateKind::kEnds) {
    result.single = {{Kind::kText, 0}, {Kind::kToken, 0, separator}};
    result.pair = {{Kind::kText, 0}, {Kind::kToken, 0, separator}, {Kind::kPair, 0}, {Kind::kToken, 0, separator}};
    return result;
  }
  result.single = {{Kind::kToken, 0, classifier}, {Kind::kText, 0}, {Kind::kToken, 0, separator}};
  result.pair = result.single;
  if (kind != TemplateKind::kBert) result.pair.push_back({Kind::kToken, 0, separator});
  result.pair.push_back({Kind::kPair, pair_type});
  result.pair.push_back({Kind::kToken, pair_type, separator});
  return result;
}

PostProcessor PostProcessor::without_special_tokens() const {
  PostProcessor plain = *this;
  const auto is_special = [](const TemplatePiece& piece) { return piece.kind == TemplatePiece::Kind::kToken; };
  std::erase_if(plain.single, is_special);
  std::erase_if(plain.pair, is_special);
  return plain;
}

PostProcessor PostProcessor::without_segments() const {
  PostProcessor plain = *this;
  for (std::vector<TemplatePiece>* const pieces : {&plain.single, &plain.pair}) {
    for (TemplatePiece& piece : *pieces) piece.type_id = 0;
  }
  return plain;
}

size_t PostProcessor::added_tokens(bool with_pair) const {
  const auto& pieces = with_pair ? pair : single;
  return static_cast<size_t>(std::count_if(pieces.begin(), pieces.end(), [](const TemplatePiece& piece) {
    return piece.kind == TemplatePiece::Kind::kToken;
  }));
}

Encoding PostProcessor::assemble(const TokenColumns& text, const std::optional<TokenColumns>& second,
                                 bool add_special_tokens) const {
  const size_t added = add_special_tokens ? added_tokens(second.has_value()) : 0;
  const size_t size = text.size() + (second ? second->size() : 0) + added;
  const bool only_ids = text.only_ids;
  Encoding result;
  result.ids.reserve(size);
  result.type_ids.resize(size);
  result.attention_mask.resize(size, 1);
  result.special_tokens_mask.resize(size);
  if (!only_ids) {
    result.offsets.reserve(size);
    result.word_ids.reserve(size);
    result.sequence_ids.resize(size, kNoSequence);
  }
  const auto append = [](auto& values, const auto& more) { values.insert(values.end(), more.begin(), more.end()); };
  for (const TemplatePiece& piece : second ? pair : single) {
    const size_t at = result.ids.size();
    if (piece.kind == TemplatePiece::Kind::kToken) {
      if (!add_special_tokens) continue;
      result.ids.push_back(piece.id);
      result.type_ids[at] = piece.type_id;
      result.special_tokens_mask[at] = 1;
      if (only_ids) continue;
      result.offsets.emplace_back();
      result.word_ids.push_back(kNoWord);
      continue;
    }
    const bool is_text = piece.kind == TemplatePiece::Kind::kText;
    const TokenColumns tokens = is_text ? text : second.value_or(TokenColumns());
    append(result.ids, tokens.ids);
    if (piece.type_id != 0) std::fill_n(result.type_ids.data() + at, tokens.size(), piece.type_id);
    if (only_ids) continue;
    append(result.offsets, tokens.sources);
    append(result.word_ids, tokens.words);
    std::fill_n(result.sequence_ids.data() + at, tokens.size(), is_text ? 0 : 1);
  }
  return result;
}

size_t padded_length(const Padding& padding, size_t size) {
  for (const size_t asked : {padding.length, padding.multiple_of}) {
    if (asked <= kMaxPaddedTokens) continue;
    throw Error(ErrorCode::kInvalidArgument, "padding to " + std::to_string(asked) +
                                                 " tokens requested, expected at most " +
                                                 std::to_string(kMaxPaddedTokens));
  }
  size_t length = padding.length == 0 ? size : padding.length;
  if (padding.multiple_of > 1 && length % padding.multiple_of != 0) {
    length += padding.multiple_of - length % padding.multiple_of;
  }
  return length;
}

void pad(Encoding& encoding, size_t length, Direction direction, const PadToken& token, bool only_ids) {
  if (encoding.size() >= length) return;
  const size_t count = length - encoding.size();
  const auto fill = [&](auto& values, auto value) {
    values.insert(direction == Direction::kRight ? values.end() : values.begin(), count, value);
  };
  fill(encoding.ids, token.id);
  fill(encoding.type_ids, token.type_id);
  fill(encoding.attention_mask, uint8_t{0});
  fill(encoding.special_tokens_mask, uint8_t{1});
  if (only_ids) return;
  fill(encoding.offsets, Offset{});
  if (!encoding.code_point_offsets.empty()) fill(encoding.code_point_offsets, Offset{});
  fill(encoding.word_ids, kNoWord);
  fill(encoding.sequence_ids, kNoSequence);
}

}  // namespace bert
