#include "tokenizer/normalizer/normalizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/utf8.h"
#include "tokenizer/model/byte_level.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

bool strips(const BertNormalizer& n) { return n.strip_nonspacing || n.strip_marks; }

// Returns the steps of a BertNormalizer in order, without lower case.
std::array<bool, 4> steps_of(const BertNormalizer& n) { return {n.clean_text, n.split_cjk, n.decompose, strips(n)}; }

bool is_one_pass(const BertNormalizer& first, const BertNormalizer& second) {
  // Lower case may run at any place. But if nothing decomposes U+0130, its lower case has a dot that `second` strips.
  if (first.lowercase && strips(second) && !first.decompose && !second.decompose) return false;
  if (first.split_cjk && second.split_cjk) return false;  // each would add its own spaces
  const auto before = steps_of(first), after = steps_of(second);
  for (size_t i = 0; i < before.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (before[i] && after[k]) return false;
    }
  }
  return true;
}

BertNormalizer joined(const BertNormalizer& a, const BertNormalizer& b) {
  return {.clean_text = a.clean_text || b.clean_text,
          .split_cjk = a.split_cjk || b.split_cjk,
          .decompose = a.decompose || b.decompose,
          .strip_nonspacing = a.strip_nonspacing || b.strip_nonspacing,
          .strip_marks = a.strip_marks || b.strip_marks,
          .lowercase = a.lowercase || b.lowercase};
}

template <typename Does>
bool any_pass(const std::vector<NormalizerStep>& steps, const Does& does) {
  return std::any_of(steps.begin(), steps.end(), [&](const NormalizerStep& step) {
    const BertNormalizer* const pass = std::get_if<BertNormalizer>(&step);
    return pass != nullptr && does(*pass);
  });
}

}  // namespace

void Normalizer::add(NormalizerStep step) {
  BertNormalizer* const last = std::get_if<BertNormalizer>(&steps_.back());
  const BertNormalizer* const next = std::get_if<BertNormalizer>(&step);
  if (last != nullptr && next != nullptr && is_one_pass(*last, *next)) {
    *last = joined(*last, *next);
    return;
  }
  if (last != nullptr && *last == BertNormalizer()) steps_.pop_back();
  steps_.push_back(std::move(step));
}

const BertNormalizer* Normalizer::single() const {
  return steps_.size() == 1 ? std::get_if<BertNormalizer>(&steps_[0]) : nullptr;
}

std::shared_ptr<const Charsmap> Normalizer::charsmap() const {
  for (const NormalizerStep& step : steps_) {
    if (const auto* const table = std::get_if<std::shared_ptr<const Charsmap>>(&step)) return *table;
  }
  return nullptr;
}

bool Normalizer::lowercases() const {
  return any_pass(steps_, [](const BertNormalizer& pass) { return pass.lowercase; });
}

bool Normalizer::strips_accents() const { return any_pass(steps_, strips); }

bool Normalizer::splits_ideographs() const {
  return any_pass(steps_, [](const BertNormalizer& pass) { return pass.split_cjk; });
}

void Normalizer::apply(NormalizedText& text) const {
  for (const NormalizerStep& step : steps_) {
    if (text.bytes.empty()) return;
    std::visit([&](const auto& one) { bert::apply(one, text); }, step);
  }
}

void apply(const BertNormalizer& normalizer, NormalizedText& text) {
  if (normalizer == BertNormalizer()) return;
  NormalizedText result = text.without_bytes();
  BertNormalizerStream stream(normalizer, result);
  for (size_t i = 0; i < text.bytes.size();) {
    const Utf8Char c = decode_utf8(text.bytes, i);
    stream.push(c.code_point, text.sources[i]);
    i += c.bytes;
  }
  stream.flush();
  text = std::move(result);
}

void apply(const Replacement& replacement, NormalizedText& text) {
  if (text.bytes.empty()) return;
  std::vector<TextRange> matches;
  replacement.pattern.find(text.bytes, matches);
  if (matches.empty()) return;
  NormalizedText result = text.without_bytes();
  size_t copied = 0;
  for (const TextRange& match : matches) {
    result.append(text, {copied, match.begin});
    copied = match.end;
    const Source source = match.end == 0 ? Source({text.begin, text.begin}) : text.sources[match.end - 1];
    for (size_t i = 0; i < replacement.content.size();) {
      const Utf8Char c = decode_utf8(replacement.content, i);
      result.append(c.code_point, source);
      i += c.bytes;
    }
  }
  result.append(text, {copied, text.bytes.size()});
  text = std::move(result);
}

void apply(const StrippedEnds& ends, NormalizedText& text) {
  size_t begin = 0, end = 0;  // begin and end of the kept text
  bool any = false;
  for (size_t i = 0; i < text.bytes.size();) {
    const Utf8Char c = decode_utf8(text.bytes, i);
    if (!unicode::is_space(c.code_point)) {
      if (!any) begin = i;
      any = true;
      end = i + c.bytes;
    }
    i += c.bytes;
  }
  if (!any) begin = ends.left || ends.right ? text.bytes.size() : 0;
  if (!ends.left && any) begin = 0;
  if (!ends.right || !any) end = text.bytes.size();
  if (begin == 0 && end == text.bytes.size()) return;
  NormalizedText result = text.without_bytes();
  result.append(text, {begin, end});
  text = std::move(result);
}

void apply(const Prepended& prepended, NormalizedText& text) {
  if (text.bytes.empty()) return;
  NormalizedText result = text.without_bytes();
  for (size_t i = 0; i < prepended.content.size();) {
    const Utf8Char c = decode_utf8(prepended.content, i);
    result.append(c.code_point, text.sources[0]);
    i += c.bytes;
  }
  result.append(text, {0, text.bytes.size()});
  text = std::move(result);
}

void apply(const ByteMapped&, NormalizedText& text) {
  NormalizedText result = text.without_bytes();
  result.bytes.reserve(text.bytes.size() + text.bytes.size() / 4);
  result.sources.reserve(result.bytes.capacity());
  for (size_t i = 0; i < text.bytes.size(); ++i) result.append(char_of_byte(text.bytes[i]), text.sources[i]);
  text = std::move(result);
}

namespace {

// This list was found by running the reference on each scalar value.
bool is_removed_control(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
}
bool becomes_space(char32_t c) {
  switch (c) {
    case 0x09:
    case 0x0A:
    case 0x0C:
    case 0x0D:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x2581:
    case 0xFEFF:
    case 0xFFFD:
      return true;
    default:
      return c >= 0x200B && c <= 0x200F;
  }
}

}  // namespace

void apply(const CleanedControls&, NormalizedText& text) {
  NormalizedText result = text.without_bytes();
  for (size_t i = 0; i < text.bytes.size();) {
    const Utf8Char c = decode_utf8(text.bytes, i);
    if (!is_removed_control(c.code_point)) {
      result.append(becomes_space(c.code_point) ? U' ' : c.code_point, text.sources[i]);
    }
    i += c.bytes;
  }
  text = std::move(result);
}

NormalizedText original_text(std::string_view text, size_t begin) {
  NormalizedText result;
  result.bytes = text;
  result.begin = begin;
  result.sources.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t bytes = decode_utf8(text, i).bytes;
    result.sources.insert(result.sources.end(), bytes, Offset{begin + i, begin + i + bytes});
    i += bytes;
  }
  return result;
}

}  // namespace bert
