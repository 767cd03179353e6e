#include "tokenizer/decoder/decoder.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/joined.h"
#include "engine/base/utf8.h"
#include "tokenizer/model/byte_fallback.h"
#include "tokenizer/model/byte_level.h"

namespace bert {
namespace {

struct Rule {
  std::string_view from, to;
  bool tokenizers_only = false;
};

// In the order of both libraries; each rule is applied to the result of the previous one.
constexpr std::array<Rule, 11> kRules = {{{" .", "."},
                                          {" ?", "?"},
                                          {" !", "!"},
                                          {" ,", ","},
                                          {" ' ", "'"},
                                          {" n't", "n't"},
                                          {" 'm", "'m"},
                                          {" do not", " don't", true},
                                          {" 's", "'s"},
                                          {" 've", "'ve"},
                                          {" 're", "'re"}}};

using Tokens = std::vector<std::string>;
constexpr char32_t kReplacement = 0xFFFD;

void decode_step(const WordPieceDecoder& step, Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string& token = tokens[i];
    if (i > 0) {
      if (token.starts_with(step.prefix)) {
        token.erase(0, step.prefix.size());
      } else {
        token.insert(0, 1, ' ');
      }
    }
    if (step.cleanup) token = clean_up_spaces(std::move(token), CleanUp::kTokenizers);
  }
}

// Returns how many bytes of a broken character at bytes[at] become one U+FFFD: the Unicode Standard's "maximal
// subpart".
size_t broken_length(std::string_view bytes, size_t at) {
  const auto byte = [&](size_t i) { return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u; };
  const unsigned first = byte(0);
  const size_t length = first >= 0xC2 && first < 0xE0   ? 2
                        : (first & 0xF0) == 0xE0        ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 1;
  if (length == 1) return 1;
  const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 1;
  size_t valid = 2;
  while (valid < length && (byte(valid) & 0xC0) == 0x80) ++valid;
  return valid;
}

std::string with_replacements(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size();) {
    const Utf8Char c = decode_utf8(bytes, i);
    append_utf8(text, c.bytes > 0 ? c.code_point : kReplacement);
    i += c.bytes > 0 ? c.bytes : broken_length(bytes, i);
  }
  return text;
}

// Returns the bytes that a token's characters encode; the token itself if a character encodes no byte.
std::string token_bytes(const std::string& token) {
  std::string bytes;
  for (size_t i = 0; i < token.size();) {
    const Utf8Char c = decode_utf8(token, i);
    const auto byte = c.bytes > 0 ? byte_of_char(c.code_point) : std::nullopt;
    if (!byte) return token;
    bytes += *byte;
    i += c.bytes;
  }
  return bytes;
}

void decode_step(const ByteLevelDecoder&, Tokens& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) bytes += token_bytes(token);
  tokens = {with_replacements(bytes)};
}

void decode_step(const MetaspaceDecoder& step, Tokens& tokens) {
  std::string mark;
  append_utf8(mark, step.mark);
  for (size_t i = 0; i < tokens.size(); ++i) replace_all(tokens[i], mark, i == 0 && step.prepended ? "" : " ");
}

void decode_step(const SuffixDecoder& step, Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) replace_all(tokens[i], step.suffix, i + 1 == tokens.size() ? "" : " ");
}

void decode_step(const ReplaceDecoder& step, Tokens& tokens) {
  std::vector<TextRange> matches;
  for (std::string& token : tokens) {
    matches.clear();
    if (!token.empty()) step.pattern.find(token, matches);
    if (matches.empty()) continue;
    std::string result;
    size_t copied = 0;
    for (const TextRange& match : matches) {
      result.append(token, copied, match.begin - copied).append(step.content);
      copied = match.end;
    }
    token = result.append(token, copied);
  }
}

void decode_step(const ByteFallbackDecoder&, Tokens& tokens) {
  Tokens result;
  std::string bytes;
  const auto flush = [&] {
    if (find_invalid_utf8(bytes)) {
      result.insert(result.end(), bytes.size(), "\xEF\xBF\xBD");
    } else if (!bytes.empty()) {
      result.push_back(bytes);
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const auto byte = fallback_byte(token)) {
      bytes += *byte;
      continue;
    }
    flush();
    result.push_back(std::move(token));
  }
  flush();
  tokens = std::move(result);
}

void decode_step(const FuseDecoder&, Tokens& tokens) { tokens = {joined(tokens, "")}; }

void decode_step(const StripDecoder& step, Tokens& tokens) {
  std::string content;
  append_utf8(content, step.content);
  for (std::string& token : tokens) {
    for (size_t i = 0; i < step.start && token.starts_with(content); ++i) token.erase(0, content.size());
    for (size_t i = 0; i < step.stop && token.ends_with(content); ++i) token.resize(token.size() - content.size());
  }
}

}  // namespace

std::string clean_up_spaces(std::string text, CleanUp rules) {
  for (const Rule& rule : kRules) {
    if (!rule.tokenizers_only || rules == CleanUp::kTokenizers) replace_all(text, rule.from, rule.to);
  }
  return text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t at = from.empty() ? std::string::npos : text.find(from);
  if (at == std::string::npos) return;
  std::string result;
  size_t copied = 0;
  for (; at != std::string::npos; at = text.find(from, copied)) {
    result.append(text, copied, at - copied).append(to);
    copied = at + from.size();
  }
  text = result.append(text, copied);
}

std::string Decoder::decode(std::vector<std::string> tokens) const {
  for (const DecoderStep& step : steps) {
    std::visit([&](const auto& one) { decode_step(one, tokens); }, step);
  }
  return joined(tokens, steps.empty() ? " " : "");
}

}  // namespace bert
