// The contacts of a protein: a logistic regression over the attention weights of every layer and head, as ESM has it.
// The weights of a head are made symmetric, a = p + pᵀ, and corrected by the average product, aᵢⱼ − (Σⱼ aᵢⱼ)(Σᵢ aᵢⱼ) /
// Σ a.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bert {

struct ContactRegression {
  std::span<const float> weights;  // [attention layers * heads]
  float bias = 0;
};

// The sums of one sequence. Rows are its tokens without the first and the last one.
class Contacts {
 public:
  // ids: of all tokens. Both must outlive the object.
  Contacts(const ContactRegression& regression, std::span<const int32_t> ids);

  // attentions: [heads, tokens, tokens], of the next layer.
  void add_layer(std::span<const float> attentions);
  // probabilities: [rows, rows], of a contact between two tokens. Call after all layers.
  void compute(float* probabilities) const;

 private:
  void add_head(const float* attention, double weight);

  const ContactRegression& regression_;
  const std::span<const int32_t> ids_;
  size_t next_head_ = 0;
  std::vector<double> sums_;       // [rows, rows]; j <= i
  std::vector<double> symmetric_;  // [rows, rows], of one head; j <= i
  std::vector<double> row_sums_;   // [rows], of one head
};

}  // namespace bert
