// Checks of options that the functions of bert/clusters.h share. Stateless.
#pragma once

#include <cstddef>

#include "bert/clusters.h"

namespace bert {

// Throws Error(kInvalidArgument) unless the threshold is above 0 and at most 1.
void check_threshold(double threshold);

// Throws Error(kInvalidArgument) if a call needs more than run.most_bytes.
void check_bytes(const ClusterRun& run, size_t needed);

}  // namespace bert
