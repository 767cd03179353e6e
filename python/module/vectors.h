// What Python does with vectors that are computed, by the library's functions (bert/vectors.h).
#pragma once

#include <nanobind/nanobind.h>

namespace bert::python {

// similarity(function, a, b) -> [a, b];  similarity_pairwise(function, a, b) -> [vectors], of vectors in one place.
// quantize(vectors, precision, ranges) -> bytes of each vector, uint8; ranges_of(vectors) -> [2, size], the least and
// the greatest number of each dimension.   vectors: float32 [vectors, size];  ranges: [2, size], or None.
void bind_vectors(nanobind::module_& module);

}  // namespace bert::python
