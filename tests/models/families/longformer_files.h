// Makes the files of a Longformer from a tiny RoBERTa.
#pragma once

#include <string>
#include <vector>

#include "tests/models/family_check.h"

namespace bert::test {

// Returns RoBERTa's weights, with global projections that are copies of the others.
inline FamilyFiles as_longformer(const std::filesystem::path& folder, const char* class_name, size_t window) {
  FamilyFiles files = FamilyFiles::read(folder);
  const std::vector<TestTensor> tensors = files.tensors;
  for (TestTensor tensor : tensors) {
    for (const std::string part : {"query", "key", "value"}) {
      const size_t at = tensor.name.find("attention.self." + part + ".");
      if (at == std::string::npos) continue;
      tensor.name.insert(at + std::string("attention.self." + part).size(), "_global");
      files.tensors.push_back(tensor);
    }
  }
  files.config["model_type"] = "longformer";
  files.config["architectures"] = {class_name};
  files.config["attention_window"] = std::vector<size_t>(files.config["num_hidden_layers"].get<size_t>(), window);
  files.config["sep_token_id"] = 2;
  return files;
}

}  // namespace bert::test
