#include "tokenizer/pattern/pattern.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/base/utf8.h"
#include "tokenizer/pattern/byte_level_words.h"

namespace bert {
namespace {

constexpr std::string_view kOperators = "\\^$.|?*+()[]{}";

void find_text(std::string_view text, std::string_view wanted, size_t at_least, std::vector<TextRange>& matches) {
  for (size_t at = text.find(wanted); at != std::string_view::npos;) {
    size_t end = at + wanted.size(), count = 1;
    while (at_least > 0 && text.substr(end).starts_with(wanted)) {
      end += wanted.size();
      ++count;
    }
    if (count >= at_least) matches.push_back({at, end});
    at = text.find(wanted, end);
  }
}

void find_boundaries(std::string_view text, std::vector<TextRange>& matches) {
  for (size_t at = 0; at < text.size(); at += decode_utf8(text, at).bytes) matches.push_back({at, at});
  matches.push_back({text.size(), text.size()});
}

}  // namespace

// Reads plain text, or one plain character with a minimum count: x+ or x{2,}.
bool Pattern::read_run(std::string_view expression, PlainText& run) {
  const size_t end = std::min(expression.find_first_of(kOperators), expression.size());
  const std::string_view unit = expression.substr(0, end), count = expression.substr(end);
  run = {std::string(unit), 0};
  if (count.empty()) return !unit.empty();
  if (count_characters(unit) != 1) return false;
  run.at_least = 1;
  if (count == "+") return true;
  if (!count.starts_with('{') || !count.ends_with(",}")) return false;
  const char* const last = count.data() + count.size() - 2;
  const auto [stop, error] = std::from_chars(count.data() + 1, last, run.at_least);
  return error == std::errc() && stop == last && run.at_least > 0;
}

Pattern Pattern::regular_expression(std::string_view expression, std::string_view where) {
  if (PlainText run; read_run(expression, run)) return Pattern(std::move(run));
  for (const KnownExpression& known : kKnownExpressions) {
    if (known.expression == expression) return Pattern(&known);
  }
  return Pattern(std::make_shared<const RegularExpression>(expression, where));
}

void Pattern::find(std::string_view text, std::vector<TextRange>& matches) const {
  if (const auto* const known = std::get_if<const KnownExpression*>(&kind_)) {
    return (*known)->append_words(text, {0, text.size()}, matches);
  }
  if (const auto* const expression = std::get_if<Expression>(&kind_)) return (*expression)->find(text, matches);
  const PlainText& plain = std::get<PlainText>(kind_);
  plain.text.empty() ? find_boundaries(text, matches) : find_text(text, plain.text, plain.at_least, matches);
}

EndsWord Pattern::ends_word() const {
  const auto* const known = std::get_if<const KnownExpression*>(&kind_);
  return known != nullptr ? (*known)->ends_word : nullptr;
}

WordEnd Pattern::word_end() const {
  const auto* const known = std::get_if<const KnownExpression*>(&kind_);
  return known != nullptr ? (*known)->word_end : nullptr;
}

bool Pattern::may_cut(std::string_view text, size_t at) const {
  const PlainText* const plain = std::get_if<PlainText>(&kind_);
  if (plain == nullptr || plain->text.empty()) return false;
  const std::string_view wanted = plain->text;
  if (plain->at_least > 0) return !text.substr(at).starts_with(wanted);
  for (size_t before = 1; before < std::min(wanted.size(), at + 1); ++before) {
    const std::string_view place = text.substr(at - before, wanted.size());
    if (place == wanted.substr(0, place.size())) return false;
  }
  return true;
}

bool Pattern::operator==(const Pattern& other) const {
  const auto* const mine = std::get_if<Expression>(&kind_);
  const auto* const theirs = std::get_if<Expression>(&other.kind_);
  if (mine != nullptr && theirs != nullptr) return (*mine)->expression() == (*theirs)->expression();
  return kind_ == other.kind_;
}

}  // namespace bert
