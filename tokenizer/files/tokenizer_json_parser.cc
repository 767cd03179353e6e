#include "tokenizer/files/tokenizer_json_parser.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "bert/error.h"
#include "engine/base/json/json_scanner.h"
#include "engine/base/number.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"
#include "tokenizer/model/bpe.h"

namespace bert {
namespace {

constexpr size_t kMaxBytes = size_t{256} << 20;

// Reads the long lists while the rest is built as a tree.
class ListReader {
 public:
  ListReader(ParsedTokenizerJson& result, std::span<const std::string_view> vocabulary_path, ScoreNumbers scores)
      : result_(result), vocabulary_path_(vocabulary_path), scores_(scores) {}

  std::optional<JsonKind> read(std::span<const std::string_view> path, JsonScanner& scanner) {
    std::optional<JsonKind> kind;
    in_list_ = true;
    if (std::equal(path.begin(), path.end(), vocabulary_path_.begin(), vocabulary_path_.end())) {
      result_.vocabulary.clear();  // of a duplicate key
      result_.scored_vocabulary.clear();
      if (scanner.next_is('{')) {
        kind = read_ids(scanner);
      } else if (!path.empty()) {
        kind = read_scores(scanner);
      }
    } else if (std::equal(path.begin(), path.end(), kMergesPath.begin(), kMergesPath.end())) {
      result_.merges.clear();
      kind = read_merges(scanner);
    }
    in_list_ = false;
    return kind;
  }

  // Returns whether the last error was in a list.
  bool in_list() const { return in_list_; }

 private:
  static constexpr std::array<std::string_view, 2> kMergesPath = {"model", "merges"};

  // Reads {"token": id, …}.
  std::optional<JsonKind> read_ids(JsonScanner& scanner) {
    scanner.members("tokens",
                    [&](std::string_view token) { result_.vocabulary.emplace_back(token, scanner.integer("an id")); });
    return JsonKind::kObject;
  }

  // Reads [["token", score], …].
  std::optional<JsonKind> read_scores(JsonScanner& scanner) {
    scanner.array("tokens", [&] {
      scanner.expect('[', "a token and its score");
      const std::string_view token = scanner.string("a token");
      scanner.expect(',', "a comma");
      const std::string_view number = scanner.number("a score");
      const double score =
          scores_ == ScoreNumbers::kReference ? reference_double(number) : parse_double(number).value_or(HUGE_VAL);
      if (!std::isfinite(score)) scanner.refuse("expected a finite score");
      scanner.expect(']', "the end of a token and its score");
      result_.scored_vocabulary.emplace_back(token, score);
    });
    return JsonKind::kArray;
  }

  // Reads ["a b", …] or [["a", "b"], …].
  std::optional<JsonKind> read_merges(JsonScanner& scanner) {
    scanner.array("merges", [&] {
      if (scanner.next_is('[')) {
        scanner.expect('[', "two tokens");
        const std::string_view left = scanner.string("a token");
        scanner.expect(',', "a comma");
        result_.merges.emplace_back(left, scanner.string("a token"));
        scanner.expect(']', "the end of two tokens");
      } else {
        const auto merge = split_merge(scanner.string("two tokens"));
        if (!merge) scanner.refuse("expected two tokens");
        result_.merges.push_back(*merge);
      }
    });
    return JsonKind::kArray;
  }

  ParsedTokenizerJson& result_;
  std::span<const std::string_view> vocabulary_path_;
  ScoreNumbers scores_;
  bool in_list_ = false;
};

// Parses a file with malformed lists again as a tree, so that the readers of its fields report the error.
ParsedTokenizerJson parse(std::string_view text, std::string_view source, JsonDialect dialect,
                          std::span<const std::string_view> vocabulary_path,
                          ScoreNumbers scores = ScoreNumbers::kReference) {
  ParsedTokenizerJson result;
  const JsonOptions limits = {.max_bytes = kMaxBytes, .dialect = dialect, .notices = &result.notices};
  ListReader reader(result, vocabulary_path, scores);
  try {
    const auto read = [&](std::span<const std::string_view> path, JsonScanner& scanner) {
      return reader.read(path, scanner);
    };
    result.document = parse_json(text, source, limits, read);
  } catch (const Error&) {
    if (!reader.in_list()) throw;
    result = {};
    result.document = parse_json(text, source, limits);
  }
  return result;
}

constexpr int kMaxPower = 308;
constexpr int kMaxExponent = 100000;  // larger exponents change nothing

double power_of_ten(int exponent) {
  static const std::vector<double> powers = [] {
    std::vector<double> result;
    for (int i = 0; i <= kMaxPower; ++i) result.push_back(std::stod("1e" + std::to_string(i)));
    return result;
  }();
  return powers[static_cast<size_t>(exponent)];
}

}  // namespace

double reference_double(std::string_view number) {
  const bool negative = number.starts_with('-');
  size_t i = negative ? 1 : 0;
  uint64_t digits = 0;
  int exponent = 0;
  bool full = false;  // digits that do not fit are dropped
  const auto read_digits = [&](int exponent_if_kept, int exponent_if_dropped) {
    for (; i < number.size() && number[i] >= '0' && number[i] <= '9'; ++i) {
      const auto digit = static_cast<uint64_t>(number[i] - '0');
      full = full || digits > UINT64_MAX / 10 || (digits == UINT64_MAX / 10 && digit > UINT64_MAX % 10);
      if (!full) digits = digits * 10 + digit;
      exponent += full ? exponent_if_dropped : exponent_if_kept;
    }
  };
  read_digits(0, 1);
  if (i < number.size() && number[i] == '.') {
    ++i;
    read_digits(-1, 0);
  }
  if (i < number.size()) {
    const bool below = number[++i] == '-';
    if (below || number[i] == '+') ++i;
    int written = 0;
    for (; i < number.size() && written < kMaxExponent; ++i) written = written * 10 + (number[i] - '0');
    exponent += below ? -written : written;
  }
  auto value = static_cast<double>(digits);
  for (; exponent < -kMaxPower && value != 0; exponent += kMaxPower) value /= power_of_ten(kMaxPower);
  if (exponent < -kMaxPower) exponent = 0;
  if (exponent > kMaxPower) return value == 0 ? 0 : HUGE_VAL;
  value = exponent < 0 ? value / power_of_ten(-exponent) : value * power_of_ten(exponent);
  return negative ? -value : value;
}

ParsedTokenizerJson parse_tokenizer_json(std::string_view text, std::string_view source, ScoreNumbers scores) {
  return parse(text, source, JsonDialect::kSerde, std::array<std::string_view, 2>{"model", "vocab"}, scores);
}

ParsedTokenizerJson parse_vocabulary_json(std::string_view text, std::string_view source) {
  return parse(text, source, JsonDialect::kPython, {});
}

void refuse_component(const JsonObject& object, const std::string& what) {
  throw Error(ErrorCode::kUnsupported,
              quote_path(object.source()) + ": " + object.where() + " " + what + " is not supported");
}

std::string type_of(const JsonObject& object) { return object.required_string("type"); }

std::vector<JsonObject> elements(const JsonObject& sequence, const char* key) {
  std::vector<JsonObject> result;
  for (const Json element : sequence.required_array(key)) {
    const std::string place = sequence.name(key) + "[" + std::to_string(result.size()) + "]";
    result.emplace_back(element, sequence.source(), place);
  }
  return result;
}

char32_t required_character(const JsonObject& object, const char* key) {
  const std::string text = object.required_string(key);
  const Utf8Char c = text.empty() ? Utf8Char{0, 0} : decode_utf8(text, 0);
  if (c.bytes == 0 || c.bytes != text.size()) object.refuse(key, "one character");
  return c.code_point;
}

}  // namespace bert
