// Other forms of a model: a static model distilled from it, and two forms compared on texts.
#pragma once

#include <nanobind/nanobind.h>

namespace bert::python {

// The functions of the extension module.
void bind_forms(nanobind::module_& module);

}  // namespace bert::python
