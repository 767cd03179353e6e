// Interprets a classifier's outputs for a pair of a query and a document.
#pragma once

#include <string_view>

#include "bert/tasks.h"

namespace bert {

// Returns "identity", "sigmoid", or "softmax" for two labels. Throws Error(kUnsupported) if the model's files name
// another activation.
std::string_view activation_of(const ModelConfig& config);

}  // namespace bert
