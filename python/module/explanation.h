// Why a score is what it is, what each layer says, and passes that are changed: as arrays and drawings.
#pragma once

#include <nanobind/nanobind.h>

namespace bert::python {

// The functions of the extension module.
void bind_explanations(nanobind::module_& module);

}  // namespace bert::python
