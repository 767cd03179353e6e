// LayerNorm and RMSNorm: each row minus its mean (LayerNorm only), divided by its root mean square, times weight plus
// bias. NoNorm is only times weight plus bias (Sun et al. 2020).
// Sources: Ba, Kiros, Hinton 2016, with the biased variance and eps inside the square root, as in BERT;
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
  // As forward(), on the calling thread.
  void rows(ConstMatrixView x, MatrixView y, const KernelTable& kernels) const;
};

}  // namespace bert
