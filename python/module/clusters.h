// Near-duplicates and clusters among vectors (bert/clusters.h) as Python sees them: functions over arrays.
#pragma once

#include <nanobind/nanobind.h>

namespace bert::python {

void bind_clusters(nanobind::module_& module);

}  // namespace bert::python
