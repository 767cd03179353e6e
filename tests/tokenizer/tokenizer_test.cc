// Compares the whole tokenizer with Hugging Face tokenizers 0.22.2, and tests its public API.
#include "bert/tokenizer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/share.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

Tokenizer from_official(const std::string& vocabulary, const std::string& config) {
  return Tokenizer::from_vocabulary(test::read_file(test::find_test_data("vocab/" + vocabulary)), config);
}

// The eight configurations of the golden files, each loaded at first use.
class Configurations {
 public:
  const Tokenizer& get(const std::string& name) {
    const auto found = tokenizers_.find(name);
    return found != tokenizers_.end() ? found->second : tokenizers_.emplace(name, make(name)).first->second;
  }

 private:
  static Tokenizer make(const std::string& name) {
    const std::string uncased = "bert-base-uncased-vocab.txt", cased = "bert-base-cased-vocab.txt";
    if (name == "cased") return from_official(cased, R"({"do_lower_case": false})");
    if (name == "chinese") return from_official("bert-base-chinese-vocab.txt", R"({"do_lower_case": true})");
    if (name == "multilingual")
      return from_official("bert-base-multilingual-cased-vocab.txt", R"({"do_lower_case": false})");
    if (name == "uncased_keep_accents")
      return from_official(uncased, R"({"do_lower_case": true, "strip_accents": false})");
    if (name == "cased_strip_accents")
      return from_official(cased, R"({"do_lower_case": false, "strip_accents": true})");
    if (name == "uncased_no_cjk_split")
      return from_official(uncased, R"({"do_lower_case": true, "tokenize_chinese_chars": false})");
    if (name == "uncased_no_added_tokens") return without_added_tokens();
    return from_official(uncased, R"({"do_lower_case": true})");
  }

  static Tokenizer without_added_tokens() {
    nlohmann::json json = nlohmann::json::parse(
        test::read_file(test::find_test_data("tokenizer_json/bert-base-uncased.built.tokenizer.json")));
    json["added_tokens"] = nlohmann::json::array();
    const test::TemporaryDirectory directory;
    directory.write("tokenizer.json", json.dump());
    return Tokenizer::load(directory.path());
  }

  std::map<std::string, Tokenizer> tokenizers_;
};

TokenizeOptions options_of(const nlohmann::json& line) {
  TokenizeOptions options;
  const nlohmann::json given = line.value("options", nlohmann::json::object());
  options.add_special_tokens = given.value("add_special_tokens", true);
  options.code_point_offsets = true;
  if (given.contains("truncation")) {
    const nlohmann::json& truncation = given["truncation"];
    options.max_length = truncation["max_length"];
    options.stride = truncation.value("stride", 0);
    options.truncation = std::map<std::string, Truncation>{{"longest_first", Truncation::kLongestFirst},
                                                           {"only_first", Truncation::kOnlyFirst},
                                                           {"only_second", Truncation::kOnlySecond}}
                             .at(truncation["strategy"]);
    if (truncation.value("direction", "right") == "left") options.truncation_direction = Direction::kLeft;
  }
  if (given.contains("padding")) options.padding.length = given["padding"]["length"];
  return options;
}

// Returns the byte position of each code point of a text, and the text's end. The golden files count code points.
std::vector<size_t> code_point_positions(const std::string& text) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) positions.push_back(i);
  }
  positions.push_back(text.size());
  return positions;
}

// Returns a description of the first field in which the encoding differs from the line; empty if none differs.
std::string difference(const Encoding& got, const nlohmann::json& expected, const std::string& text,
                       const std::string& pair) {
  if (nlohmann::json(got.ids) != expected["ids"])
    return "ids " + nlohmann::json(got.ids).dump() + " expected " + expected["ids"].dump();
  if (nlohmann::json(got.type_ids) != expected["type_ids"]) return "type_ids " + nlohmann::json(got.type_ids).dump();
  for (const auto& [key, mask] :
       {std::pair("attention_mask", &got.attention_mask), std::pair("special_tokens_mask", &got.special_tokens_mask)}) {
    if (expected.contains(key) && nlohmann::json(*mask) != expected[key])
      return std::string(key) + " " + nlohmann::json(*mask).dump();
  }
  const auto of_text = code_point_positions(text), of_pair = code_point_positions(pair);
  for (size_t i = 0; i < got.size(); ++i) {
    const auto& positions = got.sequence_ids[i] == 1 ? of_pair : of_text;
    const nlohmann::json& span = expected["offsets"][i];
    if (got.code_point_offsets[i] != Offset{span[0], span[1]}) return "code points of offset " + std::to_string(i);
    if (got.offsets[i] != Offset{positions.at(span[0]), positions.at(span[1])}) {
      return "offset " + std::to_string(i) + " [" + std::to_string(got.offsets[i].begin) + ", " +
             std::to_string(got.offsets[i].end) + ") bytes, expected code points " + span.dump();
    }
  }
  for (const auto& [key, values] :
       {std::pair("word_ids", &got.word_ids), std::pair("sequence_ids", &got.sequence_ids)}) {
    if (!expected.contains(key)) continue;
    nlohmann::json with_null = nlohmann::json::array();
    for (const int32_t value : *values) with_null.push_back(value < 0 ? nlohmann::json() : nlohmann::json(value));
    if (with_null != expected[key])
      return std::string(key) + " " + with_null.dump() + " expected " + expected[key].dump();
  }
  return "";
}

// Returns whether encodings made with only_ids have the ids, type ids, masks and counts of the whole ones, and no other
// fields.
bool equal_ids_alone(const std::vector<Encoding>& ids, const std::vector<Encoding>& whole) {
  return std::equal(ids.begin(), ids.end(), whole.begin(), whole.end(), [](const Encoding& a, const Encoding& b) {
    return a.ids == b.ids && a.type_ids == b.type_ids && a.attention_mask == b.attention_mask &&
           a.special_tokens_mask == b.special_tokens_mask && a.truncated_tokens == b.truncated_tokens &&
           a.offsets.empty() && a.code_point_offsets.empty() && a.word_ids.empty() && a.sequence_ids.empty();
  });
}

// Returns how the encoding of a golden file's line differs from the expected one; empty if it does not.
std::string check_line(const Tokenizer& tokenizer, const nlohmann::json& line) {
  const std::string text = line["text"], pair = line.value("pair", "");
  TokenizeOptions options = options_of(line);
  const nlohmann::json& expected = line["expect"];
  const bool with_windows = expected.contains("overflowing") || (expected.contains("error") && options.stride > 0);
  const auto tokenize = [&]() -> std::vector<Encoding> {
    if (with_windows) {
      const auto second = line.contains("pair") ? std::optional<std::string_view>(pair) : std::nullopt;
      return tokenizer.tokenize_windows(text, second, options);
    }
    return {line.contains("pair") ? tokenizer.tokenize(text, pair, options) : tokenizer.tokenize(text, options)};
  };
  std::vector<Encoding> got;
  try {
    got = tokenize();
    options.only_ids = true;
    if (!equal_ids_alone(tokenize(), got)) return "other ids alone";
  } catch (const Error& error) {
    return expected.contains("error") ? "" : std::string("threw ") + error.what();
  }
  if (expected.contains("error")) return "no error, expected " + expected["error"].dump();
  std::string found = difference(got[0], expected, text, pair);
  if (!found.empty()) return found;
  if (with_windows) {
    const nlohmann::json& overflowing = expected["overflowing"];
    if (got.size() != 1 + overflowing.size()) return std::to_string(got.size()) + " windows";
    for (size_t i = 0; i < overflowing.size(); ++i) {
      found = difference(got[i + 1], overflowing[i], text, pair);
      if (!found.empty()) return "window " + std::to_string(i + 1) + ": " + found;
    }
  }
  if (expected.contains("decoded_skip_special")) {
    const std::string decoded = tokenizer.decode(got[0].ids, true);
    if (decoded != expected["decoded_skip_special"].get<std::string>()) {
      return "decoded '" + decoded + "' expected " + expected["decoded_skip_special"].dump();
    }
  }
  return "";
}

void check_golden_file(const std::filesystem::path& path, size_t expected_lines) {
  Configurations configurations;
  std::ifstream file(path);
  std::string text;
  size_t lines = 0, checked = 0, different = 0;
  const test::Share share(4);
  while (std::getline(file, text)) {
    if (!share.has(lines++)) continue;
    ++checked;
    const nlohmann::json line = nlohmann::json::parse(text);
    const std::string found = check_line(configurations.get(line["config"]), line);
    if (found.empty()) continue;
    if (++different <= 5) ADD_FAILURE() << line["id"] << " " << line["config"] << " " << line["text"] << ": " << found;
  }
  EXPECT_EQ(lines, expected_lines);
  EXPECT_EQ(different, 0u) << "of " << checked;
  std::cout << path.filename().string() << ": " << checked - different << " of " << checked << " lines equal\n";
}

// Expects the ids and offsets of every line of a golden file. Its lines have no options.
void expect_golden(const Tokenizer& tokenizer, const std::filesystem::path& lines) {
  std::ifstream file(lines);
  size_t count = 0, wrong = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const nlohmann::json json = nlohmann::json::parse(line);
    const std::string text = json["text"];
    const Encoding got = tokenizer.tokenize(text);
    const auto positions = code_point_positions(text);
    std::vector<Offset> offsets;
    for (const nlohmann::json& span : json["offsets"])
      offsets.push_back({positions.at(span[0]), positions.at(span[1])});
    if (nlohmann::json(got.ids) == json["ids"] && got.offsets == offsets) continue;
    if (++wrong <= 5) ADD_FAILURE() << "line " << count + 1 << ": " << text;
  }
  EXPECT_EQ(wrong, 0u) << "of " << count;
  EXPECT_GT(count, 1000u);
}

Tokenizer from_json_alone(const std::filesystem::path& tokenizer_json) {
  const test::TemporaryDirectory directory;
  directory.write("tokenizer.json", test::read_file(tokenizer_json));
  return Tokenizer::load(directory.path());
}

TEST(Tokenizer, EqualsTheReferenceForByteLevelBpe) {
  BERT_TEST_DATA_OR_SKIP(lines, "tokenizer/roberta-base.public.jsonl");
  BERT_TEST_DATA_OR_SKIP(file, "tokenizer_json/roberta-base.tokenizer.json");
  expect_golden(from_json_alone(file), lines);
}

TEST(Tokenizer, EqualsTheReferenceForByteLevelBpesOwnFiles) {
  BERT_TEST_DATA_OR_SKIP(lines, "tokenizer/roberta-base.public.jsonl");
  BERT_TEST_DATA_OR_SKIP(vocabulary, "tokenizer_json/roberta-base.vocab.json");
  BERT_TEST_DATA_OR_SKIP(merges, "tokenizer_json/roberta-base.merges.txt");
  const test::TemporaryDirectory directory;
  directory.write("vocab.json", test::read_file(vocabulary));
  directory.write("merges.txt", test::read_file(merges));
  expect_golden(Tokenizer::load(directory.path()), lines);
}

TEST(Tokenizer, EqualsTheReferenceForUnigram) {
  BERT_TEST_DATA_OR_SKIP(lines, "tokenizer/t5-small.public.jsonl");
  BERT_TEST_DATA_OR_SKIP(file, "tokenizer_json/t5-small.tokenizer.json");
  expect_golden(from_json_alone(file), lines);
}

TEST(Tokenizer, EqualsTheReferenceOnEveryPublicLine) {
  BERT_TEST_DATA_OR_SKIP(path, "tokenizer/public.jsonl");
  check_golden_file(path, 17690);
}

TEST(Tokenizer, EqualsTheReferenceOnEveryWindow) {
  BERT_TEST_DATA_OR_SKIP(path, "tokenizer/windows.jsonl");
  check_golden_file(path, 821);
}

TEST(Tokenizer, ReadsTheFox) {
  BERT_TEST_DATA_OR_SKIP(path, "vocab/bert-base-uncased-vocab.txt");
  const Tokenizer tokenizer = Tokenizer::from_vocabulary(test::read_file(path), "");
  const std::vector<int32_t> expected = {101, 1996, 4248, 2829, 4419, 14523, 2058, 1996, 13971, 3899, 102};
  EXPECT_EQ(tokenizer.tokenize("The quick brown fox jumps over the lazy dog").ids, expected);
}

// The ids are [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, a 5, b 6, ##c 7.
Tokenizer small(const TokenizerOptions& options = {}) {
  return Tokenizer::from_vocabulary("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##c\n", R"({"do_lower_case": true})",
                                    options);
}

std::string error_of(ErrorCode code, const std::string& text, const TokenizeOptions& options) {
  return test::error_of(code, [&] { small().tokenize_windows(text, std::nullopt, options); });
}

TEST(Tokenizer, CountsWhatTruncationLeftOut) {
  const Tokenizer tokenizer = small();
  EXPECT_EQ(tokenizer.tokenize("a b a b").truncated_tokens, 0u);
  EXPECT_EQ(tokenizer.tokenize("a b a b", {.max_length = 6}).truncated_tokens, 0u);
  EXPECT_EQ(tokenizer.tokenize("a b a b", {.max_length = 5}).truncated_tokens, 1u);
  EXPECT_EQ(tokenizer.tokenize("a b a b", "a a", {.max_length = 6}).truncated_tokens, 3u);
  EXPECT_EQ(tokenizer.tokenize("a b", {.max_length = 2}).ids, (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(tokenizer.tokenize("a b", {.max_length = 2}).truncated_tokens, 2u);
}

TEST(Tokenizer, CutsTheSideThatItIsTold) {
  const TokenizeOptions left = {.max_length = 4, .truncation_direction = Direction::kLeft};
  EXPECT_EQ(small().tokenize("a b a", left).ids, (std::vector<int32_t>{2, 6, 5, 3}));
}

TEST(Tokenizer, CoversEverythingWithWindowsAndSaysNothingIsLost) {
  const auto windows = small().tokenize_windows("a b a b a", std::nullopt, {.max_length = 4, .stride = 1});
  ASSERT_EQ(windows.size(), 4u);
  EXPECT_EQ(windows[3].ids, (std::vector<int32_t>{2, 6, 5, 3}));
  for (const Encoding& window : windows) EXPECT_EQ(window.truncated_tokens, 0u);
}

TEST(Tokenizer, RefusesLengthsThatCannotBe) {
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument, "a b", {.max_length = 1}),
            "max_length 1 is less than the 2 special tokens of the template");
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument, "a", {.max_length = 4, .stride = 3}),
            "stride 3: windows of max_length 4 hold 2 tokens of text, expected a stride less than that");
  EXPECT_EQ(error_of(ErrorCode::kInvalidText, "a b a", {.max_length = 4, .truncation = Truncation::kError}),
            "the text has 3 tokens, which is 1 more than fit, and truncation is off");
  EXPECT_EQ(error_of(ErrorCode::kInvalidText, "a\xFF", {}), "text: not valid UTF-8 at byte 1: found 0xFF");
}

TEST(Tokenizer, PadsWindowsToTheLengthOfTheMainResult) {
  const auto windows =
      small().tokenize_windows("a b a", std::nullopt, {.max_length = 4, .padding = {.multiple_of = 3}});
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].ids, (std::vector<int32_t>{2, 5, 6, 3, 0, 0}));
  EXPECT_EQ(windows[1].ids, (std::vector<int32_t>{2, 5, 3, 0, 0, 0}));
}

TEST(Tokenizer, TakesTypedSpecialTokensAsTextWhereToldTo) {
  EXPECT_EQ(small().tokenize("[SEP]").ids, (std::vector<int32_t>{2, 3, 3}));
  EXPECT_EQ(small().tokenize("[SEP]", {.split_special_tokens = true}).ids, (std::vector<int32_t>{2, 1, 1, 1, 3}));
}

TEST(Tokenizer, DecodesAndSkipsIdsWithoutAToken) {
  const Tokenizer tokenizer = small();
  const std::vector<int32_t> ids = {2, 5, 7, 99, -1, 6, 3};
  EXPECT_EQ(tokenizer.decode(ids, false), "[CLS] ac b [SEP]");
  EXPECT_EQ(tokenizer.decode(ids, true), "ac b");
}

TEST(Tokenizer, PutsTheSpecialTokensAroundIds) {
  const Tokenizer tokenizer = small();
  EXPECT_EQ(tokenizer.with_special_tokens(std::vector<int32_t>{5, 7}), tokenizer.tokenize("ac").ids);
  EXPECT_EQ(tokenizer.with_special_tokens({}), (std::vector<int32_t>{2, 3}));
  TokenizerOptions plain;
  plain.special_tokens = false;
  EXPECT_EQ(small(plain).with_special_tokens(std::vector<int32_t>{5}), (std::vector<int32_t>{5}));
}

TEST(Tokenizer, AnswersForTokensAndIds) {
  const Tokenizer tokenizer = small();
  EXPECT_EQ(tokenizer.token(7), "##c");
  EXPECT_EQ(tokenizer.token(99), "");
  EXPECT_EQ(tokenizer.id("##c"), 7);
  EXPECT_EQ(tokenizer.id("x"), std::nullopt);
  EXPECT_EQ(tokenizer.vocabulary_size(), 8u);
  EXPECT_EQ(tokenizer.added_special_tokens(false), 2u);
  EXPECT_EQ(tokenizer.added_special_tokens(true), 3u);
}

}  // namespace
}  // namespace bert
