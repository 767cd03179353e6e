#include "tokenizer/pre_tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/utf8.h"
#include "tokenizer/model/byte_level.h"
#include "tokenizer/pattern/byte_level_words.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

std::string utf8(char32_t c) {
  std::string text;
  append_utf8(text, c);
  return text;
}

// Splits each word: split(word, words) appends the word's parts; empty parts are dropped.
template <typename Splitter>
void split_each(SplitText& text, const Splitter& split) {
  std::vector<TextRange> words;
  words.reserve(text.words.size());
  for (const TextRange& word : text.words) split(word, words);
  text.words = std::move(words);
}

// Inserts `first` before each word that does not begin with it, if `wanted` accepts the word's source.
template <typename Wanted>
void prepend(SplitText& text, const std::string& first, const Wanted& wanted) {
  SplitText result;
  result.text.bytes.reserve(text.text.bytes.size() + first.size());
  result.text.sources.reserve(result.text.bytes.capacity());
  for (const TextRange& word : text.words) {
    const size_t begin = result.text.bytes.size();
    const Offset source = text.text.sources[word.begin];
    if (!std::string_view(text.text.bytes).substr(word.begin).starts_with(first) && wanted(source)) {
      result.text.bytes += first;
      result.text.sources.resize(result.text.bytes.size(), source);
    }
    result.text.append(text.text, word);
    result.words.push_back({begin, result.text.bytes.size()});
  }
  text = std::move(result);
}

// A part of a word: a match, or the text between two matches.
struct Part {
  TextRange range;
  bool matches;
};

// Joins neighbouring parts as the behavior says; the order stays.
std::vector<Part> joined(const std::vector<Part>& parts, SplitBehavior behavior) {
  const bool backwards = behavior == SplitBehavior::kMergedWithNext;
  std::vector<Part> result;
  bool previous = false;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[backwards ? parts.size() - 1 - i : i];
    const bool joins = behavior == SplitBehavior::kContiguous ? part.matches == previous : part.matches && !previous;
    previous = part.matches;
    if (result.empty() || !joins) {
      result.push_back(part);
    } else if (backwards) {
      result.back().range.begin = part.range.begin;
    } else {
      result.back().range.end = part.range.end;
    }
  }
  if (backwards) std::reverse(result.begin(), result.end());
  return result;
}

// Splits a word at its matches, whose ranges are relative to `begin`.
void cut_at_matches(TextRange word, size_t begin, const std::vector<TextRange>& matches, SplitBehavior behavior,
                    bool invert, std::vector<TextRange>& words) {
  std::vector<Part> parts;
  size_t at = word.begin;
  for (const TextRange& match : matches) {
    const TextRange range = {begin + match.begin, begin + match.end};
    if (at < range.begin) parts.push_back({{at, range.begin}, invert});
    parts.push_back({range, !invert});
    at = range.end;
  }
  if (at < word.end) parts.push_back({{at, word.end}, invert});
  const bool joins = behavior != SplitBehavior::kRemoved && behavior != SplitBehavior::kIsolated;
  for (const Part& part : joins ? joined(parts, behavior) : parts) {
    const bool removed = behavior == SplitBehavior::kRemoved && part.matches;
    if (!removed && part.range.begin < part.range.end) words.push_back(part.range);
  }
}

}  // namespace

void apply(const PatternSplit& rules, SplitText& text) {
  std::vector<TextRange> matches;
  split_each(text, [&](TextRange word, std::vector<TextRange>& words) {
    if (word.begin == word.end) return;
    matches.clear();
    const std::string_view bytes = std::string_view(text.text.bytes).substr(word.begin, word.end - word.begin);
    rules.pattern.find(bytes, matches);
    cut_at_matches(word, word.begin, matches, rules.behavior, rules.invert, words);
  });
}

void apply(const PunctuationSplit& rules, SplitText& text) {
  std::vector<TextRange> matches;
  split_each(text, [&](TextRange word, std::vector<TextRange>& words) {
    matches.clear();
    for (size_t i = word.begin; i < word.end;) {
      const Utf8Char c = decode_utf8(text.text.bytes, i);
      if (unicode::properties(c.code_point) & unicode::kPunctuation) matches.push_back({i, i + c.bytes});
      i += c.bytes;
    }
    cut_at_matches(word, 0, matches, rules.behavior, false, words);
  });
}

void apply(const BertSplitRules& rules, SplitText& text) {
  if (rules == BertSplitRules()) return;
  split_each(text, [&](TextRange word, std::vector<TextRange>& words) {
    CharRole role = CharRole::kSpace;
    size_t begin = word.begin;
    const auto end_word = [&](size_t end) {
      if (role != CharRole::kSpace && begin < end) words.push_back({begin, end});
      begin = end;
    };
    for (size_t i = word.begin; i < word.end;) {
      const Utf8Char c = decode_utf8(text.text.bytes, i);
      const CharRole next = char_role(rules, c.code_point, unicode::properties(c.code_point));
      if (next != role || next == CharRole::kAlone) end_word(i);
      role = next;
      i += c.bytes;
    }
    end_word(word.end);
  });
}

void apply(const Metaspace& rules, SplitText& text) {
  const std::string mark = utf8(rules.mark);
  SplitText marked;
  for (const TextRange& word : text.words) {
    const size_t begin = marked.text.bytes.size();
    for (size_t i = word.begin; i < word.end;) {
      size_t end = i;
      while (end < word.end && text.text.bytes[end] != ' ') ++end;
      marked.text.append(text.text, {i, end});
      i = end;
      if (i < word.end) marked.text.append(rules.mark, text.text.sources[i++]);
    }
    marked.words.push_back({begin, marked.text.bytes.size()});
  }
  text = std::move(marked);
  if (rules.prepend != Metaspace::Prepend::kNever) {
    prepend(text, mark,
            [&](Offset source) { return rules.prepend == Metaspace::Prepend::kAlways || source.begin == 0; });
  }
  if (!rules.split) return;
  split_each(text, [&](TextRange word, std::vector<TextRange>& words) {
    size_t begin = word.begin;
    for (size_t i = text.text.bytes.find(mark, begin + 1); i < word.end; i = text.text.bytes.find(mark, i + 1)) {
      words.push_back({begin, i});
      begin = i;
    }
    words.push_back({begin, word.end});
  });
}

void apply(const ByteLevel& rules, SplitText& text) {
  if (rules.add_prefix_space) prepend(text, " ", [](Offset) { return true; });
  if (rules.split) {
    split_each(text,
               [&](TextRange word, std::vector<TextRange>& words) { append_gpt2_words(text.text.bytes, word, words); });
  }
  SplitText mapped;
  mapped.text.bytes.reserve(text.text.bytes.size() + text.text.bytes.size() / 4);
  mapped.text.sources.reserve(mapped.text.bytes.capacity());
  mapped.words.reserve(text.words.size());
  for (const TextRange& word : text.words) {
    const size_t begin = mapped.text.bytes.size();
    for (size_t i = word.begin; i < word.end; ++i) {
      mapped.text.append(char_of_byte(text.text.bytes[i]), text.text.sources[i]);
    }
    // As in the reference, a word that was inserted before the text is not changed.
    if (const Offset source = text.text.source(word); source.begin == source.end) mapped.text.append(text.text, word);
    mapped.words.push_back({begin, mapped.text.bytes.size()});
  }
  text = std::move(mapped);
}

void apply(const DigitSplit& rules, SplitText& text) {
  split_each(text, [&](TextRange word, std::vector<TextRange>& words) {
    bool number = false;
    size_t begin = word.begin;
    for (size_t i = word.begin; i < word.end;) {
      const Utf8Char c = decode_utf8(text.text.bytes, i);
      const bool next = unicode::is_number(c.code_point);
      if (i > begin && (next != number || (next && rules.individual))) {
        words.push_back({begin, i});
        begin = i;
      }
      number = next;
      i += c.bytes;
    }
    words.push_back({begin, word.end});
  });
}

void apply(const ScriptSplit&, SplitText& text) {
  split_each(text, [&](TextRange word, std::vector<TextRange>& words) {
    uint8_t script = 0;
    size_t begin = word.begin;
    for (size_t i = word.begin; i < word.end;) {
      const Utf8Char c = decode_utf8(text.text.bytes, i);
      const uint8_t next = unicode::script(c.code_point);
      if (next != 0 && next != script) {
        if (script != 0) words.push_back({begin, i});
        script = next;
        begin = i;
      }
      i += c.bytes;
    }
    if (script != 0) words.push_back({begin, word.end});
  });
}

void apply(const FixedLengthSplit& rules, SplitText& text) {
  split_each(text, [&](TextRange word, std::vector<TextRange>& words) {
    size_t characters = 0, begin = word.begin;
    for (size_t i = word.begin; i < word.end; ++characters) {
      if (characters == rules.characters) {
        words.push_back({begin, i});
        begin = i;
        characters = 0;
      }
      i += decode_utf8(text.text.bytes, i).bytes;
    }
    if (begin < word.end) words.push_back({begin, word.end});
  });
}

void PreTokenizer::add(PreTokenizerStep step) {
  BertSplitRules* const last = std::get_if<BertSplitRules>(&steps_.back());
  const BertSplitRules* const next = std::get_if<BertSplitRules>(&step);
  const bool first = last != nullptr && *last == BertSplitRules();
  if (last != nullptr && next != nullptr && (first || (!last->split_word_classes && !next->split_word_classes))) {
    last->split_spaces |= next->split_spaces;
    last->isolate_punctuation |= next->isolate_punctuation;
    last->split_word_classes |= next->split_word_classes;
    return;
  }
  if (first) steps_.pop_back();
  steps_.push_back(std::move(step));
}

const BertSplitRules* PreTokenizer::single() const {
  return steps_.size() == 1 ? std::get_if<BertSplitRules>(&steps_[0]) : nullptr;
}

ByteLevel* PreTokenizer::byte_level() {
  for (PreTokenizerStep& step : steps_) {
    if (auto* rules = std::get_if<ByteLevel>(&step)) return rules;
  }
  return nullptr;
}

namespace {

// What a step does between two characters, whatever surrounds them. kLocal: there may be one word or two, and both
// parts are split as in the whole text.
enum class Between : uint8_t { kSplit, kLocal, kUnknown };

Between between(const BertSplitRules& rules, char32_t before, char32_t after) {
  const CharRole role = char_role(rules, after, unicode::properties(after));
  const bool same = role == char_role(rules, before, unicode::properties(before));
  return same && role != CharRole::kAlone ? Between::kLocal : Between::kSplit;
}

Between between(const Metaspace& rules, char32_t, char32_t after) {
  return rules.split && (after == ' ' || after == rules.mark) ? Between::kSplit : Between::kUnknown;
}

Between between(const ByteLevel& rules, char32_t before, char32_t after) {
  const bool splits = rules.split && ends_gpt2_word(before, after) && (!rules.add_prefix_space || after == ' ');
  return splits ? Between::kSplit : Between::kUnknown;
}

Between between(const DigitSplit& rules, char32_t before, char32_t after) {
  const bool number = unicode::is_number(after);
  return number != unicode::is_number(before) || (number && rules.individual) ? Between::kSplit : Between::kLocal;
}

Between between(const PatternSplit& rules, char32_t before, char32_t after) {
  const EndsWord ends_word = rules.pattern.ends_word();
  const bool isolates = ends_word != nullptr && rules.behavior == SplitBehavior::kIsolated && !rules.invert;
  return isolates && ends_word(before, after) ? Between::kSplit : Between::kUnknown;
}

Between between(const PunctuationSplit&, char32_t before, char32_t after) {
  const auto is_punctuation = [](char32_t c) { return (unicode::properties(c) & unicode::kPunctuation) != 0; };
  return is_punctuation(before) || is_punctuation(after) ? Between::kUnknown : Between::kLocal;
}

Between between(const ScriptSplit&, char32_t before, char32_t after) {
  const uint8_t first = unicode::script(before), second = unicode::script(after);
  if (first == 0 || second == 0) return Between::kUnknown;
  return first == second ? Between::kLocal : Between::kSplit;
}

Between between(const FixedLengthSplit& rules, char32_t, char32_t) {
  return rules.characters == 1 ? Between::kSplit : Between::kUnknown;
}

}  // namespace

bool PreTokenizer::may_cut(char32_t before, char32_t after) const {
  for (const PreTokenizerStep& step : steps_) {
    const Between found = std::visit([&](const auto& one) { return between(one, before, after); }, step);
    if (found != Between::kLocal) return found == Between::kSplit;
  }
  return false;
}

void PreTokenizer::apply(SplitText& text) const {
  for (const PreTokenizerStep& step : steps_) std::visit([&](const auto& one) { bert::apply(one, text); }, step);
}

}  // namespace bert
