// Matches the regular expressions of published tokenizers without a regular-expression engine: the words of byte-level
// tokenizers, and white space. Stateless; safe to call from many threads.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tokenizer/normalizer/normalized_text.h"

namespace bert {

// Appends the matches in bytes [range.begin, range.end) of valid UTF-8 text; words together cover the range.
using AppendWords = void (*)(std::string_view text, TextRange range, std::vector<TextRange>& words);

// Returns the end of the word that begins at text[begin]; the text ends where the range does. begin < text.size().
using WordEnd = size_t (*)(std::string_view text, size_t begin);

// The expression of GPT-2. Source: Radford et al. 2019.
void append_gpt2_words(std::string_view text, TextRange range, std::vector<TextRange>& words);
size_t gpt2_word_end(std::string_view text, size_t begin);

// The expression of Llama 3: contractions in upper or lower case, letters with the character before them, at most three
// digits, symbols with the line breaks after them. Qwen 2's expression has single digits.
void append_llama3_words(std::string_view text, TextRange range, std::vector<TextRange>& words);
void append_qwen2_words(std::string_view text, TextRange range, std::vector<TextRange>& words);
size_t llama3_word_end(std::string_view text, size_t begin);
size_t qwen2_word_end(std::string_view text, size_t begin);

// Matches two or more characters of white space, or one of \n, \r and \t.
inline constexpr std::string_view kWhiteSpaceToJoin = R"(\s{2,}|[\n\r\t])";
void append_white_space(std::string_view text, TextRange range, std::vector<TextRange>& matches);

// Returns whether a word ends between two neighbouring characters, whatever surrounds them; false also if that is not
// known.
using EndsWord = bool (*)(char32_t before, char32_t after);
bool ends_gpt2_word(char32_t before, char32_t after);
bool ends_word_with_digits(char32_t before, char32_t after);  // for Llama 3 and Qwen 2

struct KnownExpression {
  std::string_view expression;
  AppendWords append_words;
  EndsWord ends_word;  // this and word_end are null unless the matches are words that cover the text
  WordEnd word_end;
};
inline constexpr std::array<KnownExpression, 4> kKnownExpressions = {
    {{R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", append_gpt2_words,
      ends_gpt2_word, gpt2_word_end},
     {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
      R"(\s+(?!\S)|\s+)",
      append_llama3_words, ends_word_with_digits, llama3_word_end},
     {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
      R"(\s+(?!\S)|\s+)",
      append_qwen2_words, ends_word_with_digits, qwen2_word_end},
     {kWhiteSpaceToJoin, append_white_space, nullptr, nullptr}}};

}  // namespace bert
