// LayerNorm and RMSNorm: each row minus its mean (LayerNorm only), divided by its root mean square, times weight plus
// bias; or only times weight plus bias (Sun et al. 2020, "NoNorm").
// Sources: Ba, Kiros, Hinton 2016, where the variance is the biased one and eps is inside the square root, as in BERT;
// Zhang, Sennrich 2019.
#pragma once

#include "engine/layers/execution_context.h"

namespace bert {

enum class NormKind { kLayerNorm, kRmsNorm, kNone };

struct Norm {
  const float* weight = nullptr;  // [hidden]; views, the checkpoint keeps them alive
  const float* bias = nullptr;    // [hidden], or null
  double eps = 0;
  NormKind kind = NormKind::kLayerNorm;

  // x, y: [rows, hidden]; y may be x.
  void forward(ConstMatrixView x, MatrixView y, ExecutionContext& context) const;
  // The same on the calling thread.
  void rows(ConstMatrixView x, MatrixView y, const KernelTable& kernels) const;
};

}  // namespace bert
