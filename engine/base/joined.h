// Lists and counts for texts: names in messages, values in files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace bert {

// Returns the items with the separator between them, "a, b, c"; text(item) gives an item's text. "" for no items.
template <class Items, class Text = std::identity>
std::string joined(const Items& items, std::string_view separator, Text text = {}) {
  std::string all;
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) all += separator;
    all += text(item);
    is_first = false;
  }
  return all;
}

// Returns the count with its noun, "1 token" or "2 tokens"; noun: the singular, whose plural ends with s.
inline std::string number_of(uint64_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace bert
