// Ranges of strings, for the calls that take many: std::vector<std::string>, an array of string literals, a view of
// these.
#pragma once

#include <concepts>
#include <initializer_list>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bert {

// A range whose strings live as long as the range: it contains them, or its elements are views.
template <typename Texts>
concept KeepsItsStrings = std::is_lvalue_reference_v<std::ranges::range_reference_t<Texts>> ||
    std::same_as<std::ranges::range_value_t<Texts>, std::string_view>;

// A range of std::string, std::string_view or const char*. A single text is not a StringRange.
template <typename Texts>
concept StringRange =
    std::ranges::input_range<Texts> && std::convertible_to<std::ranges::range_reference_t<Texts>, std::string_view> &&
    KeepsItsStrings<Texts> && !std::convertible_to<const std::remove_cvref_t<Texts>&, std::string_view>;

// The type of a list in braces, such as {"one", "two"}.
using TextList = std::initializer_list<std::string_view>;

// Returns views of the range's texts, which the caller keeps alive.
template <StringRange Texts>
std::vector<std::string_view> text_views(const Texts& texts) {
  std::vector<std::string_view> views;
  for (const auto& text : texts) views.emplace_back(text);
  return views;
}

}  // namespace bert
