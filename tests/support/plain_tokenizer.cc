#include "tests/support/plain_tokenizer.h"

#include <algorithm>

#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert::test {
namespace {

struct Char {
  char32_t c;
  Offset source;
};
using Chars = std::vector<Char>;

// A part of the text. If id >= 0 it is an added token.
struct Piece {
  Chars chars;
  int32_t id = -1;
};

bool has(char32_t c, uint8_t property) { return (unicode::properties(c) & property) != 0; }

Chars clean(const Chars& text) {
  Chars result;
  for (const Char& x : text) {
    if (has(x.c, unicode::kRemoved)) continue;
    result.push_back({has(x.c, unicode::kSpace) ? U' ' : x.c, x.source});
  }
  return result;
}

Chars split_cjk(const Chars& text) {
  Chars result;
  for (const Char& x : text) {
    if (has(x.c, unicode::kCjk)) result.push_back({U' ', x.source});
    result.push_back(x);
    if (has(x.c, unicode::kCjk)) result.push_back({U' ', x.source});
  }
  return result;
}

Chars decompose(const Chars& text) {
  struct Part {
    char32_t c;
    bool inserted;
  };
  std::vector<Part> parts;
  for (const Char& x : text) {
    char32_t letters[unicode::kMaxDecomposition];
    const size_t count = unicode::decompose(x.c, letters);
    for (size_t i = 0; i < count; ++i) parts.push_back({letters[i], i > 0});
  }
  // Orders marks canonically, as the standard defines: swaps neighbours in the wrong order until there are none.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < parts.size(); ++i) {
      const int left = unicode::combining_class(parts[i - 1].c), right = unicode::combining_class(parts[i].c);
      if (right == 0 || left <= right) continue;
      std::swap(parts[i - 1], parts[i]);
      changed = true;
    }
  }
  Chars result;
  size_t next = 0;
  for (const Part& part : parts) {
    if (!part.inserted) ++next;
    result.push_back({part.c, text[next - 1].source});
  }
  return result;
}

Chars normalize(const BertNormalizer& steps, Chars text) {
  if (steps.clean_text) text = clean(text);
  if (steps.split_cjk) text = split_cjk(text);
  if (steps.decompose) text = decompose(text);
  const auto remove_if = [&](auto condition) {
    text.erase(std::remove_if(text.begin(), text.end(), [&](const Char& x) { return condition(x.c); }), text.end());
  };
  if (steps.strip_nonspacing) remove_if([](char32_t c) { return has(c, unicode::kNonspacing); });
  if (steps.strip_marks) remove_if([](char32_t c) { return unicode::is_mark(c); });
  if (!steps.lowercase) return text;
  Chars result;
  for (const Char& x : text) {
    result.push_back({unicode::lower_case(x.c), x.source});
    if (x.c == unicode::kDottedCapitalI) result.push_back({unicode::kDotAbove, x.source});
  }
  return result;
}

Chars decode(std::string_view text) {
  Chars result;
  for (size_t i = 0; i < text.size();) {
    const Utf8Char c = decode_utf8(text, i);
    result.push_back({c.code_point, {i, i + c.bytes}});
    i += c.bytes;
  }
  return result;
}

std::u32string letters_of(const Chars& text) {
  std::u32string result;
  for (const Char& x : text) result += x.c;
  return result;
}

struct Pattern {
  std::u32string letters;
  const AddedToken* token;
  int32_t id;
};

std::vector<Piece> split_added(const Chars& text, const std::vector<Pattern>& patterns, bool split_special) {
  std::vector<Piece> pieces;
  const std::u32string letters = letters_of(text);
  size_t done = 0;
  const auto slice = [&](size_t from, size_t to) {
    return Chars(text.begin() + static_cast<ptrdiff_t>(from), text.begin() + static_cast<ptrdiff_t>(to));
  };
  for (size_t at = 0; at < text.size();) {
    const Pattern* best = nullptr;
    for (const Pattern& pattern : patterns) {
      if (letters.compare(at, pattern.letters.size(), pattern.letters) != 0) continue;
      if (best == nullptr || pattern.letters.size() > best->letters.size()) best = &pattern;
    }
    if (best == nullptr) {
      ++at;
      continue;
    }
    size_t begin = at, end = at + best->letters.size();
    at = end;
    if (split_special && best->token->special) continue;
    if (best->token->single_word) {
      if (begin > 0 && unicode::is_word_character(letters[begin - 1])) continue;
      if (end < letters.size() && unicode::is_word_character(letters[end])) continue;
    }
    while (best->token->lstrip && begin > done && unicode::is_space(letters[begin - 1])) --begin;
    while (best->token->rstrip && end < letters.size() && unicode::is_space(letters[end])) ++end;
    if (done < begin) pieces.push_back({slice(done, begin)});
    pieces.push_back({slice(begin, end), best->id});
    done = end;
  }
  if (done < text.size()) pieces.push_back({slice(done, text.size())});
  return pieces;
}

std::vector<Chars> split_words(const Chars& text) {
  std::vector<Chars> words(1);
  for (const Char& x : text) {
    if (has(x.c, unicode::kSpace)) {
      words.emplace_back();
    } else if (has(x.c, unicode::kPunctuation)) {
      words.push_back({x});
      words.emplace_back();
    } else {
      words.back().push_back(x);
    }
  }
  words.erase(std::remove_if(words.begin(), words.end(), [](const Chars& word) { return word.empty(); }), words.end());
  return words;
}

std::string utf8_of(const Chars& word, size_t begin, size_t end) {
  std::string result;
  for (size_t i = begin; i < end; ++i) append_utf8(result, word[i].c);
  return result;
}

}  // namespace

std::vector<Token> PlainTokenizer::tokenize(std::string_view text, bool split_special) const {
  std::vector<Pattern> raw, normalized;
  for (const auto& [content, token] : added_tokens) {
    const Chars letters = decode(content);
    (token.normalized ? normalized : raw)
        .push_back(
            {letters_of(token.normalized ? normalize(normalizer, letters) : letters), &token, added_ids.at(content)});
  }
  std::vector<Token> tokens;
  int32_t word_index = 0;
  const auto add_word = [&](const Chars& word) {
    const Token unknown{unknown_id, word_index++, {word.front().source.begin, word.back().source.end}};
    std::vector<Token> pieces;
    for (size_t begin = 0; begin < word.size();) {
      size_t end = word.size();
      auto found = vocabulary.end();
      for (; end > begin; --end) {
        found = vocabulary.find((begin > 0 ? "##" : "") + utf8_of(word, begin, end));
        if (found != vocabulary.end()) break;
      }
      if (word.size() > max_chars_per_word || found == vocabulary.end()) {
        tokens.push_back(unknown);
        return;
      }
      pieces.push_back({found->second, unknown.word, {word[begin].source.begin, word[end - 1].source.end}});
      begin = end;
    }
    tokens.insert(tokens.end(), pieces.begin(), pieces.end());
  };
  const auto add_token = [&](const Piece& piece) {
    tokens.push_back({piece.id, word_index++, {piece.chars.front().source.begin, piece.chars.back().source.end}});
  };
  for (const Piece& piece : split_added(decode(text), raw, split_special)) {
    if (piece.id >= 0) {
      add_token(piece);
      continue;
    }
    for (const Piece& part : split_added(normalize(normalizer, piece.chars), normalized, split_special)) {
      if (part.id >= 0) {
        add_token(part);
        continue;
      }
      for (const Chars& word : split_words(part.chars)) add_word(word);
    }
  }
  return tokens;
}

}  // namespace bert::test
