#include "tokenizer/normalizer/normalizer_stream.h"

#include <utility>
#include <variant>

#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

// The most bytes that a step reads after a cut: a cluster that a Charsmap looks up, and the next character.
constexpr size_t kLookAhead = 16;

// may_cut(step, text, at): whether the step treats both parts as in the whole text, whatever comes later.

// Characters that are reordered with those before them have a combining class.
bool may_cut(const BertNormalizer& steps, std::string_view text, size_t at) {
  if (!steps.decompose) return true;
  char32_t parts[unicode::kMaxDecomposition];
  unicode::decompose(decode_utf8(text, at).code_point, parts);
  return unicode::combining_class(parts[0]) == 0;
}

// Starters that compose with the character before them extend that character's grapheme cluster.
bool may_cut(const NormalForm&, std::string_view text, size_t at) {
  using enum ClusterClass;
  char32_t parts[unicode::kMaxCompatibility];
  unicode::decompose_compatibility(decode_utf8(text, at).code_point, parts);
  const ClusterClass cluster = unicode::cluster_class(parts[0]);
  return unicode::combining_class(parts[0]) == 0 && cluster != kJoining && cluster != kVowel && cluster != kTrailing;
}

bool may_cut(const Replacement& replacement, std::string_view text, size_t at) {
  return replacement.pattern.may_cut(text, at);
}

// White space at an end must be in one piece with the character that ends it.
bool may_cut(const StrippedEnds&, std::string_view text, size_t at) {
  return !unicode::is_space(decode_utf8(text, character_start(text, at - 1)).code_point);
}

bool may_cut(const Prepended&, std::string_view, size_t) { return true; }
bool may_cut(const ByteMapped&, std::string_view, size_t) { return true; }
bool may_cut(const CleanedControls&, std::string_view, size_t) { return true; }

bool may_cut(const std::shared_ptr<const Charsmap>& charsmap, std::string_view text, size_t at) {
  return charsmap->may_cut(text, at);
}

// Applies a step to a part of its text.
template <typename Rules>
void apply_to_part(const Rules& rules, bool, bool, NormalizedText& part) {
  apply(rules, part);
}

void apply_to_part(const StrippedEnds& ends, bool first, bool last, NormalizedText& part) {
  apply(StrippedEnds{.left = ends.left && first, .right = ends.right && last}, part);
}

void apply_to_part(const Prepended& prepended, bool first, bool, NormalizedText& part) {
  if (first) apply(prepended, part);
}

}  // namespace

void WaitingText::append(NormalizedText piece) {
  if (text_.bytes.empty()) {
    piece.begin = text_.begin;
    text_ = std::move(piece);
  } else {
    text_.append(piece, {0, piece.bytes.size()});
  }
}

NormalizerStream::NormalizerStream(const Normalizer& normalizer, size_t begin)
    : normalizer_(normalizer), steps_(normalizer.steps().size(), Step{WaitingText(begin)}) {}

size_t NormalizerStream::last_cut(const NormalizerStep& rules, const Step& step) {
  const std::string_view text = step.waiting.bytes();
  if (text.size() <= kLookAhead) return 0;
  return std::visit(
      [&]<typename Rules>(const Rules& one) {
        if constexpr (std::is_same_v<Rules, std::shared_ptr<const Charsmap>>) {
          if (!step.begun && one->removes_beginning(text)) return size_t{0};
        }
        return find_last_cut(text, text.size() - kLookAhead, [&](size_t at) { return may_cut(one, text, at); });
      },
      rules);
}

NormalizedText NormalizerStream::push(NormalizedText piece, bool last) {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const NormalizerStep& rules = normalizer_.steps()[i];
    Step& step = steps_[i];
    step.waiting.append(std::move(piece));
    piece = step.waiting.take(last, [&] { return last_cut(rules, step); });
    if (piece.bytes.empty()) continue;
    std::visit([&](const auto& one) { apply_to_part(one, !step.begun, last, piece); }, rules);
    step.begun = true;
  }
  return piece;
}

}  // namespace bert
