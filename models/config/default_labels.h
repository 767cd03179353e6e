// The labels of outputs without names, as in the reference library: LABEL_0, LABEL_1, …
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bert {

inline std::vector<std::optional<std::string>> default_labels(size_t count) {
  std::vector<std::optional<std::string>> labels;
  for (size_t i = 0; i < count; ++i) labels.push_back("LABEL_" + std::to_string(i));
  return labels;
}

}  // namespace bert
