// The base of models with weights from a seed and a forward pass in plain loops, in float64 or float32.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {

class PlainEncoder {
 public:
  explicit PlainEncoder(uint64_t seed) : random_(seed) {}
  virtual ~PlainEncoder() = default;

  virtual nlohmann::json config() const = 0;

  std::vector<TestTensor> tensors() const {
    std::vector<TestTensor> list;
    for (const auto& [name, tensor] : tensors_) list.push_back({name, "F32", tensor.shape, bytes_of(tensor.values)});
    return list;
  }

  void write(const TemporaryDirectory& directory) const {
    directory.write("model.safetensors", image_of(tensors()));
    directory.write("config.json", config().dump());
  }

 protected:
  void add(const std::string& name, const std::vector<size_t>& shape, float scale, float offset = 0) {
    size_t count = 1;
    for (const size_t length : shape) count *= length;
    tensors_[name] = {shape, random_.numbers(count, scale)};
    for (float& value : tensors_[name].values) value += offset;
  }
  const std::vector<float>& values(const std::string& name) const { return tensors_.at(name).values; }

  template <class T>
  std::vector<T> rows_of(const std::string& table, const std::vector<int32_t>& ids, size_t width) const {
    std::vector<T> x;
    for (const int32_t id : ids) {
      for (size_t i = 0; i < width; ++i)
        x.push_back(static_cast<T>(values(table)[static_cast<size_t>(id) * width + i]));
    }
    return x;
  }

  template <class T>
  static void softmax(std::vector<T>& x) {
    const T most = *std::max_element(x.begin(), x.end());
    T sum = 0;
    for (T& value : x) sum += value = std::exp(value - most);
    for (T& value : x) value /= sum;
  }

  template <class T>
  static void add_rows(std::vector<T>& x, const std::vector<T>& y) {
    for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  // Returns x after RMSNorm.
  template <class T>
  std::vector<T> normalized(std::vector<T> x, const std::string& name, size_t width, double eps) const {
    for (size_t row = 0; row < x.size() / width; ++row) {
      T* at = x.data() + row * width;
      T square = 0;
      for (size_t i = 0; i < width; ++i) square += at[i] * at[i] / static_cast<T>(width);
      for (size_t i = 0; i < width; ++i) {
        at[i] = at[i] / std::sqrt(square + static_cast<T>(eps)) * static_cast<T>(values(name + ".weight")[i]);
      }
    }
    return x;
  }

  // Returns a dense layer's product, with a bias if there is one.
  template <class T>
  std::vector<T> dense(const std::vector<T>& x, const std::string& name, size_t out) const {
    const std::vector<float>& weight = values(name + ".weight");
    const auto bias = tensors_.find(name + ".bias");
    const size_t in = weight.size() / out;
    std::vector<T> y;
    for (size_t row = 0; row < x.size() / in; ++row) {
      for (size_t o = 0; o < out; ++o) {
        T sum = 0;
        for (size_t i = 0; i < in; ++i) sum += x[row * in + i] * static_cast<T>(weight[o * in + i]);
        y.push_back(bias == tensors_.end() ? sum : sum + static_cast<T>(bias->second.values[o]));
      }
    }
    return y;
  }

 private:
  struct Tensor {
    std::vector<size_t> shape;
    std::vector<float> values;
  };

  Random random_;
  std::map<std::string, Tensor> tensors_;
};

// Returns `count` ids below `vocabulary`.
inline std::vector<int32_t> seeded_ids(size_t count, uint64_t seed, size_t vocabulary) {
  Random random(seed);
  std::vector<int32_t> ids;
  for (size_t i = 0; i < count; ++i) ids.push_back(static_cast<int32_t>(random.below(vocabulary)));
  return ids;
}

}  // namespace bert::test
