// The functions that each part adds to the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace bert::python {

void bind_clusters(nanobind::module_& module);      // near-duplicates and clusters among vectors (bert/clusters.h)
void bind_explanations(nanobind::module_& module);  // why a score is what it is, and passes that are changed
void bind_forms(nanobind::module_& module);         // a static model distilled from another, two forms compared
void bind_index(nanobind::module_& module);         // the class VectorIndex
// similarity(function, a, b) -> [a, b];  similarity_pairwise(function, a, b) -> [vectors], of vectors in one place.
// quantize(vectors, precision, ranges) -> bytes of each vector, uint8; ranges_of(vectors) -> [2, size], the least and
// the greatest number of each dimension.   vectors: float32 [vectors, size];  ranges: [2, size], or None.
void bind_vectors(nanobind::module_& module);

}  // namespace bert::python
