// Makes the families' models of reference_models.json. Their weights follow from the tensors' names, and the file has
// what the reference library computes with them in float64 (tests/support/reference_models.py).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {

class ReferenceModel {
 public:
  explicit ReferenceModel(const std::string& family);

  static std::vector<std::string> families();
  std::string path() const { return directory_.path().string(); }
  Model load(const LoadOptions& options = {}) const { return Model::load(path(), options); }
  std::vector<TokenSequence> texts() const;

  // Hidden states, logits and contacts are within twice the reference's own float32 error, and have the same bits on
  // each instruction set.
  void check() const;

 private:
  nlohmann::json json_;
  TemporaryDirectory directory_;
  std::vector<std::vector<int32_t>> ids_;
};

}  // namespace bert::test
