// Reads verify.json next to a model's weights: the golden vectors, and the digests of the files that they belong to,
// written by a conversion or quantisation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/model.h"

namespace bert::cli {

struct GoldenCase {
  std::optional<std::string> text, pair;
  std::vector<int32_t> ids, type_ids;
  std::vector<double> last_hidden_state;     // [tokens, hidden]
  std::vector<double> first_token_by_layer;  // [layers + 1, hidden]
  std::vector<double> pooler_output;         // [hidden]; empty: the weights have no pooler
};

struct Golden {
  std::filesystem::path directory;                           // the weights' directory
  std::vector<std::pair<std::string, std::string>> digests;  // SHA-256 of files next to it; may be empty
  int arithmetic = 1;                   // of the library that computed the numbers, as ModelDescription::arithmetic
  bool is_of_other_arithmetic = false;  // the model has another arithmetic, so equal bits cannot be expected
  double hidden_limit = 0;
  double pooler_limit = 0;
  std::vector<GoldenCase> cases;
};

// Reads the file. Throws Error(kNotFound) if the model has none, Error(kInvalidFile) if it is not this model's golden
// vectors.
Golden read_golden(const Model& model);

// Throws Error(kInvalidFile) for the first file whose digest differs from `golden`.
void check_digests(const Golden& golden);

}  // namespace bert::cli
