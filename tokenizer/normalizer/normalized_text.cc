#include "tokenizer/normalizer/normalized_text.h"

#include <utility>

#include "engine/base/utf8.h"

namespace bert {

void NormalizedText::append(char32_t c, Offset source) {
  append_utf8(bytes, c);
  sources.resize(bytes.size(), source);
}

void NormalizedText::append(const NormalizedText& text, TextRange range) {
  bytes.append(text.bytes, range.begin, range.end - range.begin);
  const auto from = text.sources.begin();
  sources.insert(sources.end(), from + static_cast<ptrdiff_t>(range.begin), from + static_cast<ptrdiff_t>(range.end));
}

NormalizedText NormalizedText::take(size_t end) {
  if (end == bytes.size()) {
    NormalizedText rest = without_bytes();
    std::swap(rest, *this);
    return rest;
  }
  NormalizedText taken = without_bytes();
  taken.append(*this, {0, end});
  bytes.erase(0, end);
  sources.erase(sources.begin(), sources.begin() + static_cast<ptrdiff_t>(end));
  return taken;
}

Offset NormalizedText::source(TextRange range) const {
  const auto at = [&](size_t i) { return Offset(sources[i]); };
  if (range.begin < range.end) return {at(range.begin).begin, at(range.end - 1).end};
  if (range.begin < sources.size()) return {at(range.begin).begin, at(range.begin).begin};
  return sources.empty() ? Offset{} : Offset{at(sources.size() - 1).end, at(sources.size() - 1).end};
}

void transform(NormalizedText& text, std::span<const CharChange> changes) {
  NormalizedText result = text.without_bytes();
  result.bytes.reserve(text.bytes.size());
  result.sources.reserve(text.bytes.size());
  size_t at = 0;  // position in the old bytes
  const auto skip = [&] {
    if (at < text.bytes.size()) at += decode_utf8(text.bytes, at).bytes;
  };
  for (const auto [c, change] : changes) {
    const bool inserted = change > 0 || at == text.bytes.size();
    const Offset start = {text.begin, text.begin};
    result.append(c, !inserted ? text.sources[at] : at > 0 ? text.sources[at - 1] : Source(start));
    if (change > 0) continue;
    for (int i = 0; i <= -change; ++i) skip();
  }
  text = std::move(result);
}

}  // namespace bert
