// Functions that each add a part to the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace bert::python {

void bind_clusters(nanobind::module_& module);      // near-duplicates and clusters among vectors (bert/clusters.h)
void bind_explanations(nanobind::module_& module);  // explanations of scores, and changed passes
void bind_forms(nanobind::module_& module);         // distilling a static model; comparing two forms of a model
void bind_index(nanobind::module_& module);         // the class VectorIndex
// similarity(function, a, b) -> [a, b];  similarity_pairwise(function, a, b) -> [vectors], for the vectors at the same
// place in a and b. quantize(vectors, precision, ranges) -> the bytes of each vector, uint8; ranges_of(vectors) -> [2,
// size], the least and the greatest number of each dimension.   vectors: float32 [vectors, size];  ranges: [2, size],
// or None.
void bind_vectors(nanobind::module_& module);

}  // namespace bert::python
