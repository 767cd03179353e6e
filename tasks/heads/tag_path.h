// Finds the best valid sequence of BIOES labels by Viterbi's algorithm. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bert/config.h"

namespace bert {

// Returns a label for each token. In a valid sequence an entity begins with B and ends with E, or is a single S. The
// result is the valid sequence with the largest sum of the logarithms of its probabilities and the biases of its steps;
// of equal ones, the one with the smaller labels at the end. If no sequence is valid, each token gets its most probable
// label. probabilities: for each token, one for each label of the configuration; all labels are BIOES labels.
std::vector<size_t> best_tag_path(const ModelConfig& config, const TagBiases& biases,
                                  std::span<const std::vector<double>> probabilities);

}  // namespace bert
