#include "tokenizer/tokenizer_json_parser.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bert/error.h"
#include "engine/base/json_scanner.h"
#include "tokenizer/bpe.h"

namespace bert {
namespace {

constexpr JsonLimits kLimits = {.max_bytes = size_t{256} << 20};

std::unique_ptr<char[]> copy_of(std::string_view text) {
  auto copy = std::make_unique_for_overwrite<char[]>(text.size());
  std::copy(text.begin(), text.end(), copy.get());
  return copy;
}

// Takes the long lists out of a text, and has the strict parser read the rest of it.
class ListReader {
 public:
  ListReader(std::string_view text, std::string_view source)
      : whole_(text),
        source_(source),
        result_{{}, copy_of(text), {}, {}, {}},
        scanner_({result_.text.get(), text.size()}, source, 0, SIZE_MAX) {}

  ParsedTokenizerJson read_tokenizer() {
    scanner_.object("a tokenizer", [&](std::string_view key) {
      if (key != "model") {
        scanner_.skip_value(kLimits.max_depth);
        return;
      }
      scanner_.object("a model", [&](std::string_view model_key) {
        if (model_key == "vocab") {
          scanner_.next_is('{') ? read_ids() : read_scores();
        } else if (model_key == "merges") {
          read_merges();
        } else {
          scanner_.skip_value(kLimits.max_depth);
        }
      });
    });
    return finish();
  }

  ParsedTokenizerJson read_vocabulary() {
    read_ids();
    return finish();
  }

 private:
  // {"token": id, …}
  void read_ids() {
    leave_out("{}", [&] {
      scanner_.object(
          "tokens", [&](std::string_view token) { result_.vocabulary.emplace_back(token, scanner_.integer("an id")); });
    });
  }

  // [["token", score], …]
  void read_scores() {
    leave_out("[]", [&] {
      scanner_.array("tokens", [&] {
        scanner_.expect('[', "a token and its score");
        const std::string_view token = scanner_.string("a token");
        scanner_.expect(',', "a comma");
        const double score = reference_double(scanner_.number("a score"));
        if (!std::isfinite(score)) scanner_.refuse("expected a finite score");
        scanner_.expect(']', "the end of a token and its score");
        result_.scored_vocabulary.emplace_back(token, score);
      });
    });
  }

  // ["a b", …] or [["a", "b"], …]
  void read_merges() {
    leave_out("[]", [&] {
      scanner_.array("merges", [&] {
        if (scanner_.next_is('[')) {
          scanner_.expect('[', "two tokens");
          const std::string_view left = scanner_.string("a token");
          scanner_.expect(',', "a comma");
          result_.merges.emplace_back(left, scanner_.string("a token"));
          scanner_.expect(']', "the end of two tokens");
        } else {
          const auto merge = split_merge(scanner_.string("two tokens"));
          if (!merge) scanner_.refuse("expected two tokens");
          result_.merges.push_back(*merge);
        }
      });
    });
  }

  // Reads a list, which is empty in the rest of the text.
  template <class Read>
  void leave_out(std::string_view empty, Read read) {
    rest_.append(whole_.substr(copied_, scanner_.position() - copied_)).append(empty);
    read();
    copied_ = scanner_.position();
  }

  ParsedTokenizerJson finish() {
    scanner_.end();
    rest_ += whole_.substr(copied_);
    result_.json = parse_json(rest_, source_, kLimits);
    return std::move(result_);
  }

  std::string_view whole_;
  std::string_view source_;
  ParsedTokenizerJson result_;
  JsonScanner scanner_;
  std::string rest_;
  size_t copied_ = 0;  // bytes of `whole_` that are in `rest_`, or left out of it
};

// What the scanner refuses, the strict parser gets to see as a whole: one place says what is wrong with a file.
template <class Read>
ParsedTokenizerJson parse(std::string_view text, std::string_view source, Read read) {
  if (text.size() <= kLimits.max_bytes) {
    try {
      ListReader reader(text, source);
      return read(reader);
    } catch (const Error&) {
    }
  }
  ParsedTokenizerJson result;
  result.json = parse_json(text, source, kLimits);
  return result;
}

constexpr int kMaxPower = 308;
constexpr int kMaxExponent = 100000;  // where more digits of an exponent change nothing

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

ParsedTokenizerJson parse_tokenizer_json(std::string_view text, std::string_view source) {
  return parse(text, source, [](ListReader& reader) { return reader.read_tokenizer(); });
}

ParsedTokenizerJson parse_vocabulary_json(std::string_view text, std::string_view source) {
  return parse(text, source, [](ListReader& reader) { return reader.read_vocabulary(); });
}

}  // namespace bert
