// Small files of a tokenizer, for tests that read a directory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"

namespace bert::test {

inline constexpr char kLines[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nHello\n##s\n";

inline std::string json_file(const char* normalizer, const char* added = "[]") {
  return std::string(R"({"version": "1.0", "added_tokens": )") + added + R"(, "normalizer": )" + normalizer +
         R"(, "pre_tokenizer": {"type": "BertPreTokenizer"},
             "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
             "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
             "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                       "max_input_chars_per_word": 100,
                       "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "hello": 5, "Hello": 6, "##s": 7}}})";
}
inline constexpr char kUncasedJson[] = R"({"type": "BertNormalizer", "lowercase": true})";
inline constexpr char kCasedJson[] = R"({"type": "BertNormalizer", "lowercase": false})";

inline std::vector<int32_t> ids(const Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.tokenize(text, {.add_special_tokens = false}).ids;
}

}  // namespace bert::test
