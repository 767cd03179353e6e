// Makes a file's tensors for dense layers from a seed, for tests of the layers that follow the encoder in models that
// read labels.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/checkpoint/weight_reader.h"
#include "tests/engine/layers/layer_setup.h"
#include "tests/support/safetensors_writer.h"

namespace bert::test {

inline Doubles relu_of(Doubles x) {
  for (double& value : x) value = std::max(value, 0.0);
  return x;
}

class LabelTensors {
 public:
  const Dense& add(const std::string& name, size_t out, size_t in) {
    return dense_.emplace(name, Dense(out, in, random_)).first->second;
  }
  void add(TestTensor tensor) { others_.push_back(std::move(tensor)); }
  const Dense& operator[](const std::string& name) const { return dense_.at(name); }
  Random& random() { return random_; }

  // Calls `make` with a WeightReader of the tensors' file. Its result is valid as long as this object exists.
  template <class Make>
  auto read(const Make& make) {
    std::vector<TestTensor> list = {floats("anchor", {1})};
    for (const auto& [name, dense] : dense_) {
      list.push_back({name + ".weight", "F32", {dense.out, dense.in}, bytes_of(dense.weight)});
      list.push_back({name + ".bias", "F32", {dense.out}, bytes_of(dense.bias)});
    }
    list.insert(list.end(), others_.begin(), others_.end());
    image_ = image_of(list);
    constexpr static std::string_view kNoPrefix[] = {""}, kAnchor[] = {"anchor"};
    WeightReader reader(Checkpoint::from_memory(std::as_bytes(std::span(image_)), "tensors"),
                        {.anchor = "anchor", .prefixes = kNoPrefix, .ignorable = kAnchor});
    auto made = make(reader);
    storage_.push_back(reader.finish());
    return made;
  }

 private:
  Random random_{3};
  std::map<std::string, Dense> dense_;
  std::vector<TestTensor> others_;
  std::string image_;
  std::vector<WeightStorage> storage_;
};

}  // namespace bert::test
