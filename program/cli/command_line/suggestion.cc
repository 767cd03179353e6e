#include "program/cli/command_line/suggestion.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace bert::cli {
namespace {

// Optimal string alignment, row by row of the table of prefixes.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = std::exchange(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> suggestion(std::string_view word, std::span<const std::string> candidates) {
  const size_t most = word.size() >= 6 ? 2 : word.size() >= 3 ? 1 : 0;
  std::optional<std::string> nearest;
  size_t fewest = most + 1;
  for (const std::string& candidate : candidates) {
    if (word.size() > candidate.size() + most) continue;  // avoids work for words of any length
    const size_t distance = edits(word, candidate);
    if (distance == 0) return std::nullopt;
    if (distance >= fewest) continue;
    fewest = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace bert::cli
