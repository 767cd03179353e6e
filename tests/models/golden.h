// Reads the reference's inputs and float64 outputs (shared data, folder golden/) for one model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tests/support/npy.h"

namespace bert::test {

struct LayerStatistics {
  double mean, std, absmax;
};

struct GoldenCase {
  std::string id;
  std::string kind;
  std::optional<std::string> text;
  std::optional<std::string> pair;
  std::vector<int32_t> ids, type_ids;
  std::vector<uint8_t> mask;
  size_t index = 0;  // the case's row in pooler_output and embedding
  size_t row_offset = 0;
  std::vector<LayerStatistics> layers;         // over all rows, also of masked tokens
  std::vector<std::vector<double>> entropies;  // [layers][heads], means over the queries; may be empty

  TokenSequence sequence() const { return {ids, type_ids, mask}; }
  bool is_masked() const;  // returns whether a token has mask 0
};

struct Golden {
  std::vector<GoldenCase> cases;
  NpyArray last_hidden_state;  // rows of all tokens, also of masked ones
  NpyArray pooler_output;
  std::optional<NpyArray> embedding;
  bool sample_deviation = false;  // the standard deviations divide by the count minus 1
  double reference_error = 0;     // the largest float32 error of the reference library

  // Returns the rows of a case with mask 1, [rows, hidden].
  std::vector<double> hidden(const GoldenCase& c) const;
};

Golden read_golden(const std::filesystem::path& folder);

}  // namespace bert::test
