#include "models/encoder/contacts.h"

#include <algorithm>

#include "bert/encoded.h"
#include "models/encoder/probabilities.h"

namespace bert {
namespace {

// The reference takes the attention weights of and to this id as 0 (<eos>).
constexpr int32_t kEndId = 2;

}  // namespace

Contacts::Contacts(const ContactRegression& regression, std::span<const int32_t> ids)
    : regression_(regression),
      ids_(ids),
      sums_(residue_count(ids.size()) * residue_count(ids.size())),
      symmetric_(sums_.size()),
      row_sums_(residue_count(ids.size())) {}

void Contacts::add_layer(std::span<const float> attentions) {
  const size_t head_size = ids_.size() * ids_.size();
  for (size_t at = 0; at < attentions.size(); at += head_size) {
    add_head(&attentions[at], static_cast<double>(regression_.weights[next_head_++]));
  }
}

void Contacts::add_head(const float* attention, double weight) {
  const size_t rows = row_sums_.size(), tokens = ids_.size();
  const auto at = [&](size_t query, size_t key) {
    return static_cast<double>(attention[(query + 1) * tokens + key + 1]);
  };
  const auto is_end = [&](size_t row) { return ids_[row + 1] == kEndId; };
  std::fill(row_sums_.begin(), row_sums_.end(), 0);
  double total = 0;
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const double value = is_end(i) || is_end(j) ? 0 : at(i, j) + at(j, i);
      symmetric_[i * rows + j] = value;
      row_sums_[i] += value;
      if (j < i) row_sums_[j] += value;
    }
  }
  for (const double sum : row_sums_) total += sum;
  if (total == 0) return;  // no attention between the rows
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      sums_[i * rows + j] += weight * (symmetric_[i * rows + j] - row_sums_[i] * row_sums_[j] / total);
    }
  }
}

void Contacts::compute(float* probabilities) const {
  const size_t rows = row_sums_.size();
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const double logit = sums_[i * rows + j] + static_cast<double>(regression_.bias);
      probabilities[i * rows + j] = probabilities[j * rows + i] = static_cast<float>(probability(logit));
    }
  }
}

}  // namespace bert
