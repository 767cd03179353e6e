#include "tasks/heads/relevance.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "engine/base/quote.h"
#include "tasks/heads/check_logits.h"

namespace bert {
namespace {

bool is_relevant(std::string label) {
  std::transform(label.begin(), label.end(), label.begin(), [](unsigned char c) { return std::tolower(c); });
  return label == "relevant";
}

}  // namespace

size_t relevant_output(const ModelConfig& config, const std::optional<std::string>& label) {
  const size_t count = config.labels.size();
  if (count == 1 && !label) return 0;
  if (count != 1 && count != 2) {
    throw Error(ErrorCode::kInvalidArgument, "a classifier of " + std::to_string(count) +
                                                 " labels, expected one or two: the relevance of a document (the "
                                                 "command classify with --pair gives the scores of all)");
  }
  std::string names;
  for (size_t output = 0; output < count; ++output) {
    const std::string name = label_of(config, output);
    if (label ? name == *label : is_relevant(name)) return output;
    names += (output > 0 ? " and " : "") + quote(name, 80);
  }
  if (label) {
    throw Error(ErrorCode::kInvalidArgument,
                "relevant label " + quote(*label, 80) + ", expected one of the model's: " + names);
  }
  throw Error(ErrorCode::kInvalidArgument,
              "a classifier of the labels " + names +
                  ", expected one that is called 'relevant': name it (relevant_label, --relevant-label), or see the "
                  "scores of both (classify --pair)");
}

std::string_view activation_of(const ModelConfig& config) {
  if (config.labels.size() == 2) return "softmax";
  const std::string& path = config.activation_fn;
  const std::string_view name = std::string_view(path).substr(path.rfind('.') + 1);
  const bool is_torch = path.starts_with("torch.");
  if (is_torch && name == "Identity") return "identity";
  if (path.empty() || (is_torch && name == "Sigmoid")) return "sigmoid";
  throw Error(ErrorCode::kUnsupported, "activation_fn " + quote(path, 80) +
                                           " of the model's files is not supported, expected Identity or Sigmoid of "
                                           "torch.nn");
}

Relevance relevance(const ModelConfig& config, const Logits& logits, size_t output) {
  const size_t outputs = config.labels.size();
  check_logits(logits, 1, outputs, "sequence");
  double logit = static_cast<double>(logits.values[output]);
  if (outputs == 2)
    logit -= static_cast<double>(logits.values[1 - output]);  // the softmax is the sigmoid of this
                                                              // difference
  const std::string_view activation = activation_of(config);
  return {activation == "identity" ? logit : sigmoid(logit), logit, activation};
}

}  // namespace bert
