// The matches of regular expressions in published tokenizers, without an engine for regular expressions: the words of
// byte-level ones, and white space. Stateless; safe to call from many threads.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tokenizer/normalized_text.h"

namespace bert {

// Append the matches in bytes [range.begin, range.end) of valid UTF-8 text; words together cover the range.
using AppendWords = void (*)(std::string_view text, TextRange range, std::vector<TextRange>& words);

// The expression of GPT-2. Source: Radford et al. 2019.
void append_gpt2_words(std::string_view text, TextRange range, std::vector<TextRange>& words);

// The expression of Llama 3: contractions of any case, letters with the character before them, at most
// three digits, symbols with the line breaks after them. Qwen 2's has single digits.
void append_llama3_words(std::string_view text, TextRange range, std::vector<TextRange>& words);
void append_qwen2_words(std::string_view text, TextRange range, std::vector<TextRange>& words);

// Two or more characters of white space, or one of \n, \r and \t.
void append_white_space(std::string_view text, TextRange range, std::vector<TextRange>& matches);

struct KnownExpression {
  std::string_view expression;
  AppendWords append_words;
};
inline constexpr std::array<KnownExpression, 4> kKnownExpressions = {
    {{R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", append_gpt2_words},
     {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
      R"(\s+(?!\S)|\s+)",
      append_llama3_words},
     {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
      R"(\s+(?!\S)|\s+)",
      append_qwen2_words},
     {R"(\s{2,}|[\n\r\t])", append_white_space}}};

}  // namespace bert
