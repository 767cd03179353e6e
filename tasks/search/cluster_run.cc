#include "tasks/search/cluster_run.h"

#include <string>

#include "bert/error.h"

namespace bert {

void check_threshold(double threshold) {
  if (threshold > 0 && threshold <= 1) return;  // false for NaN
  throw Error(ErrorCode::kInvalidArgument,
              "threshold " + std::to_string(threshold) + ", expected a cosine above 0 and at most 1");
}

void check_bytes(const ClusterRun& run, size_t needed) {
  if (run.most_bytes == 0 || needed <= run.most_bytes) return;
  throw Error(ErrorCode::kInvalidArgument, "needs " + std::to_string(needed) + " bytes of memory, expected at most " +
                                               std::to_string(run.most_bytes));
}

}  // namespace bert
