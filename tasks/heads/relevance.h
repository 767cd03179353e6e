// What a classifier's outputs say about a pair of a query and a document.
#pragma once

#include <string_view>

#include "bert/tasks.h"

namespace bert {

// "identity", "sigmoid", or "softmax" of two labels. Throws Error(kUnsupported) for another that the model's files
// name.
std::string_view activation_of(const ModelConfig& config);

}  // namespace bert
