// Measures matrix products of BERT-base's shapes, by backend, weight type, rows and threads. gemm/<rows>x<outs>x<in>/…
// is one product; gemms/bert-base/<rows>/… is all 48 of a forward pass. One product is measured with the weights of
// each layer in turn, so that they come from memory as in a forward pass. Bias and activation are omitted, because they
// are the same for every backend.
#pragma once

#include <cstddef>

namespace bert::bench {

// Registers OpenBLAS's products of a forward pass in float32, for comparisons in other programs.
void register_openblas_products(size_t rows, size_t threads);

}  // namespace bert::bench
