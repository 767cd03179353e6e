// Reads dense layers and norms of a checkpoint by one name each; ".weight" and ".bias" are added. A view of a
// WeightReader, which must outlive it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/checkpoint/weight_reader.h"
#include "engine/kernels/kernels.h"
#include "engine/layers/norm.h"

namespace bert {

class ParameterReader {
 public:
  // of_a_head: the tensors belong to a head, not to the encoder (WeightRole::kHead).
  ParameterReader(WeightReader& weights, double norm_eps, bool of_a_head = false)
      : weights_(weights), norm_eps_(norm_eps), of_a_head_(of_a_head) {}

  LinearPart dense(std::string_view name, size_t out, size_t in, bool biased = true) {
    const std::string weight = std::string(name) + ".weight", bias = std::string(name) + ".bias";
    return {weights_.matrix(weight, out, in, role(WeightRole::kProjection)),
            biased ? weights_.vector(bias, out, role(WeightRole::kProjection)).data() : nullptr};
  }

  // added: a number to add to each weight.
  Norm norm(std::string_view name, size_t size, NormKind kind = NormKind::kLayerNorm, bool biased = true,
            float added = 0) {
    const std::string weight = std::string(name) + ".weight", bias = std::string(name) + ".bias";
    return {weights_.vector(weight, size, role(WeightRole::kNorm), added).data(),
            biased ? weights_.vector(bias, size, role(WeightRole::kNorm)).data() : nullptr, norm_eps_, kind};
  }

 private:
  WeightRole role(WeightRole of_the_encoder) const { return of_a_head_ ? WeightRole::kHead : of_the_encoder; }

  WeightReader& weights_;
  double norm_eps_;
  bool of_a_head_;
};

}  // namespace bert
