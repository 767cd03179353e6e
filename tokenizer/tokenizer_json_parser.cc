#include "tokenizer/tokenizer_json_parser.h"

#include <cmath>

#include "tokenizer/json_fields.h"

namespace bert {
namespace {

constexpr JsonLimits kLimits = {.max_bytes = size_t{256} << 20};

// Builds the tree, and the vocabulary beside it. Stops (returns false) at anything out of the ordinary: the strict
// parser then has its say, so that there is one place for what is wrong and how it is told.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(ParsedTokenizerJson& result) : result_(result) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override {
    return in_scores_ ? add_score(static_cast<double>(value)) : add(value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (in_scores_) return add_score(static_cast<double>(value));
    if (!in_vocabulary_) return add(value);
    result_.vocabulary.emplace_back(std::move(key_), value);
    return true;
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return in_scores_ ? add_score(reference_double(text)) : add(value);
  }
  bool string(string_t& value) override {
    if (!in_scores_) return add(std::move(value));
    if (in_pair_ != Pair::kOpen) return false;
    result_.scored_vocabulary.emplace_back(std::move(value), 0);
    in_pair_ = Pair::kHasToken;
    return true;
  }
  bool binary(binary_t&) override { return false; }

  bool key(string_t& value) override {
    key_ = std::move(value);
    return in_vocabulary_ || !open_.back()->contains(key_);
  }
  bool start_object(size_t) override {
    const bool vocabulary = is_vocabulary();
    if (!open(Json::object())) return false;
    in_vocabulary_ = vocabulary;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(size_t) override {
    if (in_scores_) {
      if (in_pair_ != Pair::kNone) return false;
      in_pair_ = Pair::kOpen;
      return true;
    }
    const bool scores = is_vocabulary();
    if (!open(Json::array())) return false;
    in_scores_ = scores;
    return true;
  }
  bool end_array() override {
    if (in_pair_ == Pair::kNone) return close();
    if (in_pair_ != Pair::kHasScore) return false;
    in_pair_ = Pair::kNone;
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  // Of ["token", -1.5] in a vocabulary with scores.
  enum class Pair : uint8_t { kNone, kOpen, kHasToken, kHasScore };

  bool is_vocabulary() const {
    return open_.size() == 2 && open_.back()->is_object() && key_ == "vocab" && keys_[1] == "model";
  }
  bool add_score(double score) {
    if (in_pair_ != Pair::kHasToken || !std::isfinite(score)) return false;
    result_.scored_vocabulary.back().second = score;
    in_pair_ = Pair::kHasScore;
    return true;
  }
  bool add(Json value) { return place(std::move(value)) != nullptr; }

  Json* place(Json value) {
    if (in_vocabulary_ || in_scores_) return nullptr;
    if (open_.empty()) return &(result_.json = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
    return &((*open_.back())[key_] = std::move(value));
  }
  bool open(Json container) {
    if (static_cast<int>(open_.size()) >= kLimits.max_depth) return false;
    keys_.push_back(key_);
    Json* const placed = place(std::move(container));
    open_.push_back(placed);
    return placed != nullptr;
  }
  bool close() {
    in_vocabulary_ = in_scores_ = false;
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  ParsedTokenizerJson& result_;
  std::vector<Json*> open_;        // the containers that are not closed, outermost first
  std::vector<std::string> keys_;  // the keys they stand under
  std::string key_;
  bool in_vocabulary_ = false;
  bool in_scores_ = false;
  Pair in_pair_ = Pair::kNone;
};

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
  bool full = false, fraction = false;
  for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') {
      fraction = true;
      continue;
    }
    const auto digit = static_cast<uint64_t>(number[i] - '0');
    full = full || digits > (UINT64_MAX - digit) / 10;
    if (full) {  // digits that do not fit are dropped
      exponent += !fraction;
      continue;
    }
    digits = digits * 10 + digit;
    exponent -= fraction;
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
  ParsedTokenizerJson result;
  if (text.size() <= kLimits.max_bytes) {
    // 36 bytes a token is what pretty-printed files have; less only means that the vector grows.
    result.vocabulary.reserve(text.size() / 36);
    result.scored_vocabulary.reserve(text.size() / 36);
    Builder builder(result);
    if (Json::sax_parse(text.begin(), text.end(), &builder)) return result;
  }
  return {parse_json(text, source, kLimits), {}, {}};
}

}  // namespace bert
