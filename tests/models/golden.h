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
  size_t index = 0;  // row of pooler_output and embedding
  size_t row_offset = 0;
  std::vector<LayerStatistics> layers;         // over all rows, those of masked tokens included
  std::vector<std::vector<double>> entropies;  // [layers][heads], mean over the queries; may be empty

  TokenSequence sequence() const { return {ids, type_ids, mask}; }
  bool is_masked() const;  // some token has mask 0
};

struct Golden {
  std::vector<GoldenCase> cases;
  NpyArray last_hidden_state;  // rows of all tokens, masked ones too
  NpyArray pooler_output;
  std::optional<NpyArray> embedding;
  bool sample_deviation = false;  // the statistics' std divides by one less than the number of values
  double reference_error = 0;     // the largest of the reference library's own float32 errors

  // [rows with mask 1, hidden] of a case.
  std::vector<double> hidden(const GoldenCase& c) const;
};

Golden read_golden(const std::filesystem::path& folder);

}  // namespace bert::test
