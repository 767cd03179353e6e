// Sorts names so that layer 2 comes before layer 10. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace bert {

// Sorts names that are equal up to their first number by that number, within the places that these names have; all
// other names stay in place. Returns, for each place, the index of its name.
std::vector<size_t> natural_order(const std::vector<std::string_view>& names);

// Sorts items by the natural order of their names. name_of: returns a reference to the name of an item.
template <class Item, class NameOf>
void to_natural_order(std::vector<Item>& items, const NameOf& name_of) {
  std::vector<std::string_view> names;
  for (const Item& item : items) names.push_back(name_of(item));
  std::vector<Item> ordered;
  for (const size_t index : natural_order(names)) ordered.push_back(items[index]);
  items = std::move(ordered);
}

}  // namespace bert
