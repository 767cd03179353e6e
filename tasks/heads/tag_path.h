// The best valid sequence of BIOES labels, by Viterbi's algorithm. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bert/config.h"

namespace bert {

// A label for each token: of all sequences in which an entity begins with B and ends with E, or is S alone, that with
// the largest sum of the logarithms of its probabilities and of the biases of its steps; of equal ones that with the
// smaller labels at the end. Without a valid sequence each token has its most probable label. probabilities: of each
// token, one for each label of the configuration, all of which are BIOES labels.
std::vector<size_t> best_tag_path(const ModelConfig& config, const TagBiases& biases,
                                  std::span<const std::vector<double>> probabilities);

}  // namespace bert
