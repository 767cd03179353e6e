#include "models/text/chunker.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "bert/error.h"
#include "bert/offsets.h"
#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

struct Character {
  char32_t code;
  size_t begin;
};

constexpr std::u32string_view kEnds = U".!?\u2026\u203C\u2047\u2048\u2049\u0964\u0965\u06D4\u061F\u0589";
constexpr std::u32string_view kWideEnds = U"\u3002\uFF01\uFF1F\uFF0E\uFF61";
constexpr std::u32string_view kClosing = U"\"')]}\u2019\u201D\u00BB\u203A\u300D\u300F\uFF09\u3011\u300B\u3009";

bool is_in(std::u32string_view set, char32_t c) { return set.find(c) != set.npos; }

// Returns whether a character may begin a sentence: a capital, a digit, a sign. Letters of scripts without case count
// as capitals.
bool may_begin(char32_t c) {
  const bool is_capital = (unicode::properties(c) & unicode::kHasLower) != 0;
  const bool is_small_ascii = c >= U'a' && c <= U'z';
  const bool is_small_latin_greek_cyrillic = c >= 0xDF && c <= 0x52F && unicode::is_letter(c);
  return is_capital || !(is_small_ascii || is_small_latin_greek_cyrillic);
}

bool ends_line(char32_t c) { return c == U'\n' || c == U'\r' || c == 0x85 || c == 0x2028 || c == 0x2029; }

// The tokens [first, end) of an encoding.
struct Tokens {
  size_t first, end;
  size_t count() const { return end - first; }
};

std::string range_text(const Offset& range) { return std::to_string(range.begin) + " to " + std::to_string(range.end); }

class Chunker {
 public:
  Chunker(const Encoding& encoding, std::string_view text, size_t prompt_bytes)
      : encoding_(encoding),
        text_(text.substr(prompt_bytes)),
        code_points_(text_, OffsetUnit::kCodePoints),
        prompt_bytes_(prompt_bytes) {
    const auto is_own = [&](size_t token) {
      return encoding.special_tokens_mask[token] == 0 && encoding.offsets[token].end > prompt_bytes;
    };
    own_ = {0, encoding.size()};
    while (own_.first < own_.end && !is_own(own_.first)) ++own_.first;
    while (own_.end > own_.first && !is_own(own_.end - 1)) --own_.end;
  }

  bool is_empty() const { return own_.count() == 0; }

  std::vector<TextChunk> by_spans(std::span<const Offset> spans) const {
    std::vector<TextChunk> chunks;
    size_t before = 0, token = own_.first;
    for (size_t i = 0; i < spans.size(); ++i) {
      const Offset& span = spans[i];
      const std::string name = "span " + std::to_string(i) + ", bytes " + range_text(span);
      if (span.begin < before || span.end <= span.begin || span.end > text_.size()) {
        refuse(name + ", expected spans in order, none empty, in a text of " + std::to_string(text_.size()) + " bytes");
      }
      before = span.end;
      const Tokens tokens = tokens_in(span, token);
      token = tokens.end;
      if (tokens.count() == 0) {
        refuse(name + ": no token begins there; the tokens that were read end at byte " +
               std::to_string(is_empty() ? 0 : end_of(own_.end - 1)));
      }
      chunks.push_back(chunk(tokens, span));
    }
    return chunks;
  }

  std::vector<TextChunk> by_tokens(size_t most) const {
    std::vector<TextChunk> chunks;
    divide(own_, most, chunks);
    return chunks;
  }

  std::vector<TextChunk> by_sentences(size_t most) const {
    std::vector<TextChunk> chunks;
    size_t token = own_.first;
    Tokens open = {token, token};
    const auto close = [&] {
      if (open.count() > 0) chunks.push_back(chunk(open));
      open.first = open.end;
    };
    for (const Offset& sentence : sentences_of(text_)) {
      const Tokens tokens = tokens_in(sentence, token);
      token = tokens.end;
      if (tokens.count() == 0) continue;  // truncated, or of characters without tokens
      if (most == 0 || open.count() + tokens.count() > most) close();
      if (most > 0 && tokens.count() > most) {
        divide(tokens, most, chunks);
        open = {tokens.end, tokens.end};
      } else {
        open.end = tokens.end;
      }
    }
    close();
    return chunks;
  }

  // Extends the first and the last chunk by the special tokens and the prompt around the text.
  void extend_to_ends(std::vector<TextChunk>& chunks) const {
    if (chunks.empty()) return;
    TextChunk &first = chunks.front(), &last = chunks.back();
    if (first.first_token == own_.first) {
      first.tokens += own_.first;
      first.first_token = 0;
    }
    if (last.first_token + last.tokens == own_.end) last.tokens += encoding_.size() - own_.end;
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

  size_t begin_of(size_t token) const {
    const size_t begin = encoding_.offsets[token].begin;
    return begin > prompt_bytes_ ? begin - prompt_bytes_ : 0;
  }
  size_t end_of(size_t token) const { return encoding_.offsets[token].end - prompt_bytes_; }

  // Returns the tokens that begin in a range, searched from `token` on; tokens before it begin before the range.
  Tokens tokens_in(const Offset& range, size_t token) const {
    while (token < own_.end && begin_of(token) < range.begin) ++token;
    const size_t first = token;
    while (token < own_.end && begin_of(token) < range.end) ++token;
    return {first, token};
  }

  // Divides into chunks of at most `most` tokens; a word that fits into a chunk is not divided.
  void divide(Tokens tokens, size_t most, std::vector<TextChunk>& chunks) const {
    const auto is_inside_word = [&](size_t token) {
      return token < tokens.end && encoding_.word_ids[token] != kNoWord &&
             encoding_.word_ids[token] == encoding_.word_ids[token - 1];
    };
    while (tokens.count() > 0) {
      size_t end = tokens.first + std::min(tokens.count(), most);
      size_t word = end;
      while (word > tokens.first && is_inside_word(word)) --word;
      if (word > tokens.first) end = word;
      chunks.push_back(chunk({tokens.first, end}));
      tokens.first = end;
    }
  }

  TextChunk chunk(Tokens tokens) const { return chunk(tokens, {begin_of(tokens.first), end_of(tokens.end - 1)}); }
  TextChunk chunk(Tokens tokens, Offset bytes) const {
    return {tokens.first, tokens.count(), bytes, {code_points_.before(bytes.begin), code_points_.before(bytes.end)}};
  }

  const Encoding& encoding_;
  std::string_view text_;
  OffsetUnits code_points_;
  size_t prompt_bytes_;
  Tokens own_;  // the text's tokens, without its prompt
};

}  // namespace

std::vector<Offset> sentences_of(std::string_view text) {
  std::vector<Character> characters;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char decoded = decode_utf8(text, at);
    characters.push_back({decoded.code_point, at});
    at += std::max<size_t>(decoded.bytes, 1);
  }
  const auto code = [&](size_t i) { return i < characters.size() ? characters[i].code : U'\n'; };
  const auto byte = [&](size_t i) { return i < characters.size() ? characters[i].begin : text.size(); };
  std::vector<Offset> sentences;
  size_t first = 0;
  const auto end_sentence = [&](size_t end) {
    size_t begin = first, last = end;
    while (begin < last && unicode::is_space(code(begin))) ++begin;
    while (last > begin && unicode::is_space(code(last - 1))) --last;
    if (begin < last) sentences.push_back({byte(begin), byte(last)});
    first = end;
  };
  for (size_t i = 0; i < characters.size();) {
    if (ends_line(code(i))) {
      end_sentence(++i);
      continue;
    }
    if (!is_in(kEnds, code(i)) && !is_in(kWideEnds, code(i))) {
      ++i;
      continue;
    }
    bool is_wide = false;
    for (; i < characters.size() && (is_in(kEnds, code(i)) || is_in(kWideEnds, code(i))); ++i) {
      is_wide = is_wide || is_in(kWideEnds, code(i));
    }
    while (i < characters.size() && is_in(kClosing, code(i))) ++i;
    size_t next = i;
    while (next < characters.size() && unicode::is_space(code(next)) && !ends_line(code(next))) ++next;
    const bool is_end = is_wide || next == characters.size() || (next > i && may_begin(code(next)));
    if (is_end) end_sentence(i);
  }
  end_sentence(characters.size());
  return sentences;
}

std::vector<TextChunk> chunks_of(const Encoding& encoding, std::string_view text, size_t prompt_bytes,
                                 const ChunkOptions& options, std::span<const Offset> spans) {
  const Chunker chunker(encoding, text, prompt_bytes);
  if (spans.empty() && options.tokens == 0 && !options.sentences) {
    throw Error(ErrorCode::kInvalidArgument, "no spans, expected the text's chunks");
  }
  std::vector<TextChunk> chunks = !spans.empty()      ? chunker.by_spans(spans)
                                  : options.sentences ? chunker.by_sentences(options.tokens)
                                                      : chunker.by_tokens(options.tokens);
  chunker.extend_to_ends(chunks);
  return chunks;
}

}  // namespace bert
