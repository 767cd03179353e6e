#include "tokenizer/tokenizer_json_parser.h"

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
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (!in_vocabulary_) return add(value);
    result_.vocabulary.emplace_back(std::move(key_), value);
    return true;
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool key(string_t& value) override {
    key_ = std::move(value);
    return in_vocabulary_ || !open_.back()->contains(key_);
  }
  bool start_object(size_t) override {
    const bool vocabulary = open_.size() == 2 && open_.back()->is_object() && key_ == "vocab" && keys_[1] == "model";
    if (!open(Json::object())) return false;
    in_vocabulary_ = vocabulary;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool add(Json value) { return place(std::move(value)) != nullptr; }

  Json* place(Json value) {
    if (in_vocabulary_) return nullptr;
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
    in_vocabulary_ = false;
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  ParsedTokenizerJson& result_;
  std::vector<Json*> open_;        // the containers that are not closed, outermost first
  std::vector<std::string> keys_;  // the keys they stand under
  std::string key_;
  bool in_vocabulary_ = false;
};

}  // namespace

ParsedTokenizerJson parse_tokenizer_json(std::string_view text, std::string_view source) {
  ParsedTokenizerJson result;
  if (text.size() <= kLimits.max_bytes) {
    // 36 bytes a token is what pretty-printed files have; less only means that the vector grows.
    result.vocabulary.reserve(text.size() / 36);
    Builder builder(result);
    if (Json::sax_parse(text.begin(), text.end(), &builder)) return result;
  }
  return {parse_json(text, source, kLimits), {}};
}

}  // namespace bert
