// Tokens as values that tests compare and print.
#pragma once

#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "tokenizer/text_pass.h"

namespace bert {

inline bool operator==(const Token& a, const Token& b) {
  return a.id == b.id && a.word == b.word && a.source == b.source;
}
inline void PrintTo(const Token& t, std::ostream* out) {
  *out << t.id << "@" << t.word << "[" << t.source.begin << "," << t.source.end << ")";
}

namespace test {

inline std::vector<Token> tokens_of(const TokenList& list) {
  const TokenColumns kept = list.kept();
  std::vector<Token> tokens;
  for (size_t i = 0; i < kept.size(); ++i) tokens.push_back({kept.ids[i], kept.words[i], kept.sources[i]});
  return tokens;
}

// Returns nullopt if the pass does not handle the text.
inline std::optional<std::vector<Token>> tokens_of(const TextPass& pass, std::string_view text) {
  TokenList list;
  SequenceState sequence{.text = text, .what = "text", .split_special = false, .tokens = list};
  if (!pass.append_tokens(sequence, 0, text.size())) return std::nullopt;
  return tokens_of(list);
}

}  // namespace test
}  // namespace bert
