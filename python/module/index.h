// Exact search among vectors (bert/vectors.h) as Python sees it: the class VectorIndex.
#pragma once

#include <nanobind/nanobind.h>

namespace bert::python {

void bind_index(nanobind::module_& module);

}  // namespace bert::python
