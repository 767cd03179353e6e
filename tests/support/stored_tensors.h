// Returns the tensors of a directory's model.safetensors, for tests that change them and write them again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "tests/support/safetensors_writer.h"

namespace bert::test {

inline std::vector<TestTensor> stored_tensors(const std::filesystem::path& directory) {
  const Checkpoint file = Checkpoint::open(directory, true);
  std::vector<TestTensor> tensors;
  for (const StoredTensor& tensor : file.tensors()) {
    tensors.push_back({std::string(tensor.name),
                       std::string(tensor.type->name),
                       {tensor.shape.begin(), tensor.shape.end()},
                       {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()}});
  }
  return tensors;
}

}  // namespace bert::test
