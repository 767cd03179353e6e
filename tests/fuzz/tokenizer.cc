// Fuzzes the tokenizer with any bytes, and compares it with the plain slow one of tests/support. The first byte chooses
// the settings, the rest is the text. Text that is not UTF-8 must be refused, and no other text.
#include "bert/tokenizer.h"

#include <string>
#include <vector>

#include "tests/fuzz/target.h"
#include "tests/support/build_tree.h"
#include "tests/support/plain_tokenizer.h"
#include "tests/support/test_data.h"
#include "tokenizer/settings.h"

namespace bert::fuzz {
namespace {

// Returns whether the text is UTF-8, by the table of RFC 3629: first bytes with the range of the second byte. All other
// bytes are 80 to BF.
bool is_utf8(std::string_view text) {
  struct Form {
    int first_low, first_high, second_low, second_high, bytes;
  };
  static constexpr Form kForms[] = {
      {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
      {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
      {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
  };
  for (size_t at = 0; at < text.size();) {
    const auto byte = [&](int i) { return static_cast<unsigned char>(text[at + static_cast<size_t>(i)]); };
    const Form* form = nullptr;
    for (const Form& candidate : kForms) {
      if (byte(0) >= candidate.first_low && byte(0) <= candidate.first_high) form = &candidate;
    }
    if (form == nullptr || at + static_cast<size_t>(form->bytes) > text.size()) return false;
    for (int i = 1; i < form->bytes; ++i) {
      if (byte(i) < (i == 1 ? form->second_low : 0x80) || byte(i) > (i == 1 ? form->second_high : 0xBF)) return false;
    }
    at += static_cast<size_t>(form->bytes);
  }
  return true;
}

constexpr char kSpecialTokens[] = R"("added_tokens_decoder": {
  "2": {"content": "[CLS]", "special": true}, "3": {"content": "[SEP]", "special": true},
  "4": {"content": "[MASK]", "special": true, "lstrip": true},
  "90000": {"content": "zz", "single_word": true, "rstrip": true, "normalized": false, "special": false},
  "90001": {"content": "foo bar", "lstrip": true, "normalized": true, "special": false},
  "90002": {"content": "foo", "single_word": true, "normalized": true, "special": false}})";

struct Pair {
  Tokenizer fast;
  test::PlainTokenizer plain;

  Pair(const std::string& vocabulary, const std::string& config, const BertNormalizer& normalizer)
      : fast(Tokenizer::from_vocabulary(vocabulary, config)) {
    plain.normalizer = normalizer;
    int32_t id = 0;
    for (size_t begin = 0; begin < vocabulary.size(); ++id) {
      const size_t end = std::min(vocabulary.find('\n', begin), vocabulary.size());
      plain.vocabulary[vocabulary.substr(begin, end - begin)] = id;
      begin = end + 1;
    }
    plain.unknown_id = plain.vocabulary.at("[UNK]");
    add({.content = "[CLS]", .special = true});
    add({.content = "[SEP]", .special = true});
    add({.content = "[PAD]", .special = true});
    add({.content = "[UNK]", .special = true});
    add({.content = "[MASK]", .lstrip = true, .special = true});
    add({.content = "zz", .single_word = true, .rstrip = true});
    add({.content = "foo bar", .lstrip = true, .normalized = true});
    add({.content = "foo", .single_word = true, .normalized = true});
  }

  void add(const AddedToken& token) {
    plain.added_tokens[token.content] = token;
    plain.added_ids[token.content] = fast.id(token.content).value();
  }
};

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = [] {
    const std::string vocabulary = test::read_file(test::source_directory() + "/models/builtin/vocab.txt");
    const auto config = [](const char* fields) { return std::string("{") + fields + ", " + kSpecialTokens + "}"; };
    std::vector<Pair> result;
    result.emplace_back(vocabulary, config(R"("do_lower_case": true)"),
                        bert_normalizer(true, true, std::nullopt, true));
    result.emplace_back(vocabulary, config(R"("do_lower_case": false)"),
                        bert_normalizer(true, true, std::nullopt, false));
    result.emplace_back(vocabulary, config(R"("do_lower_case": true, "strip_accents": false)"),
                        bert_normalizer(true, true, false, true));
    result.emplace_back(vocabulary,
                        config(R"("do_lower_case": false, "strip_accents": true, "tokenize_chinese_chars": false)"),
                        bert_normalizer(true, false, true, false));
    return result;
  }();
  return all;
}

void compare(const Pair& pair, std::string_view text, bool split_special) {
  Encoding found;
  try {
    found = pair.fast.tokenize(text, {.add_special_tokens = false, .split_special_tokens = split_special});
  } catch (const Error& error) {
    require(error.code() == ErrorCode::kInvalidText && !is_utf8(text), "only what is not UTF-8 is refused");
    return;
  }
  require(is_utf8(text), "what is not UTF-8 is refused");
  const std::vector<Token> expected = pair.plain.tokenize(text, split_special);
  require(found.size() == expected.size(), "as many tokens as the plain tokenizer finds");
  for (size_t i = 0; i < expected.size(); ++i) {
    require(found.ids[i] == expected[i].id, "the plain tokenizer's ids");
    require(found.word_ids[i] == expected[i].word, "the plain tokenizer's words");
    require(found.offsets[i] == expected[i].source, "the plain tokenizer's offsets");
    require(found.sequence_ids[i] == 0 && found.attention_mask[i] == 1, "every token is the text's");
  }
  const std::string decoded = pair.fast.decode(found.ids, true);
  require(is_utf8(decoded), "decoded text is UTF-8");
}

}  // namespace
}  // namespace bert::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert::fuzz;
  if (size == 0) return 0;
  compare(pairs()[data[0] % pairs().size()], text_of(data + 1, size - 1), (data[0] & 4) != 0);
  return 0;
}
