// Joins lists for texts: names in messages, values in files.
#pragma once

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

}  // namespace bert
