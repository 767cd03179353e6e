#include "engine/base/natural_order.h"

#include <algorithm>
#include <map>

namespace bert {
namespace {

constexpr std::string_view kDigits = "0123456789";

// Returns the first number of a name, without leading zeros; empty: none.
std::string_view first_number(std::string_view name) {
  const size_t begin = name.find_first_of(kDigits);
  if (begin == std::string_view::npos) return {};
  const size_t end = std::min(name.size(), name.find_first_not_of(kDigits, begin));
  std::string_view digits = name.substr(begin, end - begin);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

}  // namespace

std::vector<size_t> natural_order(const std::vector<std::string_view>& names) {
  std::vector<size_t> order(names.size());
  std::map<std::string_view, std::vector<size_t>> same_prefix;  // by the part before the number
  for (size_t i = 0; i < names.size(); ++i) {
    order[i] = i;
    if (!first_number(names[i]).empty()) same_prefix[names[i].substr(0, names[i].find_first_of(kDigits))].push_back(i);
  }
  for (const auto& [prefix, slots] : same_prefix) {
    std::vector<size_t> sorted = slots;
    std::stable_sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
      const std::string_view one = first_number(names[a]), other = first_number(names[b]);
      return one.size() != other.size() ? one.size() < other.size() : one < other;
    });
    for (size_t i = 0; i < slots.size(); ++i) order[slots[i]] = sorted[i];
  }
  return order;
}

}  // namespace bert
