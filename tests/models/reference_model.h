// Makes the families' models of reference_models.json. The weights follow from the tensors' names. The file has the
// reference library's float64 outputs (tests/support/reference_models.py).
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

  // Expects hidden states, logits and contacts with at most twice the reference's float32 error, and with the same bits
  // on each instruction set.
  void check() const;

 private:
  nlohmann::json json_;
  TemporaryDirectory directory_;
  std::vector<std::vector<int32_t>> ids_;
};

}  // namespace bert::test
