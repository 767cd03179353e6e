// Texts with expected labels. Used by one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program/cli/input/input.h"

namespace bert::cli {

// Keeps the label of each text.
class LabelledInput : public InputOver {
 public:
  explicit LabelledInput(Input& input) : InputOver(input) {}

  State next(Item& item, Wait wait) override;
  const std::string& label(size_t index) const { return labels_[index]; }

 private:
  std::vector<std::string> labels_;
};

// Orders labels: integers by value first, then other labels by their bytes.
bool label_comes_before(const std::string& one, const std::string& other);

}  // namespace bert::cli
