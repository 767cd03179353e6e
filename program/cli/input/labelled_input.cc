#include "program/cli/input/labelled_input.h"

#include <charconv>
#include <optional>

namespace bert::cli {
namespace {

std::optional<long> integer(const std::string& text) {
  long value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && rest == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

LabelledInput::State LabelledInput::next(Item& item, Wait wait) {
  const State state = input_.next(item, wait);
  if (state == State::kItem) labels_.push_back(item.label.value_or(""));
  return state;
}

bool label_comes_before(const std::string& one, const std::string& other) {
  const std::optional<long> a = integer(one), b = integer(other);
  if (a.has_value() != b.has_value()) return a.has_value();
  return a && *a != *b ? *a < *b : one < other;
}

}  // namespace bert::cli
